"""The field elements of a circuit, each written down once."""

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr

__all__ = ["CoefficientTable"]


class CoefficientTable(dict[int, int]):
    """Numbers canonical field elements in order of first use; rows and programs hold the numbers."""

    def __missing__(self, coefficient: int) -> int:
        """Give a new element the next number."""
        number = self[coefficient] = len(self)
        return number

    def array(self) -> NDArray[np.uint64]:
        """Return all elements, Fr[k]."""
        return fr.from_ints(list(self))
