"""Witness programs: values turned into straight-line code over registers, for native/witness to execute.

A program computes one leaf instance: its aux, its inputs, and the values of A and B on its rows. A value is computed
once, stored to every place that holds it, and its register is free again after its last use, so that the registers of
a block of instances stay in the first-level cache. The code is a sequence of 32-bit words; native/witness/program.hpp
describes each instruction.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra.fr import MODULUS
from cuzk.r1cs.coefficients import CoefficientTable
from cuzk.r1cs.linear import Variable
from cuzk.r1cs.values import Op, Value

__all__ = ["Place", "Program", "Stores", "compile_program", "variables_needed"]


class Place(IntEnum):
    """What a stored value becomes; the number with it counts within the leaf."""

    AUX = 0  # a field element: among the wide aux; a bit: among all aux
    A = 1  # a row
    B = 2
    INPUT = 3


class Stores:
    """Values and the places where they must be written."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.places: list[int] = []  # as instructions have them

    def add(self, place: Place, number: int, value: Value) -> None:
        """Add the place that is `number` of its kind within the leaf."""
        self.values.append(value)
        self.places.append(number << 2 | place)

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.values)


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


_CODE_OF = {op: _Code[op.name] for op in Op if op.name in _Code.__members__}

_MAX_CHOSEN_BY = 2  # bits; there are 2^bits values to choose from
_PACKED_BITS = 254  # that many bits next to each other are below r


def compile_program(
    stores: Stores, formals: Mapping[Variable, int], coefficients: CoefficientTable, first_data: int
) -> tuple[Program, list[Variable]]:
    """Compile the stores; return the program and the variables that it loads.

    A variable is formal number `formals[variable]`. Data is counted from `first_data`, so that a leaf finds what an
    earlier one of the same template was given at a negative number.
    """
    places: dict[Value, list[int]] = {}
    for value, place in zip(stores.values, stores.places, strict=True):
        if value in places:
            places[value].append(place)
        else:
            places[value] = [place]
    order = _computation_order(places)
    program = _Emitter(order, places, formals, coefficients, first_data).program()
    return program, _loaded(order)


def variables_needed(stores: Stores) -> list[Variable]:
    """Return the variables that the stored values need, in order of first use."""
    return _loaded(_computation_order(stores.values))


def _loaded(order: Iterable[Value]) -> list[Variable]:
    return [Variable(value.numbers[0]) for value in order if value.op is Op.VARIABLE]


def _computation_order(wanted: Iterable[Value]) -> list[Value]:
    """Return the wanted values and all they need, operands first: in the order in which they were made."""
    needed = set(wanted)
    pending = list(needed)
    while pending:
        for operand in pending.pop().operands:
            if operand not in needed:
                needed.add(operand)
                pending.append(operand)
    return sorted(needed, key=attrgetter("position"))


class _Emitter:
    def __init__(
        self,
        order: Sequence[Value],
        places: Mapping[Value, list[int]],
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
        last_use = {x: value for value in self._order for x in value.operands}
        for value in self._order:
            last_used = [x for x in dict.fromkeys(value.operands) if last_use[x] is value]
            # A constant or one of a few constants that is only stored needs no register.
            if value in last_use or not (value.is_constant or _is_chosen(value)):
                self._compute(value, last_used)
                self._store(value)
                if value not in last_use:
                    self._release([value])
            else:
                self._store(value)
                self._release(last_used)
        return Program(np.array(self._words, dtype=np.int32), self._used[False], self._used[True])

    def _compute(self, value: Value, last_used: Iterable[Value]) -> None:
        """Emit the instruction that puts a value into a register; release the registers of `last_used`."""
        if value.op is Op.SUM_BIT:
            self._registers[value] = self._sums[value.operands[0]][value.numbers[0]]
        elif value.op is Op.SUM:
            size, word_size = value.numbers
            registers = self._sums[value] = [self._acquire(is_bit=True) for _ in range(size)]
            words = len(value.operands) // word_size
            self._words += [_Code.SUM, size, words, word_size, *registers, *self._registers_of(value)]
            self._release(last_used)
        else:
            code, *arguments = self._instruction(value)
            # The destination may be an operand's register: an instruction reads its operands first.
            self._release(last_used)
            register = self._registers[value] = self._acquire(value.is_bit)
            self._words += [code, register, *arguments]

    def _registers_of(self, value: Value) -> list[int]:
        return [self._registers[x] for x in value.operands]

    def _instruction(self, value: Value) -> list[int]:
        """Return the instruction's words without the destination, which comes second."""
        match value.op:
            case Op.VARIABLE:
                code = _Code.LOAD_BIT if value.is_bit else _Code.LOAD_FIELD
                return [code, self._formals[Variable(value.numbers[0])]]
            case Op.DATA | Op.DATA_BIT:
                index, *bit = value.numbers
                return [_CODE_OF[value.op], index - self._first_data, *bit]
            case Op.LINEAR:
                return self._linear(value)
            case _:  # the numbers are the position of a BIT and the value of a CONSTANT_BIT
                return [_CODE_OF[value.op], *self._registers_of(value), *value.numbers]

    def _linear(self, value: Value) -> list[int]:
        """Return PACK or LINEAR.

        PACK: constant, count, bits and positions. LINEAR: constant, four counts, then scaled, added and subtracted
        field elements, and scaled bits.
        """
        constant = self._coefficients[value.numbers[-1]]
        if _is_packed(value):
            positions = [coefficient.bit_length() - 1 for coefficient in value.numbers[:-1]]
            packed = zip(self._registers_of(value), positions, strict=True)
            return [_Code.PACK, constant, len(positions), *(word for pair in packed for word in pair)]
        scaled, added, subtracted, bits = [], [], [], []
        for operand, coefficient in zip(value.operands, value.numbers, strict=False):
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

    def _store(self, value: Value) -> None:
        places = self._places.get(value)
        if places:
            self._words += self._store_head(value)
            self._words.append(len(places))
            self._words += places

    def _store_head(self, value: Value) -> list[int]:
        """Return the instruction that stores a value, up to the places."""
        if value.is_constant:
            return [_Code.STORE_CONSTANT, self._coefficients[value.numbers[-1]]]
        register = self._registers.get(value)
        if register is not None:
            return [_Code.STORE_BIT if value.is_bit else _Code.STORE_FIELD, register]
        *scales, constant = value.numbers
        choices = [constant]
        for scale in scales:
            choices += [(chosen + scale) % MODULUS for chosen in choices]
        chosen_by = self._registers_of(value)
        numbers = [self._coefficients[chosen] for chosen in choices]
        return [_Code.STORE_CHOSEN, len(chosen_by), *chosen_by, *numbers]

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
