"""Assignments: their buffer form, and what they refuse."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk.algebra import fr
from cuzk.algebra.scalars import PackedScalars
from cuzk.errors import FormatError, InputError, UnsatisfiedError
from cuzk.groth16 import Assignment, AssignmentLayout
from tests.groth16.fixtures import NAMES, fixture


def in_buffer(assignment: Assignment, extra: int = 0) -> bytearray:
    buffer = bytearray(assignment.layout.size + extra)
    assignment.write_to(memoryview(buffer))
    return buffer


def small(aux: list[int], num_inputs: int = 1, domain: int = 4) -> Assignment:
    inputs = fr.from_ints(range(1, num_inputs + 1))
    a, b = (fr.from_ints(range(start, start + domain)) for start in (10, 20))
    return Assignment(inputs, PackedScalars.pack(fr.from_ints(aux)), a, b)


@given(
    aux=st.lists(st.one_of(st.integers(0, 1), st.integers(0, fr.MODULUS - 1)), max_size=200), extra=st.integers(0, 99)
)
def test_a_buffer_gives_back_what_was_written(aux: list[int], extra: int) -> None:
    original = small(aux, num_inputs=2)
    read = Assignment.from_buffer(memoryview(in_buffer(original, extra)))
    assert np.array_equal(read.z, original.z)
    assert fr.to_ints(read.z) == [1, 2, *aux]
    for ours, theirs in zip(read.evaluations, original.evaluations, strict=True):
        assert np.array_equal(ours, theirs)


def test_a_buffer_is_viewed_not_copied() -> None:
    buffer = in_buffer(small([5]))
    read = Assignment.from_buffer(memoryview(buffer))
    read.evaluations[0][0, 0] = 77
    assert fr.to_ints(Assignment.from_buffer(memoryview(buffer)).evaluations[0])[0] == 77


def test_sections_are_aligned_and_the_evaluations_come_last() -> None:
    layout = AssignmentLayout(num_inputs=3, num_aux=100, num_wide=7, domain=128)
    assert layout.offsets == (64, 192, 256, 320, 576, 4672)
    assert layout.size == 8768


def patched(offset: int, value: int) -> memoryview:
    buffer = in_buffer(small([0, 1, 5, 1]))
    struct.pack_into("<Q", buffer, offset, value)
    return memoryview(buffer)


@pytest.mark.parametrize(
    ("offset", "value", "complaint"),
    [
        (0, 0, "starts with"),
        (8, 0, "1 to 2\\^32 inputs"),
        (8, 5, "domain is a power of two"),
        (16, 1 << 33, "1 to 2\\^32 inputs"),
        (16, 1 << 20, "of these lengths has"),
        (24, 5, "as many wide"),
        (24, 2, "values: expected"),
        (32, 3, "power of two"),
        (32, 1 << 33, "power of two"),
        (32, 8, "of these lengths has"),
        (40, 1 << 60, "of these lengths has"),
        (64, 2, "must be ONE"),
        (128, 0b0101, "values: expected"),
        (128, 1 << 40, "beyond"),
        (192, 0b1110, "both wide and"),
        (192, 1 << 40, "beyond"),
    ],
)
def test_a_bad_buffer_is_refused(offset: int, value: int, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Assignment.from_buffer(patched(offset, value))


def test_a_short_buffer_is_refused() -> None:
    buffer = memoryview(in_buffer(small([3])))
    for size in range(len(buffer)):
        with pytest.raises(FormatError):
            Assignment.from_buffer(buffer[:size])
    with pytest.raises(InputError, match="the buffer has 100"):
        small([3]).write_to(memoryview(bytearray(100)))


def test_evaluations_can_be_taken_once() -> None:
    assignment = small([3])
    a, _ = assignment.take_evaluations()
    assert fr.to_ints(a) == [10, 11, 12, 13]
    for use in (assignment.take_evaluations, lambda: in_buffer(assignment)):
        with pytest.raises(InputError, match="already consumed"):
            use()


def test_lengths_must_agree() -> None:
    aux = PackedScalars.pack(fr.from_ints([]))
    one, four, eight = (fr.from_ints(range(1, n + 1)) for n in (1, 4, 8))
    with pytest.raises(InputError, match="equally many"):
        Assignment(one, aux, four, eight)
    with pytest.raises(InputError, match="power of two"):
        Assignment(one, aux, eight[:3], eight[:3])
    with pytest.raises(InputError, match="ONE"):
        Assignment(four[1:], aux, four, four)
    with pytest.raises(InputError, match="1 to 2\\^32 inputs"):
        Assignment(one[:0], aux, four, four)


@pytest.mark.parametrize("name", NAMES)
def test_a_witness_must_fit_its_circuit_and_satisfy_it(name: str) -> None:
    case = fixture(name)
    for inputs, aux in ((case.inputs[:-1], case.aux), (case.inputs, case.aux[:-1])):
        with pytest.raises(InputError, match="the circuit has"):
            Assignment.from_witness(case.circuit, inputs, aux)
    wrong = case.aux.copy()
    wrong[0, 0] ^= np.uint64(1)
    assignment = Assignment.from_witness(case.circuit, case.inputs, wrong)
    with pytest.raises(UnsatisfiedError, match=r"does not satisfy row 0$"):
        assignment.check_satisfies(case.circuit)
