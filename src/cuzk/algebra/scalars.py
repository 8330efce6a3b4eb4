"""Scalars in an assignment's packed form: booleans one bit each, field elements apart."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import bitmap
from cuzk.algebra.bitmap import Bitmap
from cuzk.errors import InputError

__all__ = ["PackedScalars"]


@dataclass(frozen=True, eq=False)
class PackedScalars:
    """`length` elements of Fr: element i is the next of `values` if bit i of `wide` is set, else bit i of `bit`.

    `values` is uint64[popcount(wide), 4], canonical; bits of `bit` under a set bit of `wide` have no meaning and are 0.
    """

    length: int
    wide: Bitmap
    bit: Bitmap
    values: NDArray[np.uint64]

    def __post_init__(self) -> None:
        """Check shapes, types and counts; that the values are canonical is checked by the kernels that read them."""
        bitmap.check(self.wide, self.length, "wide")
        bitmap.check(self.bit, self.length, "bit")
        expected = (bitmap.popcount(self.wide), 4)
        if self.values.dtype != np.uint64 or self.values.shape != expected:
            got = f"{self.values.dtype}{list(self.values.shape)}"
            raise InputError(f"values: expected uint64{list(expected)}, one row for each wide element, got {got}")

    def __len__(self) -> int:
        return self.length

    def dense(self) -> NDArray[np.uint64]:
        """Return all elements as uint64[length, 4]."""
        wide = bitmap.unpack(self.wide, self.length)
        dense = np.zeros((self.length, 4), dtype=np.uint64)
        dense[:, 0] = bitmap.unpack(self.bit, self.length)
        dense[wide] = self.values
        return dense

    @classmethod
    def pack(cls, dense: NDArray[np.uint64]) -> Self:
        """Pack uint64[n, 4]: elements 0 and 1 become bits, all others values."""
        if dense.dtype != np.uint64 or dense.ndim != 2 or dense.shape[1] != 4:
            raise InputError(f"scalars: expected uint64[n, 4], got {dense.dtype}{list(dense.shape)}")
        wide = (dense[:, 0] > 1) | dense[:, 1:].any(axis=1)
        ones = ~wide & (dense[:, 0] == 1)
        return cls(len(dense), bitmap.pack(wide), bitmap.pack(ones), np.ascontiguousarray(dense[wide]))
