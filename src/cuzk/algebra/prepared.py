"""Bases in the form that the multi-scalar multiplication works on: made once, then used without conversion.

A prepared point is opaque, and its form depends on the instruction set that the kernels use: `layout` names the form,
with its version, and data of one layout is refused by another. Beside the point itself, multiples may be kept,
2^(spacing·j)·P for j < multiples, so that windows share their buckets: faster, for more memory.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.errors import InputError

__all__ = ["MOST_MULTIPLES", "PreparedPoints", "is_spacing"]

MOST_MULTIPLES = 64
"""As many multiples of a point are kept at most."""


def is_spacing(multiples: int, spacing: int) -> bool:
    """Whether that many multiples may be `spacing` bits apart."""
    in_range = 1 <= multiples <= MOST_MULTIPLES and 0 <= spacing <= 255
    return in_range and _native.is_prepared_spacing(multiples, spacing)


@dataclass(frozen=True, eq=False)
class PreparedPoints:
    """Prepared points of one group, made by `Group.prepare`; `data` may be read-only and memory-mapped.

    `data` is uint8[n, multiples, size] at a multiple of 64 bytes; `spacing` counts bits, 0 where there is one multiple.
    It is trusted: other bytes than `Group.prepare` wrote give other sums. A slice is a view.
    """

    group: str
    layout: str
    data: NDArray[np.uint8]
    spacing: int

    def __post_init__(self) -> None:
        """Check shape and type; whether the layout is the kernels' is checked by the multiplication."""
        data = self.data
        if data.dtype != np.uint8 or data.ndim != 3 or not data.flags.c_contiguous:
            raise InputError(
                f"prepared points: expected contiguous uint8[n, multiples, size], got {data.dtype}{list(data.shape)}"
            )

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.data)

    def __getitem__(self, part: slice) -> Self:
        """Return some of the points, consecutive ones; nothing is copied."""
        return type(self)(self.group, self.layout, self.data[part], self.spacing)

    @property
    def multiples(self) -> int:
        """How many multiples of each point there are."""
        return int(self.data.shape[1])
