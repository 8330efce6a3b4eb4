"""Witness programs: values turned into straight-line code over registers, for native/witness to execute.

A program computes one leaf instance: its aux, its inputs, and the values of A and B on its rows. A value is computed
once, stored to every place that holds it, and its register is free again after its last use, so that the registers of
a block of instances stay in the first-level cache. The code is a sequence of 32-bit words; native/witness/program.hpp
describes each instruction.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra.fr import MODULUS
from cuzk.r1cs.coefficients import CoefficientTable
from cuzk.r1cs.linear import Variable
from cuzk.r1cs.values import Op, Value

__all__ = ["Place", "Program", "Store", "compile_program", "variables_needed"]


class Place(IntEnum):
    """What a stored value becomes; the number with it counts within the leaf."""

    AUX = 0  # a field element: among the wide aux; a bit: among all aux
    A = 1  # a row
    B = 2
    INPUT = 3


class Store(NamedTuple):
    """A value and the place where it must be written."""

    place: Place
    number: int
    value: Value


@dataclass(frozen=True)
class Program:
    """Straight-line code and the registers it needs."""

    code: NDArray[np.int32]
    field_registers: int
    bit_registers: int


class _Code(IntEnum):
    LOAD_FIELD = 0
    LOAD_BIT = 1
    DATA = 2
    DATA_BIT = 3
    PRODUCT = 4
    LINEAR = 5
    SELECT = 6
    AND = 7
    NOT = 8
    STORE_FIELD = 9
    STORE_BIT = 10
    STORE_CONSTANT = 11
    CONSTANT_BIT = 12
    BIT = 13
    XOR = 14
    CHOICE = 15
    MAJORITY = 16
    PACK = 17
    STORE_CHOSEN = 18
    SUM = 19


_MAX_CHOSEN_BY = 2  # bits; there are 2^bits values to choose from
_PACKED_BITS = 254  # that many bits next to each other are below r


def compile_program(
    stores: Sequence[Store],
    definitions: Mapping[Variable, Value],
    formals: Mapping[Variable, int],
    coefficients: CoefficientTable,
    first_data: int,
) -> tuple[Program, list[Variable]]:
    """Compile the stores, in order; return the program and the variables that it loads.

    A variable is defined here or is formal number `formals[variable]`. Data is counted from `first_data`, so that a
    leaf finds what an earlier one of the same template was given at a negative number.
    """
    resolve = _Resolver(definitions)
    places: dict[Value, list[Store]] = {}
    for store in stores:
        places.setdefault(resolve(store.value), []).append(store)
    order = _computation_order(places, resolve)
    program = _Emitter(order, places, formals, coefficients, first_data).program()
    return program, _loaded(order)


def variables_needed(stores: Iterable[Store], definitions: Mapping[Variable, Value]) -> list[Variable]:
    """Return the variables that the stored values need and that are not defined here, in order of first use."""
    resolve = _Resolver(definitions)
    return _loaded(_computation_order(dict.fromkeys(resolve(store.value) for store in stores), resolve))


#: Values in the order of their computation, each with its operands.
_Order: TypeAlias = Mapping[Value, Sequence[Value]]


def _loaded(order: _Order) -> list[Variable]:
    return [Variable(value.numbers[0]) for value in order if value.op is Op.VARIABLE]


class _Resolver:
    """Replaces the value of a variable defined here by what defines it."""

    def __init__(self, definitions: Mapping[Variable, Value]) -> None:
        self._definitions = definitions

    def __call__(self, value: Value) -> Value:
        while value.op is Op.VARIABLE and (definition := self._definitions.get(Variable(value.numbers[0]))):
            value = definition
        return value


def _computation_order(wanted: Iterable[Value], resolve: _Resolver) -> _Order:
    """Return the wanted values and all they need, operands first, otherwise in the order given."""
    done: dict[Value, Sequence[Value]] = {}
    operands_of: dict[Value, Sequence[Value]] = {}
    for root in wanted:
        pending = [root]
        while pending:
            value = pending[-1]
            operands = operands_of.get(value)
            if operands is None:
                operands = operands_of[value] = [resolve(x) for x in value.operands]
                missing = [x for x in operands if x not in done]
                if missing:
                    pending.extend(reversed(missing))
                    continue
            done.setdefault(pending.pop(), operands)
    return done


class _Emitter:
    def __init__(
        self,
        order: _Order,
        places: Mapping[Value, list[Store]],
        formals: Mapping[Variable, int],
        coefficients: CoefficientTable,
        first_data: int,
    ) -> None:
        self._order, self._places = order, places
        self._formals, self._coefficients, self._first_data = formals, coefficients, first_data
        self._words: list[int] = []
        self._registers: dict[Value, int] = {}
        self._sums: dict[Value, list[int]] = {}
        self._free: dict[bool, list[int]] = {False: [], True: []}
        self._used = {False: 0, True: 0}

    def program(self) -> Program:
        last_use = {x: value for value, operands in self._order.items() for x in operands}
        for value, operands in self._order.items():
            last_used = [x for x in dict.fromkeys(operands) if last_use[x] is value]
            # A constant or one of a few constants that is only stored needs no register.
            if value in last_use or not (value.is_constant or _is_chosen(value)):
                self._compute(value, operands, last_used)
                self._store(value, operands)
                self._release([] if value in last_use else [value])
            else:
                self._store(value, operands)
                self._release(last_used)
        return Program(np.array(self._words, dtype=np.int32), self._used[False], self._used[True])

    def _compute(self, value: Value, operands: Sequence[Value], last_used: Iterable[Value]) -> None:
        """Emit the instruction that puts a value into a register; release the registers of `last_used`."""
        match value.op:
            case Op.SUM:
                size, word_size = value.numbers
                self._sums[value] = [self._acquire(is_bit=True) for _ in range(size)]
                registers = [self._registers[x] for x in operands]
                self._emit(_Code.SUM, size, len(operands) // word_size, word_size, *self._sums[value], *registers)
                self._release(last_used)
            case Op.SUM_BIT:
                self._registers[value] = self._sums[operands[0]][value.numbers[0]]
            case _:
                code, *arguments = self._instruction(value, operands)
                # The destination may be an operand's register: an instruction reads its operands first.
                self._release(last_used)
                self._registers[value] = self._acquire(value.is_bit)
                self._emit(code, self._registers[value], *arguments)

    def _instruction(self, value: Value, operands: Sequence[Value]) -> list[int]:
        """Return the instruction's words without the destination, which comes second."""
        registers = [self._registers[x] for x in operands]
        match value.op:
            case Op.VARIABLE:
                code = _Code.LOAD_BIT if value.is_bit else _Code.LOAD_FIELD
                return [code, self._formals[Variable(value.numbers[0])]]
            case Op.BIT:
                return [_Code.BIT, *registers, *value.numbers]
            case Op.CONSTANT_BIT:
                return [_Code.CONSTANT_BIT, value.numbers[0]]
            case Op.DATA | Op.DATA_BIT:
                index, *bit = value.numbers
                return [_Code[value.op.name], index - self._first_data, *bit]
            case Op.LINEAR:
                return self._linear(value, operands)
            case _:
                return [_Code[value.op.name], *registers]

    def _linear(self, value: Value, operands: Sequence[Value]) -> list[int]:
        """Return PACK or LINEAR.

        PACK: constant, count, bits and positions. LINEAR: constant, four counts, then scaled, added and subtracted
        field elements, and scaled bits.
        """
        constant = self._coefficients[value.numbers[-1]]
        if _is_packed(value):
            positions = [coefficient.bit_length() - 1 for coefficient in value.numbers[:-1]]
            packed = zip((self._registers[x] for x in operands), positions, strict=True)
            return [_Code.PACK, constant, len(operands), *(word for pair in packed for word in pair)]
        scaled, added, subtracted, bits = [], [], [], []
        for operand, coefficient in zip(operands, value.numbers, strict=False):
            register = self._registers[operand]
            if operand.is_bit:
                bits += [self._coefficients[coefficient], register]
            elif coefficient == 1:
                added.append(register)
            elif coefficient == MODULUS - 1:
                subtracted.append(register)
            else:
                scaled += [self._coefficients[coefficient], register]
        counts = [len(scaled) // 2, len(added), len(subtracted), len(bits) // 2]
        return [_Code.LINEAR, constant, *counts, *scaled, *added, *subtracted, *bits]

    def _store(self, value: Value, operands: Sequence[Value]) -> None:
        places = self._places.get(value)
        if places:
            words = (store.number << 2 | store.place for store in places)
            self._emit(*self._store_head(value, operands), len(places), *words)

    def _store_head(self, value: Value, operands: Sequence[Value]) -> list[int]:
        """Return the instruction that stores a value, up to the places."""
        if value.is_constant:
            return [_Code.STORE_CONSTANT, self._coefficients[value.numbers[-1]]]
        if value in self._registers:
            return [_Code.STORE_BIT if value.is_bit else _Code.STORE_FIELD, self._registers[value]]
        *scales, constant = value.numbers
        choices = []
        for bits in range(1 << len(operands)):
            chosen = constant + sum(scale for i, scale in enumerate(scales) if bits >> i & 1)
            choices.append(self._coefficients[chosen % MODULUS])
        return [_Code.STORE_CHOSEN, len(operands), *(self._registers[x] for x in operands), *choices]

    def _emit(self, *words: int) -> None:
        self._words.extend(words)

    def _acquire(self, is_bit: bool) -> int:
        if self._free[is_bit]:
            return self._free[is_bit].pop()
        self._used[is_bit] += 1
        return self._used[is_bit] - 1

    def _release(self, values: Iterable[Value]) -> None:
        for value in values:
            if value.op is not Op.SUM:  # whose bits have registers, not it itself
                self._free[value.is_bit].append(self._registers.pop(value))


def _is_chosen(value: Value) -> bool:
    """Whether a value is one of a few constants, chosen by bits."""
    return value.op is Op.LINEAR and len(value.operands) <= _MAX_CHOSEN_BY and all(x.is_bit for x in value.operands)


def _is_packed(value: Value) -> bool:
    """Whether a linear combination is bits at different positions of an integer below r."""
    *scales, constant = value.numbers
    occupied = constant
    for scale in scales:
        if scale.bit_count() != 1 or occupied & scale:
            return False
        occupied |= scale
    return occupied < 1 << _PACKED_BITS and all(x.is_bit for x in value.operands)
