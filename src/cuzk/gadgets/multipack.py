"""Bits packed into field elements.

Source: argumentcomputer/bellpepper, bellpepper/src/gadgets/multipack.rs.
"""

from collections.abc import Sequence

from cuzk.gadgets.boolean import Boolean
from cuzk.r1cs import ONE, ConstraintSystem, LinearCombination

__all__ = ["CAPACITY", "pack_into_inputs"]

CAPACITY = 254  # bits that every field element can hold


def pack_into_inputs(cs: ConstraintSystem, bits: Sequence[Boolean]) -> None:
    """Make bits public, little-endian, CAPACITY of them an input: one input and one row packed * 1 = input for each."""
    for i, start in enumerate(range(0, len(bits), CAPACITY)):
        packed = LinearCombination()
        for position, bit in enumerate(bits[start : start + CAPACITY]):
            packed += bit.combination(1 << position)
        public = LinearCombination([(1, cs.alloc_input(cs.evaluate(packed)))])
        cs.enforce(f"packing constraint {i}", packed, LinearCombination([(1, ONE)]), public)
