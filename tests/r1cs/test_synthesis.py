"""Synthesis: threads, buffers, and data that is refused; the native plan refuses what does not fit."""

from typing import Any

import numpy as np
import pytest

from cuzk import _native
from cuzk.algebra import fr
from cuzk.algebra.fr import MODULUS
from cuzk.errors import InputError
from cuzk.gadgets.number import AllocatedNum
from cuzk.groth16.assignment import Assignment
from cuzk.r1cs import ONE, CompiledCircuit, LinearCombination
from cuzk.r1cs.synthesis import Synthesizer

from .reference import check_against_reference
from .test_templates import booleans, nested, read

pytestmark = pytest.mark.usefixtures("each_isa")

COUNT = 11


def circuit(cs: Any) -> None:
    """Several instances of each template, some of which need others."""
    for _ in range(COUNT):
        x, bit = read(cs)
        y, _, _ = nested(cs, [x], bit, factor=3)
        nested(cs, [y, x], bit.negation(), factor=4)


@pytest.fixture(scope="module")
def synthesizer() -> Synthesizer:
    return Synthesizer(CompiledCircuit.trace("test", circuit))


@pytest.fixture
def data() -> np.ndarray:
    return fr.from_ints([(i * i + 1) * MODULUS // 1100 for i in range(3 * COUNT)])


def same(one: Assignment, other: Assignment) -> bool:
    arrays = [(x.inputs, x.aux.wide, x.aux.bit, x.aux.values, *x.evaluations) for x in (one, other)]
    return all(np.array_equal(a, b) for a, b in zip(*arrays, strict=True))


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(synthesizer: Synthesizer, data: np.ndarray, threads: int) -> None:
    assert same(synthesizer.run(data, threads=threads), synthesizer.run(data))


def test_a_used_buffer_gives_the_same_assignment(synthesizer: Synthesizer, data: np.ndarray) -> None:
    size = synthesizer.layout.size
    buffer = memoryview(bytearray(b"\xff" * (size + 100)))
    assignment = synthesizer.run(data, buffer=buffer)
    assert same(assignment, synthesizer.run(data))
    assert same(Assignment.from_buffer(buffer), assignment)
    assert buffer[size:].tobytes() == b"\xff" * 100
    with pytest.raises(InputError, match=f"needs a buffer of {size} bytes, this has {size - 1}"):
        synthesizer.run(data, buffer=buffer[: size - 1])


def test_bad_data_is_refused(synthesizer: Synthesizer, data: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"test takes data uint64\[33, 4\], not uint64\[32, 4\]"):
        synthesizer.run(data[1:])
    data[7] = fr.from_ints([MODULUS - 1])[0] + np.array([1, 0, 0, 0], dtype=np.uint64)
    with pytest.raises(InputError, match=r"data\[7\]"):
        synthesizer.run(data)


@pytest.mark.parametrize("value", [0, 1, 2**255 % MODULUS, MODULUS - 1])
@pytest.mark.parametrize("count", [1, 9, 40, 127, 128, 129, 257, 600])
def test_sums_of_any_length(count: int, value: int) -> None:
    """Lazily reduced sums: many terms of each kind, all as large as they can be."""

    def circuit(cs: Any) -> None:
        numbers = [AllocatedNum.alloc(cs, cs.data()) for _ in range(3)]
        bits = booleans(cs, 250)
        many = [(MODULUS - 1 - i, numbers[i % 3].variable) for i in range(count)]
        for coefficient in (MODULUS - 2, 1, MODULUS - 1):
            squares = [number.square(cs) for number in numbers for _ in range(-(-count // 3))]
            total = LinearCombination([(coefficient, square.variable) for square in squares[:count]])
            total += LinearCombination([(MODULUS - 1 - i, bit.variable) for i, bit in enumerate(bits[:count])])
            total += LinearCombination([*many, (MODULUS - 1, ONE)])
            cs.enforce("sum", total, LinearCombination(), LinearCombination())

    check_against_reference(circuit, [value, value, value, (1 << 250) - 1])


class TestPlan:
    """A plan of one program over: two rows, one input beside ONE, three aux of which two are wide, one data element."""

    EXTENT = np.array([[2, 2, 3, 2, 1]], dtype=np.uint32)

    def plan(self) -> _native.WitnessPlan:
        return _native.WitnessPlan(fr.from_ints([1, 5]), self.EXTENT)

    def add(self, code: list[int], formals: tuple[bool, ...] = (), registers: tuple[int, int] = (2, 2)) -> Any:
        plan = self.plan()
        program = plan.add_program(
            np.array(code, dtype=np.int32), *registers, np.array(formals, dtype=np.bool_), self.EXTENT
        )
        return plan, program

    @pytest.mark.parametrize(
        ("code", "message"),
        [
            ([99], "unknown instruction"),
            ([-1], "unknown instruction"),
            ([0, 0], "cut off"),
            ([4, 0, 0], "cut off"),
            ([5, 0, 0, 1, 0, 0, 0, 1], "cut off"),
            ([5, 0, 0, -1, 0, 0, 0], "cut off"),
            ([9, 0, 1 << 30, 0], "cut off"),
            ([2, 2, 0], "no such field register"),
            ([2, -1, 0], "no such field register"),
            ([3, 2, 0, 0], "no such bit register"),
            ([3, 0, 0, 256], "no such bit"),
            ([0, 0, 1], "no such formal"),
            ([0, 0, -1], "no such formal"),
            ([1, 0, 0], "wrong kind of formal"),
            ([4, 0, 0, 2], "no such field register"),
            ([5, 0, 2, 0, 0, 0, 0], "no such coefficient"),
            ([5, 0, 0, 1, 0, 0, 0, 2, 0], "no such coefficient"),
            ([5, 0, 0, 0, 1, 0, 0, 2], "no such field register"),
            ([5, 0, 0, 0, 0, 1, 0, 2], "no such field register"),
            ([5, 0, 0, 0, 0, 0, 1, 0, 2], "no such bit register"),
            ([6, 0, 2, 0, 0], "no such bit register"),
            ([7, 0, 0, 2], "no such bit register"),
            ([8, 0, 2], "no such bit register"),
            ([9, 0, 1, 2 << 2 | 0], "stored nowhere"),
            ([9, 0, 1, 2 << 2 | 1], "stored nowhere"),
            ([9, 0, 1, -1], "stored nowhere"),
            ([9, 0, 1, 2 << 2 | 3], "stored nowhere"),
            ([10, 0, 1, 3 << 2 | 0], "stored nowhere"),
            ([11, 2, 1, 0], "no such coefficient"),
            ([11, 0, 1, 2 << 2 | 2], "stored nowhere"),
        ],
    )
    def test_malformed_programs_are_refused(self, code: list[int], message: str) -> None:
        with pytest.raises(InputError, match=message):
            self.add(code, formals=(False,))

    def test_an_instance_must_lie_inside_the_circuit(self) -> None:
        plan, program = self.add([2, 0, 0, 9, 0, 1, 0])
        nothing = np.zeros((1, 0), dtype=np.uint32)
        plan.add_group(0, program, np.zeros((1, 5), dtype=np.uint32), nothing)
        for field in range(5):
            begin = np.zeros((1, 5), dtype=np.uint32)
            begin[0, field] = 1
            with pytest.raises(InputError, match="outside the circuit"):
                plan.add_group(0, program, begin, nothing)
        with pytest.raises(InputError, match="no such program"):
            plan.add_group(0, program + 1, np.zeros((1, 5), dtype=np.uint32), nothing)

    @pytest.mark.parametrize(
        ("is_bit", "good", "bad"), [(False, 1, 2), (False, (1 << 31) + 1, (1 << 31) + 2), (True, 2, 3)]
    )
    def test_formals_must_be_bound_to_something(self, is_bit: bool, good: int, bad: int) -> None:
        plan, program = self.add([1, 0, 0] if is_bit else [0, 0, 0], formals=(is_bit,))
        begin = np.zeros((1, 5), dtype=np.uint32)
        plan.add_group(0, program, begin, np.array([[good]], dtype=np.uint32))
        with pytest.raises(InputError, match="bound to nothing"):
            plan.add_group(0, program, begin, np.array([[bad]], dtype=np.uint32))
        with pytest.raises(InputError, match="number of bindings"):
            plan.add_group(0, program, begin, np.zeros((1, 0), dtype=np.uint32))

    def test_buffers_must_have_their_sizes(self) -> None:
        sizes = {"data": 1, "inputs": 2, "values": 2, "a": 2, "b": 2}
        good = {name: np.zeros((size, 4), dtype=np.uint64) for name, size in sizes.items()}
        good["bits"] = np.zeros(1, dtype=np.uint64)
        self.plan().run(**good, threads=1)
        for name, array in good.items():
            with pytest.raises(InputError, match="witness: "):
                self.plan().run(**good | {name: array[1:]}, threads=1)
