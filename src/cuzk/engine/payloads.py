"""Checked jobs as bytes, in the segments that travel between processes, which are read in place.

    magic, u64 size of the index; index (MessagePack); sections, each at a multiple of 64 bytes

with the public inputs, and the pickled job with its arrays in sections of their own (pickle protocol 5), so that no
process copies them. It is written by a checking process and read by synthesis and device processes of the same engine.
"""

import pickle
import struct
from collections.abc import Sequence
from typing import Any

import msgspec

from cuzk.engine.kinds import Prepared
from cuzk.errors import FormatError

_MAGIC = b"cuzkjob1"
_HEAD = struct.Struct("<8sQ")
_ALIGNMENT = 64


class _Index(msgspec.Struct, frozen=True, array_like=True):
    circuit_id: str
    public_inputs: int
    """How many of the sections are public inputs; then comes the pickle, then its buffers."""
    sections: list[tuple[int, int]]


def pack_prepared(prepared: Prepared) -> list[bytes | memoryview]:
    """Return a checked job as parts of a segment, to be written one after the other."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(prepared.job, protocol=5, buffer_callback=buffers.append)
    contents: list[bytes | memoryview] = [*prepared.public_inputs, pickled, *(buffer.raw() for buffer in buffers)]
    offset, sections = 0, []
    for content in contents:
        sections.append((offset, len(content)))
        offset += _aligned(len(content))
    index = msgspec.msgpack.encode(_Index(prepared.circuit_id, len(prepared.public_inputs), sections))
    head = _HEAD.pack(_MAGIC, len(index)) + index
    parts: list[bytes | memoryview] = []
    for content in (head, *contents):
        parts += [content, bytes(_aligned(len(content)) - len(content))]
    return parts


class PreparedReader:
    """A checked job in a segment."""

    def __init__(self, segment: memoryview) -> None:
        if len(segment) < _HEAD.size:
            raise FormatError(f"a checked job has at least {_HEAD.size} bytes, this has {len(segment)}")
        magic, size = _HEAD.unpack_from(segment)
        if magic != _MAGIC or size > len(segment) - _HEAD.size:
            raise FormatError(f"not a checked job: it starts with {magic!r} and an index of {size} bytes")
        self._index = msgspec.msgpack.decode(segment[_HEAD.size : _HEAD.size + size], type=_Index)
        self._contents = segment[_aligned(_HEAD.size + size) :]
        self.circuit_id = self._index.circuit_id

    def __len__(self) -> int:
        """Return the number of partitions."""
        return self._index.public_inputs

    def public_inputs(self, partition: int) -> bytes:
        """Return a partition's public inputs."""
        return bytes(self._section(range(self._index.public_inputs)[partition]))

    def job(self) -> Any:
        """Return the job; its arrays are views of the segment."""
        pickled, *buffers = [self._section(number) for number in range(len(self), len(self._index.sections))]
        return pickle.loads(pickled, buffers=buffers)  # noqa: S301 (written by a process of this engine)

    def _section(self, number: int) -> memoryview:
        offset, size = self._index.sections[number]
        if offset + size > len(self._contents):
            raise FormatError(f"section {number} of a checked job ends beyond it")
        return self._contents[offset : offset + size]


def total_size(parts: Sequence[bytes | memoryview]) -> int:
    """Return the size of parts together."""
    return sum(len(part) for part in parts)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
