"""Numbers: field elements held by one variable, or by a linear combination.

Source: argumentcomputer/bellpepper, bellpepper-core/src/gadgets/num.rs; rust-fil-proofs, storage-proofs-core
gadgets/constraint.rs.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

from cuzk.gadgets.boolean import Boolean
from cuzk.r1cs import ONE, ConstraintSystem, LinearCombination, Value, Variable

__all__ = ["AllocatedNum", "enforce_equal", "pick"]

_ONE = LinearCombination([(1, ONE)])


@dataclass(frozen=True)
class AllocatedNum:
    """A field element held by a variable."""

    variable: Variable

    @staticmethod
    def alloc(cs: ConstraintSystem, value: Value) -> "AllocatedNum":
        """Allocate a number: one aux, no row."""
        return AllocatedNum(cs.alloc(value))

    def inputize(self, cs: ConstraintSystem) -> None:
        """Make the number public: one input, one row input * 1 = self."""
        public = LinearCombination([(1, cs.alloc_input(self.value(cs)))])
        cs.enforce("enforce input is correct", public, _ONE, self.combination())

    def square(self, cs: ConstraintSystem) -> "AllocatedNum":
        """Return self * self: one aux, one row."""
        x = self.value(cs)
        result = AllocatedNum.alloc(cs, cs.values.product(x, x))
        cs.enforce("squaring constraint", self.combination(), self.combination(), result.combination())
        return result

    def value(self, cs: ConstraintSystem) -> Value:
        """Return the number's value."""
        return cs.value(self.variable)

    def combination(self) -> LinearCombination:
        """Return the number as a linear combination."""
        return LinearCombination([(1, self.variable)])

    @property
    def shape(self) -> Hashable:
        """What templates depend on."""
        return AllocatedNum

    def renamed(self, variable: Variable) -> Self:
        """Return a number held by another variable."""
        return type(self)(variable)


def enforce_equal(cs: ConstraintSystem, name: str, a: AllocatedNum, b: AllocatedNum) -> None:
    """Enforce a * 1 = b."""
    cs.enforce(name, a.combination(), _ONE, b.combination())


def pick(cs: ConstraintSystem, condition: Boolean, a: AllocatedNum, b: AllocatedNum) -> AllocatedNum:
    """Return a if the condition holds, else b: one aux, one row (b - a) * condition = b - c.

    Source: rust-fil-proofs, storage-proofs-core/src/gadgets/insertion.rs.
    """
    bit = cs.evaluate(condition.combination())
    c = AllocatedNum.alloc(cs, cs.values.select(bit, a.value(cs), b.value(cs)))
    cs.enforce(
        "pick",
        b.combination() - a.combination(),
        condition.combination(),
        b.combination() - c.combination(),
    )
    return c
