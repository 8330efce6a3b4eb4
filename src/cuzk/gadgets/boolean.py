"""Booleans: a constant, a variable that is 0 or 1, or the negation of one.

Source: argumentcomputer/bellpepper, bellpepper-core/src/gadgets/boolean.rs.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

from cuzk.algebra.arguments import require, wrong_type
from cuzk.r1cs import ONE, ConstraintSystem, Handle, LinearCombination, Value, Variable

__all__ = ["Boolean"]


@dataclass(slots=True)
class Boolean(Handle):
    """A boolean. Without a variable it is a constant: `negated` is its value.

    Never changed once made; not frozen, since that takes several times as long to make, and there are a million.
    """

    variable: Variable | None
    negated: bool = False

    @staticmethod
    def constant(value: bool) -> "Boolean":
        """Return a constant."""
        require("Boolean.constant", value, bool)
        return Boolean(None, value)

    @staticmethod
    def alloc(cs: ConstraintSystem, value: Value) -> "Boolean":
        """Allocate a boolean: one aux, one row (1 - x) * x = 0."""
        result = Boolean(cs.alloc_bit(value))
        cs.enforce("boolean constraint", result.negation().combination(), result.combination(), LinearCombination())
        return result

    @staticmethod
    def conjunction(cs: ConstraintSystem, a: "Boolean", b: "Boolean") -> "Boolean":
        """Return a AND b: for two variables one aux, one row a * b = c; a constant takes neither."""
        _require_booleans("conjunction", a, b)
        if a.is_constant or b.is_constant:
            constant, other = (a, b) if a.is_constant else (b, a)
            return other if constant.negated else constant
        name = "nor constraint" if a.negated and b.negated else "and constraint"
        if a.negated != b.negated:
            name, a, b = "and not constraint", *((b, a) if a.negated else (a, b))
        result = Boolean(cs.alloc_bit(cs.values.conjunction(a.value(cs), b.value(cs))))
        cs.enforce(name, a.combination(), b.combination(), result.combination())
        return result

    @staticmethod
    def exclusive_or(cs: ConstraintSystem, a: "Boolean", b: "Boolean") -> "Boolean":
        """Return a XOR b: for two variables one aux, one row 2a * b = a + b - c; a constant takes neither.

        Negations are taken outside: the row is about the variables. If just one is negated, the other comes first.
        """
        _require_booleans("exclusive_or", a, b)
        if a.variable is None or b.variable is None:
            constant, other = (a, b) if a.is_constant else (b, a)
            return other.negation() if constant.negated else other
        x, y = a.variable, b.variable
        if a.negated and not b.negated:
            x, y = y, x
        c = cs.alloc_bit(cs.values.exclusive_or(cs.value(x), cs.value(y)))
        cs.enforce(
            "xor constraint",
            LinearCombination([(2, x)]),
            LinearCombination([(1, y)]),
            LinearCombination([(1, x), (1, y), (-1, c)]),
        )
        return Boolean(c, a.negated != b.negated)

    @staticmethod
    def choice(cs: ConstraintSystem, a: "Boolean", b: "Boolean", c: "Boolean") -> "Boolean":
        """Return b if a else c (SHA-256's Ch): one aux, one row (b - c) * a = ch - c, where no constant makes it less.

        Of several constants the one that bellpepper looks at first decides.
        """
        _require_booleans("choice", a, b, c)
        if a.is_constant and not a.negated:
            return c
        if a.is_constant and b.is_constant and c.is_constant:
            return b
        if b.is_constant and not b.negated:
            return Boolean.conjunction(cs, a.negation(), c)
        if c.is_constant:
            if c.negated:
                return Boolean.conjunction(cs, a, b.negation()).negation()
            return Boolean.conjunction(cs, a, b)
        if b.is_constant:
            return Boolean.conjunction(cs, a.negation(), c.negation()).negation()
        ch = Boolean(cs.alloc_bit(cs.values.choice(a.value(cs), b.value(cs), c.value(cs))))
        cs.enforce(
            "ch computation", b.combination() - c.combination(), a.combination(), ch.combination() - c.combination()
        )
        return ch

    @staticmethod
    def majority(cs: ConstraintSystem, a: "Boolean", b: "Boolean", c: "Boolean") -> "Boolean":
        """Return what two of the three are at least (SHA-256's Maj).

        Of three variables: two aux and two rows, b * c = bc and (2bc - b - c) * a = bc - maj. With a constant 0 it is
        the AND of the other two, with a constant 1 their OR.
        """
        _require_booleans("majority", a, b, c)
        operands = (a, b, c)
        if all(operand.is_constant for operand in operands):
            return Boolean.constant(sum(operand.negated for operand in operands) >= 2)
        # bellpepper's order: a 0 first, then a 1 from the last operand.
        zeros = [i for i, operand in enumerate(operands) if operand.is_constant and not operand.negated]
        ones = [i for i, operand in enumerate(operands) if operand.is_constant and operand.negated]
        if zeros:
            x, y = operands[: zeros[0]] + operands[zeros[0] + 1 :]
            return Boolean.conjunction(cs, x, y)
        if ones:
            x, y = operands[: ones[-1]] + operands[ones[-1] + 1 :]
            return Boolean.conjunction(cs, x.negation(), y.negation()).negation()
        maj = Boolean(cs.alloc_bit(cs.values.majority(a.value(cs), b.value(cs), c.value(cs))))
        with cs.namespace("b and c"):
            bc = Boolean.conjunction(cs, b, c)
        cs.enforce(
            "maj computation",
            bc.combination(2) - b.combination() - c.combination(),
            a.combination(),
            bc.combination() - maj.combination(),
        )
        return maj

    @property
    def is_constant(self) -> bool:
        """Whether it has no variable."""
        return self.variable is None

    def value(self, cs: ConstraintSystem) -> Value:
        """Return the value, a bit; of a constant, a constant."""
        if self.variable is None:
            return cs.values.linear([], int(self.negated))
        value = cs.value(self.variable)
        return cs.values.negation(value) if self.negated else value

    def negation(self) -> "Boolean":
        """Return NOT self."""
        return Boolean(self.variable, not self.negated)

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
        return type(self)(variable, self.negated)


def _require_booleans(what: str, *operands: Boolean) -> None:
    for operand in operands:
        if not isinstance(operand, Boolean):
            raise wrong_type(what, "Boolean", operand, "Boolean.constant(True) makes a constant")
