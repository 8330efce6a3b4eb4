"""Bitmaps: uint64 words, bit i is `word[i >> 6] >> (i & 63) & 1`; bits beyond the length are 0."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cuzk.errors import InputError

__all__ = ["Bitmap", "check", "pack", "popcount", "unpack", "zeros"]

Bitmap: TypeAlias = NDArray[np.uint64]


def zeros(n: int) -> Bitmap:
    """Return a bitmap of n bits, all 0."""
    if n < 0:
        raise InputError(f"a bitmap's length must not be negative, got {n}")
    return np.zeros((n + 63) // 64, dtype=np.uint64)


def pack(bools: ArrayLike) -> Bitmap:
    """Return the bitmap of a one-dimensional sequence of booleans."""
    bits = np.asarray(bools, dtype=bool)
    if bits.ndim != 1:
        raise InputError(f"a bitmap is made from one dimension of booleans, got {bits.ndim} dimensions")
    bitmap = zeros(len(bits))
    packed = np.packbits(bits, bitorder="little")
    bitmap.astype("<u8", copy=False).view(np.uint8)[: len(packed)] = packed
    return bitmap


def unpack(bitmap: Bitmap, n: int) -> NDArray[np.bool_]:
    """Return the n bits of a bitmap as booleans."""
    check(bitmap, n)
    little = np.ascontiguousarray(bitmap, dtype="<u8").view(np.uint8)
    return np.unpackbits(little, count=n, bitorder="little").view(np.bool_)


def popcount(bitmap: Bitmap) -> int:
    """Return the number of bits set."""
    return int.from_bytes(bitmap.tobytes(), "little").bit_count()


def check(bitmap: Bitmap, n: int, name: str = "bitmap") -> None:
    """Raise InputError unless `bitmap` is one of n bits: type, shape, and no bit set beyond the end."""
    if n < 0:
        raise InputError(f"{name}: a bitmap's length must not be negative, got {n}")
    words = (n + 63) // 64
    if not isinstance(bitmap, np.ndarray) or bitmap.dtype != np.uint64 or bitmap.shape != (words,):
        got = f"{bitmap.dtype}{list(bitmap.shape)}" if isinstance(bitmap, np.ndarray) else type(bitmap).__name__
        raise InputError(f"{name}: expected uint64[{words}] for {n} bits, got {got}")
    if n % 64 and int(bitmap[-1]) >> (n % 64):
        raise InputError(f"{name}: has bits set beyond its length of {n}")
