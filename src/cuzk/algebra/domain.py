"""Number-theoretic transforms over Fr and the Groth16 quotient, on domains of 2^k roots of unity in natural order."""

from cuzk import _native
from cuzk.algebra import fr
from cuzk.algebra.arrays import Elements, check_elements, check_threads, check_writable
from cuzk.errors import InputError

__all__ = ["ntt", "quotient"]


def ntt(values: Elements, *, inverse: bool = False, coset: bool = False, threads: int = 1) -> None:
    """Transform Fr[n] in place, natural order in and out; n is a power of two up to 2^32.

    Forward takes coefficients to values at w^j, w = fr.root_of_unity(log2 n); with `coset`, at 7 * w^j. `inverse` is
    the way back. A value that is not canonical is refused before anything is changed.
    """
    _check_vector(values, "values", fr.TWO_ADICITY)
    check_threads(threads)
    _native.ntt(values, inverse, coset, threads)


def quotient(a: Elements, b: Elements, *, threads: int = 1) -> Elements:
    """Return h, the upper n - 1 coefficients of A * B, from the values a and b of A and B on the domain; Fr[n - 1].

    Where c = a * b on the domain, h = (A * B - C) / (X^n - 1). Consumes a and b: the result is a view of a, and b holds
    nothing of use afterwards. n is a power of two up to 2^31. Source: A * B modulo X^n - 1 and modulo X^n + 1 are two
    cyclic products of n values, and half their difference is h; this equals bellperson's h without its last, zero,
    coefficient.
    """
    _check_vector(a, "a", fr.TWO_ADICITY - 1)
    _check_vector(b, "b", fr.TWO_ADICITY - 1)
    if len(a) != len(b):
        raise InputError(f"quotient: a and b must have one length, got {len(a)} and {len(b)}")
    check_threads(threads)
    _native.quotient(a, b, threads)
    return a[:-1]


def _check_vector(values: Elements, name: str, max_log2: int) -> None:
    check_elements(values, 4, name)
    check_writable(values, name)
    size = len(values)
    if size == 0 or size & (size - 1) or size > 1 << max_log2:
        raise InputError(f"{name}: expected a power of two up to 2^{max_log2} values, got {size}")
