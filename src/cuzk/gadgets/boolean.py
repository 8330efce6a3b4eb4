"""Booleans: a constant, a variable that is 0 or 1, or the negation of one.

Source: argumentcomputer/bellpepper, bellpepper-core/src/gadgets/boolean.rs.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Self

from cuzk.r1cs import ONE, ConstraintSystem, LinearCombination, Value, Variable

__all__ = ["Boolean"]


@dataclass(frozen=True)
class Boolean:
    """A boolean. Without a variable it is a constant: `negated` is its value."""

    variable: Variable | None
    negated: bool = False

    @staticmethod
    def constant(value: bool) -> "Boolean":
        """Return a constant."""
        return Boolean(None, value)

    @staticmethod
    def alloc(cs: ConstraintSystem, value: Value) -> "Boolean":
        """Allocate a boolean: one aux, one row (1 - x) * x = 0."""
        result = Boolean(cs.alloc_bit(value))
        cs.enforce("boolean constraint", result.negation().combination(), result.combination(), LinearCombination())
        return result

    @staticmethod
    def conjunction(cs: ConstraintSystem, a: "Boolean", b: "Boolean") -> "Boolean":
        """Return a AND b of two unnegated variables: one aux, one row a * b = c."""
        return a._product(cs, "and constraint", b)

    @staticmethod
    def nor(cs: ConstraintSystem, a: "Boolean", b: "Boolean") -> "Boolean":
        """Return NOT a AND NOT b of two unnegated variables: one aux, one row (1 - a) * (1 - b) = c."""
        return a.negation()._product(cs, "nor constraint", b.negation())

    def _product(self, cs: ConstraintSystem, name: str, other: "Boolean") -> "Boolean":
        a, b = self.combination(), other.combination()
        result = Boolean(cs.alloc_bit(cs.values.conjunction(cs.evaluate(a), cs.evaluate(b))))
        cs.enforce(name, a, b, result.combination())
        return result

    def negation(self) -> "Boolean":
        """Return NOT self."""
        return replace(self, negated=not self.negated)

    def combination(self, coefficient: int = 1) -> LinearCombination:
        """Return coefficient * self."""
        if self.variable is None:
            return LinearCombination([(coefficient, ONE)] if self.negated else [])
        if self.negated:
            return LinearCombination([(coefficient, ONE), (-coefficient, self.variable)])
        return LinearCombination([(coefficient, self.variable)])

    @property
    def shape(self) -> Hashable:
        """What templates depend on."""
        return Boolean, self.negated

    def renamed(self, variable: Variable) -> Self:
        """Return the same boolean of another variable."""
        return replace(self, variable=variable)
