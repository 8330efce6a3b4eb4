"""Bits packed into field elements.

Source: argumentcomputer/bellpepper, bellpepper/src/gadgets/multipack.rs.
"""

from collections.abc import Sequence

from cuzk.algebra.arguments import require_each
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.number import AllocatedNum
from cuzk.r1cs import ONE, ConstraintSystem, LinearCombination

__all__ = ["CAPACITY", "pack_bits", "pack_into_inputs"]

CAPACITY = 254  # bits that every field element can hold


def pack_into_inputs(cs: ConstraintSystem, bits: Sequence[Boolean]) -> None:
    """Make bits public, little-endian, CAPACITY of them an input: one input and one row packed * 1 = input for each."""
    require_each("pack_into_inputs", bits, Boolean)
    for i, start in enumerate(range(0, len(bits), CAPACITY)):
        packed = _packed(bits[start : start + CAPACITY])
        public = LinearCombination([(1, cs.alloc_input(cs.evaluate(packed)))])
        cs.enforce(f"packing constraint {i}", packed, LinearCombination([(1, ONE)]), public)


def pack_bits(cs: ConstraintSystem, bits: Sequence[Boolean]) -> AllocatedNum:
    """Return at most CAPACITY bits, little-endian, as a number: one aux, one row packed * 1 = number."""
    require_each("pack_bits", bits, Boolean)
    if len(bits) > CAPACITY:
        raise InputError(f"pack_bits: expected at most {CAPACITY} bits, got {len(bits)}")
    packed = _packed(bits)
    number = AllocatedNum.alloc(cs, cs.evaluate(packed))
    cs.enforce("packing constraint", packed, LinearCombination([(1, ONE)]), number.combination())
    return number


def _packed(bits: Sequence[Boolean]) -> LinearCombination:
    return LinearCombination.weighted((1 << i, bit.combination()) for i, bit in enumerate(bits))
