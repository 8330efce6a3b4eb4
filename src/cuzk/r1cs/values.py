"""Witness values as expressions: what a template's witness program is recorded from.

Nothing here has a value. While a gadget is traced it says how each allocated variable is computed; the expressions are
interned, so that equal ones are one node and are computed once. A value is a field element or a bit.
"""

from collections.abc import Sequence
from enum import IntEnum, auto
from typing import TypeAlias

from cuzk.algebra.arguments import require, require_each, wrong_type
from cuzk.algebra.fr import MODULUS
from cuzk.errors import InputError
from cuzk.r1cs.linear import Variable, not_pairs
from cuzk.r1cs.scopes import Scope

__all__ = ["Op", "Value", "Values"]

_BITS = 256  # of the integer of a field element


class Op(IntEnum):
    """How a value is computed from its operands."""

    DATA = auto()  # field element k of the data
    DATA_BIT = auto()  # bit i of field element k of the data
    VARIABLE = auto()  # value of a variable
    PRODUCT = auto()  # x * y
    LINEAR = auto()  # sum of coefficient * x, and a constant
    SELECT = auto()  # x if bit else y
    BIT = auto()  # bit i of the canonical integer of a field element
    CONSTANT_BIT = auto()  # 0 or 1, where it must be kept as a bit
    AND = auto()  # x and y
    XOR = auto()  # x xor y
    CHOICE = auto()  # y if x else z, all bits
    MAJORITY = auto()  # at least two of x, y, z
    SUM = auto()  # sum of words, each a row of bits
    SUM_BIT = auto()  # bit i of a sum
    NOT = auto()  # not x


class Value:
    """A node: an operation, its operands, and numbers that belong to the operation; never changed once made.

    DATA k, DATA_BIT (k, i), BIT i, CONSTANT_BIT value, VARIABLE variable, LINEAR (coefficient of each operand...,
    constant), SUM (bits of the sum, bits of a word), SUM_BIT i.
    """

    __slots__ = ("is_bit", "is_constant", "numbers", "op", "operands", "position", "scope")

    def __init__(
        self,
        scope: Scope,
        position: int,
        op: Op,
        operands: tuple["Value", ...],
        numbers: tuple[int, ...],
        *,
        is_bit: bool,
    ) -> None:
        self.scope = scope  # outside of it, a value means nothing
        self.position = position  # among all values in the order in which they were made: after its operands
        self.op = op
        self.operands = operands
        self.numbers = numbers
        self.is_bit = is_bit
        self.is_constant = op is Op.LINEAR and not operands  # the same number in every instance


_Key: TypeAlias = tuple[Op, tuple[Value, ...], tuple[int, ...]]


class Values:
    """Makes values and interns them. Constants are field elements; where bits are combined, 0 and 1 count as bits."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._nodes: dict[_Key, Value] = {}

    def data(self, index: int) -> Value:
        """Return field element `index` of the data that the template is given."""
        return self._node(Op.DATA, (), (index,), is_bit=False)

    def bit(self, value: Value, position: int) -> Value:
        """Return a bit of the canonical integer of a field element."""
        self.check("bit", value)
        require("bit: position", position, int)
        if not 0 <= position < _BITS:
            raise InputError(f"bit: expected a position from 0 to {_BITS - 1}, got {position}")
        if value.is_bit:
            raise InputError("bit: expected a field element, got a bit")
        if value.op is Op.DATA:
            return self._node(Op.DATA_BIT, (), (*value.numbers, position), is_bit=True)
        return self._node(Op.BIT, (value,), (position,), is_bit=True)

    def variable(self, var: Variable, *, is_bit: bool) -> Value:
        """Return the value of a variable."""
        return self._node(Op.VARIABLE, (), (var,), is_bit=is_bit)

    def product(self, x: Value, y: Value) -> Value:
        """Return x * y; of two bits, a bit."""
        self.check("product", x, y)
        if x.is_bit and y.is_bit:
            return self.conjunction(x, y)
        return self._node(Op.PRODUCT, (self.as_field(x), self.as_field(y)), (), is_bit=False)

    def constant(self, number: int) -> Value:
        """Return a field element that is the same in every instance."""
        return self.linear([], number)

    def linear(self, terms: Sequence[tuple[int, Value]], constant: int = 0) -> Value:
        """Return the sum of coefficient * value over the terms, plus a constant."""
        require("linear: constant", constant, int)
        merged: dict[Value, int] = {}
        try:
            for coefficient, value in terms:
                if not isinstance(coefficient, int):
                    raise wrong_type("linear: coefficient", "int", coefficient)
                merged[value] = merged.get(value, 0) + coefficient
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            raise not_pairs("linear", "Value", error) from error
        self.check("linear", *merged)
        scales = [coefficient % MODULUS for coefficient in merged.values()]
        if 0 in scales:
            merged = {value: scale for value, scale in zip(merged, scales, strict=True) if scale}
            scales = list(merged.values())
        constant %= MODULUS
        if len(merged) == 1:
            (value,), (scale,) = merged, scales
            if (scale, constant) == (1, 0):
                return value
            if value.is_bit and (scale, constant) == (MODULUS - 1, 1):
                return self.negation(value)
        return self._node(Op.LINEAR, tuple(merged), (*scales, constant), is_bit=False)

    def select(self, bit: Value, if_set: Value, if_clear: Value) -> Value:
        """Return one of two field elements."""
        self.check_bits("select", bit)
        self.check("select", if_set, if_clear)
        if bit.is_constant:
            return if_set if bit.numbers[0] else if_clear
        return self._node(Op.SELECT, (bit, self.as_field(if_set), self.as_field(if_clear)), (), is_bit=False)

    def conjunction(self, x: Value, y: Value) -> Value:
        """Return x and y."""
        self.check_bits("conjunction", x, y)
        for constant, other in ((x, y), (y, x)):
            if constant.is_constant:
                return other if constant.numbers[0] else self.constant(0)
        return self._node(Op.AND, (x, y), (), is_bit=True)

    def negation(self, x: Value) -> Value:
        """Return not x."""
        self.check_bits("negation", x)
        if x.is_constant:
            return self.constant(1 - x.numbers[0])
        return x.operands[0] if x.op is Op.NOT else self._node(Op.NOT, (x,), (), is_bit=True)

    def sum_bits(self, words: Sequence[Sequence[Value]], size: int) -> list[Value]:
        """Return the lowest `size` bits of a sum of words: equally many bits each, least significant first."""
        require_each("sum_bits: words", words, Sequence)
        if len({len(word) for word in words}) != 1:
            raise InputError("sum_bits: expected one word or more, of equally many bits")
        for word in words:
            self.check_bits("sum_bits", *word)
        bits = tuple(self.as_bit(bit) for word in words for bit in word)
        total = self._node(Op.SUM, bits, (size, len(words[0])), is_bit=True)
        return [self._node(Op.SUM_BIT, (total,), (i,), is_bit=True) for i in range(size)]

    def as_field(self, value: Value) -> Value:
        """Return a field element for a bit or a field element."""
        return self._node(Op.LINEAR, (value,), (1, 0), is_bit=False) if value.is_bit else value

    def as_bit(self, value: Value) -> Value:
        """Return a bit for a bit or a constant 0 or 1."""
        return self._node(Op.CONSTANT_BIT, (), value.numbers, is_bit=True) if value.is_constant else value

    def exclusive_or(self, x: Value, y: Value) -> Value:
        """Return x xor y; negations go outside."""
        self.check_bits("exclusive_or", x, y)
        negated = False
        if x.op is Op.NOT:
            negated, (x,) = True, x.operands
        if y.op is Op.NOT:
            negated, (y,) = not negated, y.operands
        for constant, other in ((x, y), (y, x)):
            if constant.is_constant:
                return self.negation(other) if negated != bool(constant.numbers[0]) else other
        if x is y:
            return self.constant(int(negated))
        result = self._node(Op.XOR, (x, y), (), is_bit=True)
        return self.negation(result) if negated else result

    def choice(self, condition: Value, if_set: Value, if_clear: Value) -> Value:
        """Return one of two bits."""
        self.check_bits("choice", condition, if_set, if_clear)
        if condition.is_constant:
            return if_set if condition.numbers[0] else if_clear
        if if_set.is_constant or if_clear.is_constant:
            set_part = self.conjunction(condition, if_set)
            clear_part = self.conjunction(self.negation(condition), if_clear)
            return self.exclusive_or(set_part, clear_part)  # at most one of them is 1
        return self._node(Op.CHOICE, (condition, if_set, if_clear), (), is_bit=True)

    def majority(self, x: Value, y: Value, z: Value) -> Value:
        """Return what at least two of three bits are."""
        self.check_bits("majority", x, y, z)
        for constant, p, q in ((x, y, z), (y, x, z), (z, x, y)):
            if constant.is_constant:
                if not constant.numbers[0]:
                    return self.conjunction(p, q)
                return self.negation(self.conjunction(self.negation(p), self.negation(q)))
        return self._node(Op.MAJORITY, (x, y, z), (), is_bit=True)

    def check(self, what: str, *values: Value) -> None:
        """Raise InputError unless these are values, and of this scope."""
        for value in values:
            if not isinstance(value, Value) or value.scope is not self._scope:
                raise self._foreign(what, value)

    def check_bits(self, what: str, *values: Value) -> None:
        """Raise InputError unless these are bits of this scope, or constants that are 0 or 1."""
        for value in values:
            if not isinstance(value, Value) or value.scope is not self._scope:
                raise self._foreign(what, value)
            if not value.is_bit and not (value.is_constant and value.numbers[0] in (0, 1)):
                raise InputError(f"{what}: expected a bit, got a field element; a bit of it is cs.values.bit(value, i)")

    def _foreign(self, what: str, value: Value) -> InputError:
        if not isinstance(value, Value):
            hint = (
                "a constant is cs.values.constant(5), what the prover is given cs.data(), that of a handle .value(cs)"
            )
            return wrong_type(what, "Value", value, hint)
        return InputError(
            f"{what}: {self._scope.title} uses a Value of {value.scope.title}: "
            f"allocate it there, hand over the handle, and take its .value(cs) here"
        )

    def _node(self, op: Op, operands: tuple[Value, ...], numbers: tuple[int, ...], *, is_bit: bool) -> Value:
        key = (op, operands, numbers)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Value(self._scope, len(self._nodes), op, operands, numbers, is_bit=is_bit)
        return node
