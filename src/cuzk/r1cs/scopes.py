"""Scopes: every tracing of a template has a number of its own, which its variables carry.

So a variable of one template is never taken for another's, and whoever uses one that it was not given is told which, by
the name that it has in the code.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cuzk.algebra.arguments import wrong_type
from cuzk.errors import InputError
from cuzk.r1cs.handles import Handle
from cuzk.r1cs.linear import ONE, Kind, LinearCombination, Variable, index_of, kind_of, scope_of

__all__ = ["Scope", "Scopes", "name_of"]

_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False)
class Scope:
    """One tracing of a gadget."""

    gadget: Callable[..., Any]
    title: str
    number: int = field(default_factory=lambda: next(_numbers))


class Scopes:
    """The scopes of one circuit: those being traced, the innermost last, and the titles of all."""

    def __init__(self) -> None:
        self.innermost: Scope | None = None
        self._open: list[Scope] = []
        self._titles: dict[int, str] = {}

    @contextmanager
    def opened(self, gadget: Callable[..., Any], title: str) -> Iterator[Scope]:
        """Trace a gadget inside the `with` block."""
        scope, outer = Scope(gadget, title), self.innermost
        self._titles[scope.number] = title
        self._open.append(scope)
        self.innermost = scope
        try:
            yield scope
        finally:
            self._open.pop()
            self.innermost = outer

    def not_innermost(self, scope: Scope) -> InputError:
        """Return the error for a constraint system that is used while another gadget runs, or after its own."""
        if self.innermost is None or scope not in self._open:
            return InputError(f"the constraint system of {scope.title} is used after {scope.title} was traced")
        return InputError(
            f"{self.innermost.title} uses the constraint system of {scope.title}: "
            f"a template writes to the one that is its first argument"
        )

    def foreign(self, scope: Scope, var: Variable) -> InputError:
        """Return the error for something that is not a variable of this scope."""
        if not isinstance(var, int):
            return wrong_type(f"variable of {scope.title}", "Variable", var, "a handle's is .variable")
        if scope is not self.innermost:
            return self.not_innermost(scope)
        if var == ONE:
            return InputError(f"{scope.title}: ONE is the same everywhere, no template takes or returns a handle of it")
        if not scope_of(var):
            return InputError(f"{scope.title} uses {var} as a Variable: a term is (coefficient, variable)")
        name = _name_in(scope.gadget, var)
        kind = "argument" if kind_of(var) is Kind.FORMAL else kind_of(var).name.lower()
        uses = f"{scope.title} uses {name or 'a variable'}, which is {kind} {index_of(var)} of"
        if scope_of(var) not in self._titles:
            return InputError(f"{uses} another circuit")
        uses = f"{uses} {self._titles[scope_of(var)]}"
        if any(other.number == scope_of(var) for other in self._open):
            return InputError(f"{uses}: pass its handle by position, {name_of(scope.gadget)}(cs, {name or '...'})")
        return InputError(f"{uses}: return it from there, as a handle, and use what the call returns")


def name_of(gadget: Callable[..., Any]) -> str:
    """Return the name of a gadget."""
    name: str = getattr(gadget, "__name__", type(gadget).__name__)
    return name


def _name_in(gadget: Callable[..., Any], var: Variable) -> str | None:
    """Return the name that the code of a gadget has for something from outside with this variable, if it is found."""
    try:
        outside = inspect.getclosurevars(gadget)
    except TypeError:  # not a Python function
        return None
    around = {**outside.globals, **outside.nonlocals}
    return next((name for name, thing in around.items() if _mentions(thing, var)), None)


def _mentions(thing: object, var: Variable) -> bool:
    match thing:
        case Handle():
            return thing.variable == var
        case LinearCombination():
            return var in thing.terms
        case list() | tuple():
            return any(_mentions(item, var) for item in thing)
        case _:
            return isinstance(thing, int) and thing == var
