"""Numbers: field elements held by one variable, or by a linear combination.

Source: argumentcomputer/bellpepper, bellpepper-core/src/gadgets/num.rs; rust-fil-proofs, storage-proofs-core
gadgets/constraint.rs.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Self

from cuzk.algebra.arguments import require, require_each
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.r1cs import ONE, ConstraintSystem, Handle, LinearCombination, Value, Variable, template

__all__ = ["NUM_BITS", "AllocatedNum", "add", "alloc_bits", "enforce_equal", "pick", "select"]

NUM_BITS = 255  # bits of a field element

_ONE = LinearCombination([(1, ONE)])


@dataclass(slots=True)
class AllocatedNum(Handle):
    """A field element held by a variable."""

    variable: Variable

    @staticmethod
    def alloc(cs: ConstraintSystem, value: Value) -> "AllocatedNum":
        """Allocate a number: one aux, no row."""
        return AllocatedNum(cs.alloc(value))

    def inputize(self, cs: ConstraintSystem) -> None:
        """Make the number public: one input, one row input * 1 = self."""
        public = LinearCombination([(1, cs.alloc_input(self.value(cs)))])
        cs.enforce("enforce input is correct", public, _ONE, self.combination())

    def square(self, cs: ConstraintSystem) -> "AllocatedNum":
        """Return self * self: one aux, one row."""
        x = self.value(cs)
        result = AllocatedNum.alloc(cs, cs.values.product(x, x))
        cs.enforce("squaring constraint", self.combination(), self.combination(), result.combination())
        return result

    def product(self, cs: ConstraintSystem, other: "AllocatedNum") -> "AllocatedNum":
        """Return self * other: one aux, one row."""
        require("product: other", other, AllocatedNum)
        result = AllocatedNum.alloc(cs, cs.values.product(self.value(cs), other.value(cs)))
        cs.enforce("multiplication constraint", self.combination(), other.combination(), result.combination())
        return result

    def to_bits(self, cs: ConstraintSystem) -> Sequence[Boolean]:
        """Return 255 bits that are the number modulo r, least significant first: 255 aux, 256 rows.

        A prover may take those of number + r, where these fit, since nothing demands that the bits be below r.
        """
        return _unpacked(cs, self)

    def value(self, cs: ConstraintSystem) -> Value:
        """Return the number's value."""
        return cs.value(self.variable)

    def combination(self) -> LinearCombination:
        """Return the number as a linear combination."""
        return LinearCombination([(1, self.variable)])

    @property
    def shape(self) -> Hashable:
        """What templates depend on."""
        return AllocatedNum

    def renamed(self, variable: Variable) -> Self:
        """Return a number held by another variable."""
        return type(self)(variable)


@template
def _unpacked(cs: ConstraintSystem, number: AllocatedNum) -> Sequence[Boolean]:
    bits = alloc_bits(cs, number.value(cs))
    packed = LinearCombination.weighted((1 << i, bit.combination()) for i, bit in enumerate(bits))
    nothing = LinearCombination()
    cs.enforce("unpacking constraint", nothing, nothing, packed - number.combination())
    return bits


def alloc_bits(cs: ConstraintSystem, value: Value, count: int = NUM_BITS) -> list[Boolean]:
    """Allocate the low bits of a field element, least significant first: an aux and a row for each."""
    require("alloc_bits: count", count, int)
    if not 0 <= count <= NUM_BITS:
        raise InputError(f"alloc_bits: expected 0 to {NUM_BITS} bits, got {count}")
    bits = []
    for i in range(count):
        with cs.namespace(f"bit {i}"):
            bits.append(Boolean.alloc(cs, cs.values.bit(value, i)))
    return bits


def add(cs: ConstraintSystem, a: AllocatedNum, b: AllocatedNum) -> AllocatedNum:
    """Return a + b: one aux, one row (a + b) * 1 = sum."""
    require_each("add", (a, b), AllocatedNum)
    total = a.combination() + b.combination()
    result = AllocatedNum.alloc(cs, cs.evaluate(total))
    cs.enforce("sum constraint", total, _ONE, result.combination())
    return result


def enforce_equal(cs: ConstraintSystem, name: str, a: AllocatedNum, b: AllocatedNum) -> None:
    """Enforce a * 1 = b."""
    require_each("enforce_equal", (a, b), AllocatedNum)
    cs.enforce(name, a.combination(), _ONE, b.combination())


def pick(cs: ConstraintSystem, condition: Boolean, a: AllocatedNum, b: AllocatedNum) -> AllocatedNum:
    """Return a if the condition holds, else b: one aux, one row (b - a) * condition = b - c.

    Source: rust-fil-proofs, storage-proofs-core/src/gadgets/insertion.rs.
    """
    require("pick: condition", condition, Boolean)
    require_each("pick", (a, b), AllocatedNum)
    bit = cs.evaluate(condition.combination())
    c = AllocatedNum.alloc(cs, cs.values.select(bit, a.value(cs), b.value(cs)))
    cs.enforce(
        "pick",
        b.combination() - a.combination(),
        condition.combination(),
        b.combination() - c.combination(),
    )
    return c


def select(cs: ConstraintSystem, numbers: Sequence[AllocatedNum], bits: Sequence[Boolean]) -> AllocatedNum:
    """Return the number at the position that the bits say, least significant first, out of 2^bits numbers.

    Source: rust-fil-proofs, storage-proofs-core/src/gadgets/insertion.rs.
    """
    require_each("select: numbers", numbers, AllocatedNum)
    require_each("select: bits", bits, Boolean)
    if len(numbers) != 1 << len(bits):
        raise InputError(f"select: expected {1 << len(bits)} numbers for {len(bits)} bits, got {len(numbers)}")
    chosen = list(numbers)
    for i, bit in enumerate(reversed(bits)):
        half = len(chosen) // 2
        picked = []
        for j in range(half):
            with cs.namespace(f"pick {i}, {j}"):
                picked.append(pick(cs, bit, chosen[half + j], chosen[j]))
        chosen = picked
    return chosen[0]
