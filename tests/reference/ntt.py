"""Transforms and the quotient by their definitions: quadratic, in plain integers."""

from tests.reference.field import R

GENERATOR = 7


def root_of_unity(size: int) -> int:
    """Return bellperson's primitive root of unity of that order, a power of two."""
    return pow(GENERATOR, (R - 1) // size, R)


def evaluate(coefficients: list[int], point: int) -> int:
    """Return the polynomial's value, by Horner's rule."""
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * point + coefficient) % R
    return value


def ntt(values: list[int], *, inverse: bool = False, coset: bool = False) -> list[int]:
    """Return values of the polynomial on the domain (forward), or its coefficients from them (inverse)."""
    n = len(values)
    root, shift = root_of_unity(n), GENERATOR if coset else 1
    if not inverse:
        return [evaluate(values, shift * pow(root, k, R) % R) for k in range(n)]
    scale = pow(n, -1, R)
    plain = [evaluate(values, pow(root, -i, R)) for i in range(n)]
    return [x * scale * pow(shift, -i, R) % R for i, x in enumerate(plain)]


def product(a: list[int], b: list[int]) -> list[int]:
    """Return the coefficients of the product of two polynomials."""
    result = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] = (result[i + j] + x * y) % R
    return result


def quotient(a: list[int], b: list[int]) -> list[int]:
    """Return the coefficients from n on of A * B, given the n values of A and of B on the domain."""
    return product(ntt(a, inverse=True), ntt(b, inverse=True))[len(a) :]
