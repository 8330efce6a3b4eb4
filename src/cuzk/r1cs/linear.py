"""Variables and linear combinations over them, as bellpepper has them.

A variable belongs to the template being traced: ONE, a formal (a variable of the caller, handed in), an input or an
auxiliary variable allocated here. Inputs and aux have index spaces of their own.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NewType

from cuzk.algebra.fr import MODULUS

__all__ = ["ONE", "Kind", "LinearCombination", "Variable", "index_of", "kind_of", "variable"]

Variable = NewType("Variable", int)

_KIND_SHIFT = 48


class Kind(IntEnum):
    """Where a variable comes from."""

    ONE = 0
    FORMAL = 1
    INPUT = 2
    AUX = 3


ONE = Variable(0)


def variable(kind: Kind, index: int) -> Variable:
    """Return the variable number `index` of a kind."""
    return Variable(kind << _KIND_SHIFT | index)


def kind_of(var: Variable) -> Kind:
    """Return the kind of a variable."""
    return Kind(var >> _KIND_SHIFT)


def index_of(var: Variable) -> int:
    """Return the number of a variable within its kind."""
    return var & ((1 << _KIND_SHIFT) - 1)


class LinearCombination:
    """A sum of coefficient * variable in which a variable occurs once; never changed once made.

    Coefficients are canonical. A term whose coefficient is zero is kept: bellpepper keeps it, and only the digest, the
    densities and the counts of non-zeros, which are taken from the finished rows, leave it out.
    """

    __slots__ = ("terms",)

    terms: Mapping[Variable, int]  # coefficient of each variable

    def __init__(self, terms: Iterable[tuple[int, Variable]] = ()) -> None:
        merged: dict[Variable, int] = {}
        for coefficient, var in terms:
            merged[var] = (merged.get(var, 0) + coefficient) % MODULUS
        self.terms = merged

    @staticmethod
    def weighted(terms: Iterable[tuple[int, "LinearCombination"]]) -> "LinearCombination":
        """Return the sum of factor * combination."""
        merged: dict[Variable, int] = {}
        for factor, combination in terms:
            for var, coefficient in combination.terms.items():
                merged[var] = (merged.get(var, 0) + factor * coefficient) % MODULUS
        result = LinearCombination()
        result.terms = merged
        return result

    def plus(self, coefficient: int, var: Variable) -> "LinearCombination":
        """Return self + coefficient * var."""
        return LinearCombination.weighted([(1, self), (1, LinearCombination([(coefficient, var)]))])

    def __add__(self, other: "LinearCombination") -> "LinearCombination":
        return LinearCombination.weighted([(1, self), (1, other)])

    def __sub__(self, other: "LinearCombination") -> "LinearCombination":
        return LinearCombination.weighted([(1, self), (-1, other)])

    def __repr__(self) -> str:
        names = {Kind.ONE: "one", Kind.FORMAL: "f", Kind.INPUT: "i", Kind.AUX: "a"}
        terms = (
            f"{coefficient}*{names[kind_of(var)]}{index_of(var) if var != ONE else ''}"
            for var, coefficient in sorted(self.terms.items())
        )
        return " + ".join(terms) or "0"
