"""Checks of arrays and arguments at the door to the kernels, with sentences for errors."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra.arguments import require
from cuzk.errors import InputError

__all__ = ["MAX_THREADS", "Elements", "check_elements", "check_threads", "check_vector", "check_writable"]

#: More than any machine has; the system gives out only so many, and a kernel starts them all.
MAX_THREADS = 1024

Elements: TypeAlias = NDArray[np.uint64]  # uint64[n, limbs]: canonical field elements, little-endian limbs


def check_elements(array: Elements, limbs: int, name: str, *, length: int | None = None) -> None:
    """Raise InputError unless `array` is a C-contiguous uint64[length, limbs]; the values are the kernels' to check."""
    rows = "n" if length is None else str(length)
    _check(array, np.uint64, (length, limbs), f"uint64[{rows}, {limbs}]", name)


def check_vector(array: NDArray[Any], dtype: type[np.generic], name: str, *, length: int | None = None) -> None:
    """Raise InputError unless `array` is a C-contiguous vector of that type and, if given, length."""
    rows = "n" if length is None else str(length)
    _check(array, dtype, (length,), f"{np.dtype(dtype).name}[{rows}]", name)


def check_threads(threads: int) -> None:
    """Raise InputError unless `threads` is from 1 to MAX_THREADS."""
    require("threads", threads, int)
    if not 1 <= threads <= MAX_THREADS:
        raise InputError(f"threads: expected 1 to {MAX_THREADS}, got {threads}")


def check_writable(array: NDArray[Any], name: str) -> None:
    """Raise InputError if `array`, which is changed in place, is read-only."""
    if not array.flags.writeable:
        raise InputError(f"{name}: is changed in place, but it is read-only")


def _check(array: NDArray[Any], dtype: type[np.generic], shape: tuple[int | None, ...], want: str, name: str) -> None:
    if not isinstance(array, np.ndarray):
        raise InputError(f"{name}: expected {want}, got {type(array).__name__}")
    fits = len(array.shape) == len(shape) and all(w in (None, s) for s, w in zip(array.shape, shape, strict=True))
    if array.dtype != dtype or not fits:
        raise InputError(f"{name}: expected {want}, got {array.dtype}{list(array.shape)}")
    if not array.flags.c_contiguous:
        raise InputError(f"{name}: expected a C-contiguous array")
