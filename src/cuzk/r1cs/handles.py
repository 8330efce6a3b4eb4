"""Handles: what gadgets hand to templates and get back, a variable and how it is meant.

`AllocatedNum` and `Boolean` of `cuzk.gadgets` are handles; lists and tuples of them travel as they are, and so does
None. A handle's shape is everything about it but which variable it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, Self

from cuzk.algebra.arguments import wrong_type
from cuzk.r1cs.linear import Variable

__all__ = ["Handle", "check_constant", "map_handles", "shape_of"]


class Handle(ABC):
    """Something that stands for a variable, or for a constant if its variable is None."""

    __slots__ = ()

    variable: Variable | None

    @property
    @abstractmethod
    def shape(self) -> Hashable:
        """Class and flags; of a constant, its value too."""

    @abstractmethod
    def renamed(self, variable: Variable) -> Self:
        """Return the same for another variable."""


def map_handles(what: str, structure: Any, rename: Callable[[Variable], Variable]) -> Any:
    """Replace the variables of all handles in nested lists and tuples; InputError if anything else is in them."""
    if isinstance(structure, Handle):
        return structure if structure.variable is None else structure.renamed(rename(structure.variable))
    if isinstance(structure, list | tuple):
        items = [map_handles(what, item, rename) for item in structure]
        return structure._make(items) if hasattr(structure, "_make") else type(structure)(items)
    _require_nothing(what, structure)
    return None


def shape_of(what: str, structure: Any, number: Callable[[Variable], Hashable]) -> Hashable:
    """Describe nested lists and tuples of handles, with `number` in place of variables; InputError for others."""
    if isinstance(structure, Handle):
        variable = structure.variable
        return structure.shape, None if variable is None else number(variable)
    if isinstance(structure, list | tuple):
        return type(structure), tuple([shape_of(what, item, number) for item in structure])
    _require_nothing(what, structure, "constants are given by keyword")
    return None


def check_constant(what: str, constant: object) -> None:
    """Raise InputError unless a template's keyword argument is a constant that shapes can be told apart by."""
    if isinstance(constant, Handle):
        raise wrong_type(what, "a constant", constant, "handles are given by position")
    try:
        hash(constant)
    except TypeError:
        raise wrong_type(what, "a hashable constant", constant) from None


def _require_nothing(what: str, structure: object, hint: str = "") -> None:
    if structure is not None:
        raise wrong_type(what, "handles such as AllocatedNum, or lists and tuples of them", structure, hint)
