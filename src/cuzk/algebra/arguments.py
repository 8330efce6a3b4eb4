"""Checks of the types of arguments, with sentences: Python itself would fail later, and somewhere else."""

from collections.abc import Sequence

from cuzk.errors import InputError

__all__ = ["require", "require_each", "wrong_type"]


def wrong_type(what: str, expected: str, got: object, hint: str = "") -> InputError:
    """Return the error for something of a wrong type; the hint says how to come by the right one."""
    return InputError(f"{what}: expected {expected}, got {type(got).__name__}{hint and f'; {hint}'}")


def require(what: str, got: object, kind: type, hint: str = "") -> None:
    """Raise InputError unless `got` is of a kind."""
    if not isinstance(got, kind):
        raise wrong_type(what, kind.__name__, got, hint)


def require_each(what: str, got: object, kind: type) -> None:
    """Raise InputError unless `got` is a sequence of things of a kind."""
    if not isinstance(got, Sequence):
        raise wrong_type(what, f"a sequence of {kind.__name__}", got)
    for number, item in enumerate(got):
        if not isinstance(item, kind):
            raise wrong_type(f"{what}[{number}]", kind.__name__, item)
