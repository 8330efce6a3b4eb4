"""Equalities between small sums of bits, packed side by side into few rows.

Source: argumentcomputer/bellpepper, bellpepper/src/gadgets/multieq.rs.
"""

from types import TracebackType
from typing import Self

from cuzk.algebra.arguments import require
from cuzk.errors import InputError
from cuzk.gadgets.multipack import CAPACITY
from cuzk.r1cs import ONE, ConstraintSystem, LinearCombination

__all__ = ["MultiEq"]

_ONE = LinearCombination([(1, ONE)])


class MultiEq:
    """Collects equalities of linear combinations below 2^bits; one row holds as many as fit into CAPACITY bits.

    A row is written when the next equality does not fit, under the name of the place that is then reached, and at the
    end, when the `with` block is left. One MultiEq must live and die within one template.
    """

    def __init__(self, cs: ConstraintSystem) -> None:
        self._cs = cs
        self._rows = 0
        self._bits = 0
        self._left: list[tuple[int, LinearCombination]] = []
        self._right: list[tuple[int, LinearCombination]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None and self._bits:
            self._write()

    def enforce_equal(self, bits: int, left: LinearCombination, right: LinearCombination) -> None:
        """Enforce left = right; both are below 2^bits, and `right` is a sum of different powers of two times bits."""
        require("multieq: bits", bits, int)
        if not 0 < bits < CAPACITY:
            raise InputError(f"multieq: expected less than {CAPACITY} bits, got {bits}")
        if self._bits + bits >= CAPACITY:
            self._write()
        self._left.append((1 << self._bits, left))
        self._right.append((1 << self._bits, right))
        self._bits += bits

    def _write(self) -> None:
        right = LinearCombination.weighted(self._right)
        # Both sides are the same number, and that of the right side is just its bits next to each other.
        value = self._cs.evaluate(right)
        left = LinearCombination.weighted(self._left)
        self._cs.enforce(f"multieq {self._rows}", left, _ONE, right, a_value=value)
        self._rows, self._bits, self._left, self._right = self._rows + 1, 0, [], []
