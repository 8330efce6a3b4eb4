"""fr32 padding: 254 bits of data become one field element of 256 bits, so 127 bytes become 128.

Bits are counted from the lowest of each byte; the two highest bits of every 32 bytes are zero.
Source: rust-fil-proofs, fr32/src/padding.rs.
"""

import numpy as np

from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.sectors import SectorShape

_DATA_BITS = 254
#: The smallest number of bytes that pads to whole nodes, and how many bytes these have.
UNPADDED, PADDED = 127, 128
#: Bytes whose bits are in memory at once.
_CHUNK = UNPADDED << 13


def capacity(shape: SectorShape) -> int:
    """Return how many bytes of data fit into a sector."""
    return shape.size // PADDED * UNPADDED


def pad(data: bytes) -> bytes:
    """Pad whole multiples of 127 bytes to the same multiple of 128; InputError for another length."""
    if len(data) % UNPADDED:
        raise InputError(f"data: expected a multiple of {UNPADDED} bytes, got {len(data)}")
    return b"".join(_pad_chunk(data[start : start + _CHUNK]) for start in range(0, len(data), _CHUNK))


def _pad_chunk(data: bytes) -> bytes:
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little").reshape(-1, _DATA_BITS)
    return np.packbits(np.pad(bits, ((0, 0), (0, 2))), axis=1, bitorder="little").tobytes()


def unpad(padded: bytes) -> bytes:
    """Return the data of padded nodes, the inverse of `pad`; InputError if a padding bit is set."""
    if len(padded) % PADDED:
        raise InputError(f"padded data: expected a multiple of {PADDED} bytes, got {len(padded)}")
    bits = np.unpackbits(np.frombuffer(padded, dtype=np.uint8), bitorder="little").reshape(-1, 8 * 32)
    if bits[:, _DATA_BITS:].any():
        node = int(bits[:, _DATA_BITS:].any(axis=1).argmax())
        raise InputError(f"padded data: expected the two top bits of node {node} to be zero")
    return np.packbits(bits[:, :_DATA_BITS].reshape(-1), bitorder="little").tobytes()


def stage(shape: SectorShape, data: bytes) -> Fr:
    """Return a sector's nodes, Fr[shape.nodes]: the data, then zeros, padded."""
    if len(data) > capacity(shape):
        raise InputError(f"data: expected at most {capacity(shape)} bytes for {shape.label}, got {len(data)}")
    padded = pad(data.ljust(capacity(shape), b"\0"))
    return np.frombuffer(padded, dtype="<u8").reshape(-1, 4).astype(np.uint64)
