"""A broken assignment is noticed, and the first row that it breaks is named."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cuzk.algebra import fr
from cuzk.errors import UnsatisfiedError
from cuzk.groth16.assignment import Assignment
from cuzk.r1cs import CompiledCircuit
from cuzk.r1cs.satisfied import check_satisfied
from cuzk.r1cs.synthesis import Synthesizer

from .test_templates import read


def circuit(cs: Any) -> None:
    with cs.namespace("first"):
        number, _ = read(cs)
    for i in range(2):
        with cs.namespace(f"square {i}"):
            number = number.square(cs)


@pytest.fixture
def compiled() -> CompiledCircuit:
    return CompiledCircuit.trace("test", circuit)


def set_value(assignment: Assignment) -> None:
    assignment.aux.values[0] = fr.from_ints([6])[0]


def set_bit(assignment: Assignment) -> None:
    assignment.aux.bit[0] ^= np.uint64(1)


def set_evaluation(which: int, row: int) -> Callable[[Assignment], None]:
    def change(assignment: Assignment) -> None:
        assignment.evaluations[which][row] = fr.from_ints([123])[0]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_value, "row 1 is not satisfied, a \\* b is not c: square 0/squaring constraint"),
        (set_bit, "row 0 is not satisfied, a is wrong: first/bit/boolean constraint"),
        (set_evaluation(0, 2), "row 2 is not satisfied, a is wrong: square 1/squaring constraint"),
        (set_evaluation(1, 1), "row 1 is not satisfied, b is wrong: square 0/squaring constraint"),
    ],
)
def test_the_first_broken_row_is_named(
    compiled: CompiledCircuit, change: Callable[[Assignment], None], message: str
) -> None:
    assignment = Synthesizer(compiled).run(fr.from_ints([5]))
    check_satisfied(compiled, assignment)
    change(assignment)
    with pytest.raises(UnsatisfiedError, match=f"^{message}$"):
        check_satisfied(compiled, assignment)
