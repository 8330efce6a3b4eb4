"""A proof request, its digest and its bytes.

Requests travel to the checking process, into the journal and back as `encode` writes them:

    u32 little-endian length of the header; header (MessagePack: the scalars, and the length of each blob); the blobs

so that a payload of 50 MB is written from where it lies and never copied into one buffer.
"""

import hashlib
import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import Self

import msgspec

from cuzk.errors import FormatError

_LENGTH = struct.Struct("<I")
_MAX_HEADER = 1 << 20


class Priority(IntEnum):
    """How urgent a job is; numbers as in the wire contract."""

    LOW = 1
    NORMAL = 2
    HIGH = 3
    CRITICAL = 4


class ProofRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a client asks for; the fields are those of the wire contract, `kind` by its display name."""

    kind: str
    request_id: str = ""
    sector_size: int = 0
    registered_proof: int = 0
    priority: Priority | None = None
    vanilla_proof: bytes = b""
    vanilla_proofs: tuple[bytes, ...] = ()
    sector_number: int = 0
    miner_id: int = 0
    randomness: bytes = b""
    partition_index: int = 0
    comm_r_old: bytes = b""
    comm_r_new: bytes = b""
    comm_d_new: bytes = b""

    def encode(self) -> list[bytes]:
        """Return the request as a list of byte strings, to be written one after the other."""
        return _encode(self, self.request_id, self.priority)

    def digest(self) -> bytes:
        """Return the 32 bytes that tell requests apart by content: all fields but request id and priority."""
        hasher = hashlib.sha256()
        for part in _encode(self, "", None):
            hasher.update(part)
        return hasher.digest()

    @property
    def payload_bytes(self) -> int:
        """Size of the vanilla proofs and commitments."""
        return sum(len(blob) for blob in _blobs(self))

    @classmethod
    def decode(cls, buffer: bytes | memoryview) -> Self:
        """Read what `encode` wrote."""
        view = memoryview(buffer)
        header_end = _header_end(view)
        try:
            header = msgspec.msgpack.decode(view[_LENGTH.size : header_end], type=_Header)
        except msgspec.MsgspecError as error:
            raise FormatError(f"the header of a stored request is damaged: {error}") from error
        if len(header.blobs) < _FIXED_BLOBS or header_end + sum(header.blobs) != len(view):
            raise FormatError(f"a stored request of {header_end + sum(header.blobs)} bytes has {len(view)}")
        blobs, offset = [], header_end
        for size in header.blobs:
            blobs.append(bytes(view[offset : offset + size]))
            offset += size
        vanilla_proof, randomness, comm_r_old, comm_r_new, comm_d_new, *vanilla_proofs = blobs
        return cls(
            kind=header.kind,
            request_id=header.request_id,
            sector_size=header.sector_size,
            registered_proof=header.registered_proof,
            priority=header.priority,
            vanilla_proof=vanilla_proof,
            vanilla_proofs=tuple(vanilla_proofs),
            sector_number=header.sector_number,
            miner_id=header.miner_id,
            randomness=randomness,
            partition_index=header.partition_index,
            comm_r_old=comm_r_old,
            comm_r_new=comm_r_new,
            comm_d_new=comm_d_new,
        )


class _Header(msgspec.Struct, frozen=True, array_like=True):
    kind: str
    request_id: str
    priority: Priority | None
    sector_size: int
    registered_proof: int
    sector_number: int
    miner_id: int
    partition_index: int
    blobs: list[int]


_FIXED_BLOBS = 5


def _blobs(request: ProofRequest) -> Sequence[bytes]:
    return (
        request.vanilla_proof,
        request.randomness,
        request.comm_r_old,
        request.comm_r_new,
        request.comm_d_new,
        *request.vanilla_proofs,
    )


def _encode(request: ProofRequest, request_id: str, priority: Priority | None) -> list[bytes]:
    blobs = _blobs(request)
    header = msgspec.msgpack.encode(
        _Header(
            request.kind,
            request_id,
            priority,
            request.sector_size,
            request.registered_proof,
            request.sector_number,
            request.miner_id,
            request.partition_index,
            [len(blob) for blob in blobs],
        )
    )
    return [_LENGTH.pack(len(header)) + header, *blobs]


def _header_end(view: memoryview) -> int:
    if len(view) < _LENGTH.size:
        raise FormatError(f"a stored request starts with a length of {_LENGTH.size} bytes, this has {len(view)} in all")
    (size,) = _LENGTH.unpack_from(view)
    if size > min(_MAX_HEADER, len(view) - _LENGTH.size):
        raise FormatError(f"a stored request says that its header has {size} bytes, the request has {len(view)}")
    return _LENGTH.size + int(size)
