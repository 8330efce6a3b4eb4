"""Handles: what gadgets hand to templates and get back, a variable and how it is meant.

`AllocatedNum` and `Boolean` of `cuzk.gadgets` are handles; lists and tuples of them travel as they are. A handle's
shape is everything about it but which variable it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, Self

from cuzk.r1cs.linear import Variable

__all__ = ["Handle", "map_handles", "shape_of"]


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


def map_handles(structure: Any, rename: Callable[[Variable], Variable]) -> Any:
    """Replace the variables of all handles in nested lists and tuples; anything else stays as it is."""
    if isinstance(structure, list | tuple):
        return type(structure)([map_handles(item, rename) for item in structure])
    if isinstance(structure, Handle):
        return structure if structure.variable is None else structure.renamed(rename(structure.variable))
    return structure


def shape_of(structure: Any, number: Callable[[Variable], Hashable]) -> Hashable:
    """Describe nested lists and tuples of handles and hashable constants, with `number` in place of variables."""
    if isinstance(structure, list | tuple):
        return type(structure), tuple([shape_of(item, number) for item in structure])
    if isinstance(structure, Handle):
        variable = structure.variable
        return structure.shape, None if variable is None else number(variable)
    return structure  # type: ignore[no-any-return]
