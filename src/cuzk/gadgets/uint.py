"""Unsigned integers of 32 and 64 bits as booleans, least significant first.

Source: argumentcomputer/bellpepper, bellpepper/src/gadgets/uint32.rs; rust-fil-proofs, storage-proofs-core
gadgets/uint64.rs.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from cuzk.algebra.arguments import require, require_each
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.multieq import MultiEq
from cuzk.r1cs import ConstraintSystem, LinearCombination, Value

__all__ = ["Bits", "add_many", "alloc_uint64", "bitwise", "constant_uint", "rotate_right", "shift_right"]

#: A word, least significant bit first.
Bits: TypeAlias = Sequence[Boolean]

_WORD = 32
_MAX_OPERANDS = 10


def constant_uint(value: int, size: int = _WORD) -> Bits:
    """Return a constant of `size` bits."""
    require("constant_uint", value, int)
    if not 0 <= value < 1 << size:
        raise InputError(f"constant_uint: expected 0 to 2^{size} - 1, got {value}")
    return [Boolean.constant(bool(value >> i & 1)) for i in range(size)]


def alloc_uint64(cs: ConstraintSystem, value: Value) -> Bits:
    """Allocate the 64 low bits of a field element: 64 aux, 64 rows."""
    bits = []
    for i in range(64):
        with cs.namespace(f"allocated bit {i}"):
            bits.append(Boolean.alloc(cs, cs.values.bit(value, i)))
    return bits


def rotate_right(word: Bits, count: int) -> Bits:
    """Rotate towards the least significant bit."""
    return [*word[count:], *word[:count]]


def shift_right(word: Bits, count: int) -> Bits:
    """Shift towards the least significant bit."""
    return [*word[count:], *[Boolean.constant(False)] * count]


def bitwise(cs: ConstraintSystem, name: str, gadget: Callable[..., Boolean], *words: Bits) -> Bits:
    """Apply a gadget to each position of the words, in namespaces `name` and the position."""
    if len({len(word) for word in words}) != 1:
        raise InputError(f"{name}: expected words of equally many bits, got {[len(word) for word in words]}")
    result = []
    for i, bits in enumerate(zip(*words, strict=True)):
        with cs.namespace(f"{name} {i}"):
            result.append(gadget(cs, *bits))
    return result


def add_many(cs: ConstraintSystem, equalities: MultiEq, operands: Sequence[Bits]) -> Bits:
    """Return the sum of words modulo 2^32: an aux and a row for each bit that the sum can have, and one equality.

    A sum of constants is a constant.
    """
    if not 2 <= len(operands) <= _MAX_OPERANDS:
        raise InputError(f"addition: expected 2 to {_MAX_OPERANDS} operands, got {len(operands)}")
    for operand in operands:
        require_each("addition: operand", operand, Boolean)
        if len(operand) != _WORD:
            raise InputError(f"addition: expected operands of {_WORD} bits, got {len(operand)}")
    if all(bit.is_constant for operand in operands for bit in operand):
        return constant_uint(sum(_constant(operand) for operand in operands) % (1 << _WORD))
    size = (len(operands) * ((1 << _WORD) - 1)).bit_length()
    values = cs.values.sum_bits([[bit.value(cs) for bit in operand] for operand in operands], size)
    result = []
    for i, value in enumerate(values):
        with cs.namespace(f"result bit {i}"):
            result.append(Boolean.alloc(cs, value))
    total = LinearCombination.weighted((1, _packed(operand)) for operand in operands)
    equalities.enforce_equal(size, total, _packed(result))
    return result[:_WORD]


def _constant(word: Bits) -> int:
    return sum(bit.negated << i for i, bit in enumerate(word))


def _packed(word: Bits) -> LinearCombination:
    return LinearCombination.weighted((1 << i, bit.combination()) for i, bit in enumerate(word))
