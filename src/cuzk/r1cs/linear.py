"""Variables and linear combinations over them, as bellpepper has them.

A variable belongs to the template being traced: ONE, a formal (a variable of the caller, handed in), an input or an
auxiliary variable allocated here. Inputs and aux have index spaces of their own. A variable's scope says which tracing
of which template it belongs to (`cuzk.r1cs.scopes`).
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NewType

from cuzk.algebra.arguments import wrong_type
from cuzk.algebra.fr import MODULUS
from cuzk.errors import InputError

__all__ = [
    "COMBINATION_HINT",
    "ONE",
    "Kind",
    "LinearCombination",
    "Variable",
    "index_of",
    "kind_of",
    "not_pairs",
    "scope_of",
    "variable",
]

Variable = NewType("Variable", int)

_KIND_SHIFT = 48
_SCOPE_SHIFT = 50


class Kind(IntEnum):
    """Where a variable comes from."""

    ONE = 0
    FORMAL = 1
    INPUT = 2
    AUX = 3


ONE = Variable(0)

COMBINATION_HINT = "that of a handle is .combination(), a constant is LinearCombination([(5, ONE)])"


def variable(kind: Kind, index: int, scope: int = 0) -> Variable:
    """Return the variable number `index` of a kind in a scope."""
    return Variable(scope << _SCOPE_SHIFT | kind << _KIND_SHIFT | index)


def kind_of(var: Variable) -> Kind:
    """Return the kind of a variable."""
    return Kind(var >> _KIND_SHIFT & 3)


def index_of(var: Variable) -> int:
    """Return the number of a variable within its kind."""
    return var & ((1 << _KIND_SHIFT) - 1)


def scope_of(var: Variable) -> int:
    """Return the number of a variable's scope; ONE is in none."""
    return var >> _SCOPE_SHIFT


class LinearCombination:
    """A sum of coefficient * variable in which a variable occurs once; never changed once made.

    Coefficients are canonical. A term whose coefficient is zero is kept: bellpepper keeps it, and only the digest, the
    densities and the counts of non-zeros, which are taken from the finished rows, leave it out.
    """

    __slots__ = ("terms",)

    terms: Mapping[Variable, int]  # coefficient of each variable

    def __init__(self, terms: Iterable[tuple[int, Variable]] = ()) -> None:
        merged: dict[Variable, int] = {}
        try:
            for coefficient, var in terms:
                if not isinstance(coefficient, int):
                    raise wrong_type("LinearCombination: coefficient", "int", coefficient)
                if not isinstance(var, int):
                    raise wrong_type("LinearCombination: variable", "Variable", var, "a handle's is .variable")
                merged[var] = (merged.get(var, 0) + coefficient) % MODULUS
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            raise not_pairs("LinearCombination", "Variable", error) from error
        self.terms = merged

    @staticmethod
    def weighted(terms: Iterable[tuple[int, "LinearCombination"]]) -> "LinearCombination":
        """Return the sum of factor * combination."""
        merged: dict[Variable, int] = {}
        try:
            for factor, combination in terms:
                if not isinstance(factor, int):
                    raise wrong_type("LinearCombination: factor", "int", factor)
                if not isinstance(combination, LinearCombination):
                    raise wrong_type("LinearCombination: term", "LinearCombination", combination, COMBINATION_HINT)
                for var, coefficient in combination.terms.items():
                    merged[var] = (merged.get(var, 0) + factor * coefficient) % MODULUS
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            raise not_pairs("LinearCombination.weighted", "LinearCombination", error) from error
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


def not_pairs(what: str, of: str, error: Exception) -> InputError:
    """Return the error for the terms of a sum, which Python could not take apart as pairs."""
    return InputError(f"{what}: expected pairs (coefficient, {of}): {error}")
