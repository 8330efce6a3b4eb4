"""SHA-256 of many messages at once, with the CPU's own instructions where it has them."""

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.algebra.arrays import check_threads
from cuzk.errors import InputError

__all__ = ["engines", "hash", "hash_nodes"]

#: Of the last limb of a digest read as four little-endian limbs: all but the two top bits of the last byte.
_TOP_LIMB_MASK = np.uint64((1 << 62) - 1)


def engines() -> list[str]:
    """Return the names of the ways in which this CPU can compute SHA-256, the fastest first, `portable` last."""
    return _native.sha256_engines()


def hash(messages: NDArray[np.uint8], threads: int = 1, engine: str = "") -> NDArray[np.uint8]:  # noqa: A001
    """Hash n messages of one length, uint8[n, length], to uint8[n, 32]; `engine` is one of `engines()`."""
    if not isinstance(messages, np.ndarray) or messages.dtype != np.uint8 or messages.ndim != 2:
        raise InputError("messages: expected uint8[n, length]")
    check_threads(threads)
    digests = np.empty((len(messages), 32), dtype=np.uint8)
    _native.sha256(np.ascontiguousarray(messages), digests, threads, engine)
    return digests


def hash_nodes(preimages: NDArray[np.uint64], threads: int = 1) -> NDArray[np.uint64]:
    """Hash n rows of nodes, uint64[n, k, 4], to nodes uint64[n, 4]: SHA-256 without its two last bits.

    A node is 32 bytes read as four little-endian limbs. Filecoin clears the two top bits of the last byte of a digest,
    which makes it a field element (rust-fil-proofs, filecoin-hashers/src/sha256.rs, `trim_to_fr32`).
    """
    if preimages.ndim != 3 or preimages.shape[2] != 4 or preimages.dtype != np.uint64:
        raise InputError(f"preimages: expected uint64[n, k, 4], got {preimages.dtype}{list(preimages.shape)}")
    messages = preimages.astype("<u8", copy=False).reshape(len(preimages), -1).view(np.uint8)
    nodes = hash(messages.reshape(len(preimages), -1), threads).view("<u8").astype(np.uint64, copy=False)
    nodes[:, 3] &= _TOP_LIMB_MASK
    return nodes
