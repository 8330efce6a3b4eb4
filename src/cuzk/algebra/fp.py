"""Fp, the base field of BLS12-381: uint64[n, 6], canonical, little-endian limbs."""

from cuzk.algebra.prime_field import PrimeField

__all__ = ["MODULUS", "add", "from_bytes", "from_ints", "inverse", "mul", "sub", "to_bytes", "to_ints"]

MODULUS = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB

_FIELD = PrimeField("fp", MODULUS, limbs=6)

from_ints = _FIELD.from_ints
to_ints = _FIELD.to_ints
from_bytes = _FIELD.from_bytes
to_bytes = _FIELD.to_bytes
add = _FIELD.add
sub = _FIELD.sub
mul = _FIELD.mul
inverse = _FIELD.inverse
