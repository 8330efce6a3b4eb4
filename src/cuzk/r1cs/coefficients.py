"""The field elements of a circuit, each written down once."""

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr

__all__ = ["CoefficientTable"]


class CoefficientTable:
    """Numbers field elements in order of first use; rows and programs hold the numbers."""

    def __init__(self) -> None:
        self._indices: dict[int, int] = {}

    def __getitem__(self, coefficient: int) -> int:
        """Return the number of a canonical field element."""
        return self._indices.setdefault(coefficient, len(self._indices))

    def array(self) -> NDArray[np.uint64]:
        """Return all elements, Fr[k]."""
        return fr.from_ints(list(self._indices))
