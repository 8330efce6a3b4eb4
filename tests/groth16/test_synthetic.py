"""The synthetic circuits are what they say, and their witnesses satisfy them."""

from collections.abc import Callable

import pytest

from cuzk.algebra import bitmap, fr
from cuzk.errors import InputError
from cuzk.groth16 import Assignment
from cuzk.groth16.synthetic import STEP, Synthetic, boolean_heavy, dense_chain


@pytest.mark.parametrize("make", [dense_chain, boolean_heavy])
@pytest.mark.parametrize("log2_size", [3, 4, 9])
def test_witness_satisfies_and_the_domain_is_full(make: Callable[[int], Synthetic], log2_size: int) -> None:
    case = make(log2_size)
    circuit = case.circuit
    assert circuit.domain == 1 << log2_size == circuit.num_constraints + circuit.num_inputs
    Assignment.from_witness(circuit, case.inputs, case.aux).check_satisfies(circuit)
    for rows in (circuit.a, circuit.b, circuit.c):
        assert len(rows) == circuit.num_constraints


def test_every_aux_of_the_chain_is_in_a_and_b() -> None:
    density = dense_chain(6).circuit.density
    assert bitmap.popcount(density.a_aux) == bitmap.popcount(density.b_aux) == 62
    assert bitmap.popcount(density.b_inputs) == 1


def test_the_chain_is_the_chain() -> None:
    case = dense_chain(3, start=2)
    x, steps = 2, []
    for _ in range(6):
        steps.append(x)
        x = x * (x + STEP) % fr.MODULUS
    assert fr.to_ints(case.aux) == steps
    assert fr.to_ints(case.inputs) == [1, x]


def test_three_of_four_aux_are_bits() -> None:
    case = boolean_heavy(8, start=123456789, seed=1)
    values = fr.to_ints(case.aux)
    bits = [value for place, value in enumerate(values) if place % 4 != 3]
    assert set(bits) == {0, 1}
    assert boolean_heavy(8, seed=1).circuit.num_aux == 254
    assert fr.to_ints(boolean_heavy(8, seed=2).aux) != fr.to_ints(boolean_heavy(8, seed=1).aux)


@pytest.mark.parametrize("log2_size", [2, 27, -1])
def test_other_sizes_are_refused(log2_size: int) -> None:
    for make in (dense_chain, boolean_heavy):
        with pytest.raises(InputError, match="a synthetic circuit has"):
            make(log2_size)
