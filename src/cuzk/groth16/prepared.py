"""Prepared parameters: the five vectors of points as the multiplications work on them, in a file.

    magic "cuzkprp1", u64 version, u64 size of the file, u32 CRC-32 of the index, u32 size of the index
    index    JSON: the digest of the parameter file; of each vector its group, layout, spacing, shape, place and CRC-32
    vectors  h, l, a, b_g1, b_g2, each from a multiple of 4096 bytes

All integers are little-endian. A file is derived data, and good for one instruction set and one version of its layout:
whoever cannot use it proves from the parameter file, or makes it anew. The checksums are against damage. They need not
be more, for a proof from wrong points does not verify.
"""

import math
import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from cuzk.algebra.group import G1, G2, Points
from cuzk.algebra.prepared import MOST_MULTIPLES, PreparedPoints, is_spacing
from cuzk.errors import FormatError, InputError
from cuzk.files import exclusive, replacing, writing

__all__ = ["VERSION", "PreparedBases", "prepared_size"]

VERSION = 1

_MAGIC = b"cuzkprp1"
_HEADER = struct.Struct("<8sQQII")
_ALIGNMENT = mmap.PAGESIZE
_GROUPS = {"h": G1, "l": G1, "a": G1, "b_g1": G1, "b_g2": G2}
_MAX_INDEX = 1 << 14


class _Vector(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    group: str
    layout: str
    spacing: int
    shape: tuple[int, int, int]
    offset: int
    checksum: int


class _Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    vectors: dict[str, _Vector]


@dataclass(frozen=True, eq=False)
class PreparedBases:
    """The five vectors of a parameter file, prepared; views of one file."""

    h: PreparedPoints
    l: PreparedPoints  # noqa: E741 - the name in Groth16 and in bellperson
    a: PreparedPoints
    b_g1: PreparedPoints
    b_g2: PreparedPoints

    @property
    def vectors(self) -> dict[str, PreparedPoints]:
        """The five vectors by name, in the order of the file."""
        return {"h": self.h, "l": self.l, "a": self.a, "b_g1": self.b_g1, "b_g2": self.b_g2}

    @property
    def nbytes(self) -> int:
        """Memory of all points."""
        return sum(points.data.nbytes for points in self.vectors.values())

    @property
    def multiples(self) -> int:
        """How many multiples of each point there are."""
        return self.h.multiples

    @classmethod
    def open(cls, path: Path, source: str, counts: Mapping[str, int], *, threads: int = 1) -> Self:
        """Read a file and check it.

        `source` is the digest of the parameter file, `counts` its vectors' lengths. FormatError if the file is damaged,
        of other parameters, or for other kernels than those in use; InputError if it cannot be read.
        """
        data = _read(path, _largest(counts))
        try:
            return cls.parse(data, source, counts, threads=threads)
        except FormatError as error:
            raise FormatError(f"{path} holds no prepared points for these parameters: {error}") from error

    @classmethod
    def parse(cls, data: memoryview, source: str, counts: Mapping[str, int], *, threads: int = 1) -> Self:
        """View a file's bytes; FormatError as `open`."""
        index = _read_index(data)
        if index.source != source:
            raise FormatError(f"they were made from the parameters {index.source}, expected {source}")
        if list(index.vectors) != list(_GROUPS):
            raise FormatError(f"expected the vectors {', '.join(_GROUPS)}, got {', '.join(index.vectors)}")
        vectors = [_view(data, name, vector, counts[name]) for name, vector in index.vectors.items()]
        with ThreadPoolExecutor(max(1, threads)) as pool:
            checksums = pool.map(lambda points: zlib.crc32(points.data), vectors)
            for (name, vector), checksum in zip(index.vectors.items(), checksums, strict=True):
                if checksum != vector.checksum:
                    raise FormatError(f"{name} is damaged: its checksum is {checksum:08x}, not {vector.checksum:08x}")
        return cls(*vectors)

    @classmethod
    def make(
        cls,
        path: Path,
        source: str,
        vectors: Mapping[str, Points],
        *,
        multiples: int = 1,
        threads: int = 1,
    ) -> Self:
        """Prepare the five vectors of a parameter file, in a file that appears under its name only when it is whole.

        If another process is at it, wait, and return what it made if that is what was asked for. InputError if the file
        cannot be written, or if a vector holds what is no point or infinity.
        """
        counts = {name: len(points) for name, points in vectors.items()}
        with exclusive(path.with_name(f".{path.name}.lock")):
            if path.exists():
                with suppress(FormatError):
                    made = cls.open(path, source, counts, threads=threads)
                    if made.multiples == multiples:
                        return made
            _write(path, source, vectors, multiples, threads)
        return cls.open(path, source, counts, threads=threads)


def prepared_size(counts: Mapping[str, int], multiples: int) -> int:
    """Return the bytes that the points of vectors of these lengths take when they are prepared."""
    return sum(math.prod(_GROUPS[name].prepared_shape(count, multiples)) for name, count in counts.items())


def _largest(counts: Mapping[str, int]) -> int:
    """Return the size of the largest file that there is for vectors of these lengths."""
    return _HEADER.size + _MAX_INDEX + len(_GROUPS) * _ALIGNMENT + prepared_size(counts, MOST_MULTIPLES)


def _read(path: Path, limit: int) -> memoryview:
    """Read a file into memory on huge pages, where the system gives them: points are read at random."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not size:
                raise FormatError(f"{path} is empty")
            if size > limit:
                raise FormatError(f"{path} has {size} bytes, expected prepared points of {limit} at most")
            memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            if hasattr(mmap, "MADV_HUGEPAGE"):
                with suppress(OSError):  # a kernel without huge pages
                    memory.madvise(mmap.MADV_HUGEPAGE)
            view, done = memoryview(memory), 0
            while done < size and (read := file.readinto(view[done:])):
                done += read
            return view[:done]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def _read_index(data: memoryview) -> _Index:
    if len(data) < _HEADER.size:
        raise FormatError(f"a header has {_HEADER.size} bytes, the file {len(data)}")
    magic, version, size, checksum, index_size = _HEADER.unpack_from(data)
    if magic != _MAGIC or version != VERSION:
        raise FormatError(f"expected {_MAGIC!r}, version {VERSION}, got {magic!r}, version {version}")
    if size != len(data) or index_size > min(_MAX_INDEX, size - _HEADER.size):
        raise FormatError(f"the header says {size} bytes with an index of {index_size}, the file has {len(data)}")
    index = data[_HEADER.size : _HEADER.size + index_size]
    if zlib.crc32(index) != checksum:
        raise FormatError("the index is damaged: its checksum is another")
    try:
        return msgspec.json.decode(index, type=_Index)
    except msgspec.DecodeError as error:
        raise FormatError(f"the index is not one: {error}") from error


def _view(data: memoryview, name: str, vector: _Vector, count: int) -> PreparedPoints:
    """View one vector, after looking whether it is for these parameters and for the kernels in use."""
    group = _GROUPS[name]
    if (vector.group, vector.layout) != (group.name, group.prepared_layout):
        raise FormatError(f"{name} has the layout {vector.layout}, expected {group.prepared_layout}")
    multiples = vector.shape[1]
    if not 1 <= multiples <= MOST_MULTIPLES or vector.shape != group.prepared_shape(count, multiples):
        raise FormatError(f"{name} has the shape {list(vector.shape)}, expected one of {count} points")
    if not is_spacing(multiples, vector.spacing):
        raise FormatError(f"{name} has {multiples} multiples {vector.spacing} bits apart, which no windows divide")
    size = math.prod(vector.shape)
    if not 0 <= vector.offset <= len(data) - size or vector.offset % _ALIGNMENT:
        raise FormatError(f"{name} would be {size} bytes at byte {vector.offset} of {len(data)}")
    flat = np.frombuffer(data, dtype=np.uint8, count=size, offset=vector.offset)
    return PreparedPoints(vector.group, vector.layout, flat.reshape(vector.shape), vector.spacing)


def _write(path: Path, source: str, vectors: Mapping[str, Points], multiples: int, threads: int) -> None:
    shapes = {name: _GROUPS[name].prepared_shape(len(points), multiples) for name, points in vectors.items()}
    offsets, end = {}, _HEADER.size + _MAX_INDEX
    for name, shape in shapes.items():
        offsets[name] = -(-end // _ALIGNMENT) * _ALIGNMENT
        end = offsets[name] + math.prod(shape)
    with replacing(path) as file:
        with writing(path):
            os.posix_fallocate(file.fileno(), 0, end)  # a full disk is an error here, and a signal in the mapping
            data = memoryview(mmap.mmap(file.fileno(), end))
        index = _Index(source, {})
        for name, points in vectors.items():
            group, offset = _GROUPS[name], offsets[name]
            out = np.frombuffer(data, dtype=np.uint8, count=math.prod(shapes[name]), offset=offset)
            made = group.prepare(points, multiples=multiples, out=out.reshape(shapes[name]), threads=threads)
            checksum = zlib.crc32(out.data)
            index.vectors[name] = _Vector(group.name, made.layout, made.spacing, shapes[name], offset, checksum)
        encoded = msgspec.json.encode(index)
        data[: _HEADER.size] = _HEADER.pack(_MAGIC, VERSION, end, zlib.crc32(encoded), len(encoded))
        data[_HEADER.size : _HEADER.size + len(encoded)] = encoded
