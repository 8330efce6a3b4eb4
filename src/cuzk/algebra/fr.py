"""Fr, the scalar field of BLS12-381: uint64[n, 4], canonical, little-endian limbs.

The parameters are those of the zkcrypto curve description; the multiplicative generator 7 is bellperson's choice and
fixes the roots of unity and the coset.
"""

from typing import TypeAlias

from cuzk.algebra.arrays import Elements
from cuzk.algebra.prime_field import PrimeField
from cuzk.errors import InputError

__all__ = [
    "GENERATOR",
    "MODULUS",
    "TWO_ADICITY",
    "FrArray",
    "add",
    "from_bytes",
    "from_ints",
    "inverse",
    "mul",
    "root_of_unity",
    "sub",
    "to_bytes",
    "to_ints",
]

FrArray: TypeAlias = Elements  # uint64[n, 4]

MODULUS = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
GENERATOR = 7  # of the multiplicative group
TWO_ADICITY = 32  # 2^32 divides MODULUS - 1

_FIELD = PrimeField("fr", MODULUS, limbs=4)

from_ints = _FIELD.from_ints
to_ints = _FIELD.to_ints
from_bytes = _FIELD.from_bytes
to_bytes = _FIELD.to_bytes
add = _FIELD.add
sub = _FIELD.sub
mul = _FIELD.mul
inverse = _FIELD.inverse


def root_of_unity(log2_size: int) -> int:
    """Return the primitive root of unity of order 2^log2_size, GENERATOR^((MODULUS - 1) / 2^log2_size)."""
    if not 0 <= log2_size <= TWO_ADICITY:
        raise InputError(f"root_of_unity: expected a logarithm from 0 to {TWO_ADICITY}, got {log2_size}")
    return pow(GENERATOR, (MODULUS - 1) >> log2_size, MODULUS)
