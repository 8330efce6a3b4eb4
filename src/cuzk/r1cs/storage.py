"""Compiled circuits as files: versioned, checksummed, and read by memory mapping.

    magic "cuzkpce1", u64 version, u64 size of the file, SHA-256 of all that follows, u64 size of the index
    index    JSON: the templates, innermost first, and of each array its type, shape and place
    arrays   each at a multiple of 64 bytes

All integers are little-endian. A file is derived data: whoever cannot read it traces the circuit again.
"""

import hashlib
import math
import mmap
import struct
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cuzk.errors import FormatError, InputError
from cuzk.files import replacing
from cuzk.r1cs.compiled import CompiledCircuit
from cuzk.r1cs.program import Program
from cuzk.r1cs.template import Composite, Instance, Leaf, Matrix, Sizes, Template, fold, pack_names, unpack_names
from cuzk.r1cs.validation import check_template

__all__ = ["VERSION", "load", "parse", "save", "to_bytes"]

VERSION = 1

_MAGIC = b"cuzkpce1"
_HEADER = struct.Struct("<8sQQ32sQ")
_ALIGNMENT = 64


class _ArrayRecord(msgspec.Struct, array_like=True, frozen=True):
    dtype: str
    shape: list[int]
    offset: int


class _LeafRecord(msgspec.Struct, array_like=True, frozen=True, tag="leaf"):
    name: str
    sizes: tuple[int, int, int, int, int]
    registers: tuple[int, int]
    arrays: list[int]  # formal_is_bit, wide, loads, code, packed names, then row_ptr, cols, coeff of A, B, C


class _CompositeRecord(msgspec.Struct, array_like=True, frozen=True, tag="composite"):
    name: str
    sizes: tuple[int, int, int, int, int]
    arrays: list[int]  # formal_is_bit; of the instances: template numbers, offsets [n, 5], all bindings, packed names


class _Index(msgspec.Struct, frozen=True):
    name: str
    coefficients: int
    templates: list[_LeafRecord | _CompositeRecord]
    arrays: list[_ArrayRecord]


def save(circuit: CompiledCircuit, path: Path | str) -> None:
    """Write a circuit; the file appears under its name only when it is whole."""
    data = to_bytes(circuit)
    with replacing(Path(path)) as file:
        file.write(data)


def load(path: Path | str) -> CompiledCircuit:
    """Map a file; FormatError if it is not one of this version or is damaged, InputError if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
        raise InputError(f"cannot read {path}: {error}") from error
    try:
        return parse(memoryview(data))
    except FormatError as error:
        raise FormatError(f"{path} is not a compiled circuit that can be used: {error}") from error


def parse(view: memoryview) -> CompiledCircuit:
    """Return the circuit in the bytes of a file, as views of them; FormatError says what is wrong."""
    try:
        return _parse(view)
    except (msgspec.MsgspecError, ValueError, zlib.error) as error:
        raise FormatError(str(error)) from error


def to_bytes(circuit: CompiledCircuit) -> bytes:
    """Return the file of a circuit."""
    writer = _Writer()
    templates = writer.templates(circuit.root)
    coefficients = writer.add(circuit.coefficients)
    index = msgspec.json.encode(_Index(circuit.name, coefficients, templates, writer.records))
    body = index + bytes(-(_HEADER.size + len(index)) % _ALIGNMENT) + b"".join(writer.chunks)
    size = _HEADER.size + len(body)
    checked = struct.pack("<Q", len(index)) + body
    return _HEADER.pack(_MAGIC, VERSION, size, hashlib.sha256(checked).digest(), len(index)) + body


class _Writer:
    def __init__(self) -> None:
        self.records: list[_ArrayRecord] = []
        self.chunks: list[bytes] = []
        self._offset = 0

    def add(self, array: NDArray[Any]) -> int:
        data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        data += bytes(-len(data) % _ALIGNMENT)
        self.records.append(_ArrayRecord(array.dtype.newbyteorder("<").str, list(array.shape), self._offset))
        self.chunks.append(data)
        self._offset += len(data)
        return len(self.records) - 1

    def templates(self, root: Template) -> list[_LeafRecord | _CompositeRecord]:
        records: list[_LeafRecord | _CompositeRecord] = []

        def number(record: _LeafRecord | _CompositeRecord) -> int:
            records.append(record)
            return len(records) - 1

        fold(
            root,
            lambda template, leaf: number(self._leaf(template, leaf)),
            lambda template, body, numbers: number(self._composite(template, body, numbers)),
        )
        return records

    def _leaf(self, template: Template, leaf: Leaf) -> _LeafRecord:
        program = leaf.program
        arrays = [template.formal_is_bit, leaf.wide, leaf.loads, program.code, _byte_array(leaf.packed_names)]
        for matrix in (leaf.a, leaf.b, leaf.c):
            arrays += [matrix.row_ptr, matrix.cols, matrix.coeff]
        registers = (program.field_registers, program.bit_registers)
        return _LeafRecord(template.name, template.sizes.as_tuple(), registers, [self.add(array) for array in arrays])

    def _composite(self, template: Template, body: Composite, numbers: dict[Template, int]) -> _CompositeRecord:
        instances = body.instances
        arrays: list[NDArray[Any]] = [
            template.formal_is_bit,
            np.array([numbers[instance.template] for instance in instances], dtype=np.uint32),
            np.array([instance.offset.as_tuple() for instance in instances], dtype=np.uint32),
            np.concatenate([instance.bindings for instance in instances]).astype(np.uint32),
            _byte_array(pack_names([instance.name for instance in instances])),
        ]
        return _CompositeRecord(template.name, template.sizes.as_tuple(), [self.add(array) for array in arrays])


def _byte_array(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


def _parse(view: memoryview) -> CompiledCircuit:
    if len(view) < _HEADER.size:
        raise FormatError(f"expected a header of {_HEADER.size} bytes, got {len(view)} bytes")
    magic, version, size, digest, index_size = _HEADER.unpack_from(view)
    if magic != _MAGIC:
        raise FormatError(f"expected a file that begins with {_MAGIC!r}, got {magic!r}")
    if version != VERSION:
        raise FormatError(f"expected version {VERSION}, got {version}")
    if size != len(view):
        raise FormatError(f"expected {size} bytes, got {len(view)}")
    if hashlib.sha256(view[_HEADER.size - 8 :]).digest() != digest:
        raise FormatError("its checksum is wrong")
    end = _HEADER.size + index_size
    if end > size:
        raise FormatError(f"expected an index of at most {size - _HEADER.size} bytes, got {index_size}")
    index = msgspec.json.decode(view[_HEADER.size : end], type=_Index)
    return _Reader(index, view[-(-end // _ALIGNMENT) * _ALIGNMENT :]).circuit()


class _Reader:
    """Rebuilds templates as views of the file, and checks that they are consistent."""

    def __init__(self, index: _Index, arrays: memoryview) -> None:
        self._index = index
        self._arrays = arrays
        self._templates: list[Template] = []

    def circuit(self) -> CompiledCircuit:
        coefficients = self._array(self._index.coefficients, np.uint64)
        if coefficients.ndim != 2 or coefficients.shape[1] != 4:
            raise FormatError(f"expected coefficients uint64[k, 4], got {list(coefficients.shape)}")
        for record in self._index.templates:
            body = self._leaf(record) if isinstance(record, _LeafRecord) else self._composite(record)
            formal_is_bit = self._array(record.arrays[0], np.bool_)
            template = Template(record.name, formal_is_bit, Sizes(*record.sizes), body)
            check_template(template, len(coefficients))
            self._templates.append(template)
        if not self._templates or self._templates[-1].columns.formals:
            raise FormatError("expected templates of which the last has no formals")
        return CompiledCircuit(self._index.name, self._templates[-1], coefficients)

    def _leaf(self, record: _LeafRecord) -> Leaf:
        _, wide, loads, code, names, *matrices = record.arrays
        a, b, c = (Matrix(*(self._array(i, np.uint32) for i in matrices[at : at + 3])) for at in (0, 3, 6))
        return Leaf(
            a=a,
            b=b,
            c=c,
            program=Program(self._array(code, np.int32), *record.registers),
            wide=self._array(wide, np.bool_),
            loads=self._array(loads, np.bool_),
            packed_names=self._array(names, np.uint8).tobytes(),
        )

    def _composite(self, record: _CompositeRecord) -> Composite:
        _, numbers, offsets, bindings, names = record.arrays
        templates = [self._inner(number) for number in self._array(numbers, np.uint32).tolist()]
        ends = np.cumsum([template.columns.formals for template in templates])
        return Composite(
            [
                Instance(template, name, own_bindings, Sizes(*offset))
                for template, name, own_bindings, offset in zip(
                    templates,
                    unpack_names(self._array(names, np.uint8).tobytes()),
                    np.split(self._array(bindings, np.uint32).astype(np.int64), ends)[:-1],
                    self._array(offsets, np.uint32).tolist(),
                    strict=True,
                )
            ]
        )

    def _inner(self, number: int) -> Template:
        if number >= len(self._templates):
            raise FormatError(f"template {len(self._templates)} contains template {number}, which comes later")
        return self._templates[number]

    def _array(self, number: int, dtype: type[np.generic]) -> NDArray[Any]:
        if not 0 <= number < len(self._index.arrays):
            raise FormatError(f"expected array 0 to {len(self._index.arrays) - 1}, got {number}")
        record = self._index.arrays[number]
        stored = np.dtype(dtype).newbyteorder("<")
        count = math.prod(record.shape)
        inside = min(record.shape, default=0) >= 0 and 0 <= record.offset <= len(self._arrays) - count * stored.itemsize
        if record.dtype != stored.str or not inside:
            raise FormatError(f"array {number} is not of type {stored.str} and within the file")
        array = np.frombuffer(self._arrays, dtype=stored, count=count, offset=record.offset)
        return array.reshape(record.shape).astype(dtype, copy=False)
