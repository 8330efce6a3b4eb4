"""Templates: random circuits against the reference, and what a shape is made of."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.algebra.fr import MODULUS
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.multipack import pack_into_inputs
from cuzk.gadgets.number import AllocatedNum, enforce_equal, pick, select
from cuzk.r1cs import ConstraintSystem, template
from cuzk.r1cs.builder import Tracer
from cuzk.r1cs.linear import ONE, LinearCombination
from cuzk.r1cs.template import Composite, Template

from .reference import check_against_reference


@template
def mix(cs: Any, x: AllocatedNum, y: AllocatedNum, bit: Boolean, *, factor: int) -> tuple[AllocatedNum, Boolean]:
    """Rows in which arguments merge if they are the same variable, with a constant and a public input."""
    total = LinearCombination([(factor, x.variable), (MODULUS - factor, y.variable), (3, ONE)])
    with cs.namespace("mix"):
        product = AllocatedNum.alloc(cs, cs.values.product(cs.evaluate(total), y.value(cs)))
        cs.enforce("product", total, y.combination(), product.combination())
        product.inputize(cs)
        picked = pick(cs, bit, product, x)
    return picked, bit.negation()


@template
def read(cs: Any) -> tuple[AllocatedNum, Boolean]:
    number = cs.data()
    with cs.namespace("bit"):
        bit = Boolean.alloc(cs, cs.values.bit(number, 0))
    return AllocatedNum.alloc(cs, number), bit


def booleans(cs: Any, count: int) -> list[Boolean]:
    data, bits = cs.data(), []
    for i in range(count):
        with cs.namespace(f"bit {i}"):
            bits.append(Boolean.alloc(cs, cs.values.bit(data, i)))
    return bits


@template
def nested(cs: Any, numbers: list[AllocatedNum], bit: Boolean, *, factor: int) -> list[AllocatedNum]:
    """Own rows before, between and after instances of other templates; results pass through unchanged or new."""
    enforce_equal(cs, "itself", numbers[0], numbers[0])
    with cs.namespace("first"):
        picked, opposite = mix(cs, numbers[0], numbers[-1], bit, factor=factor)
    other, own_bit = read(cs)
    square = other.square(cs)
    with cs.namespace("second"):
        last, _ = mix(cs, picked, square, opposite, factor=factor + 1)
    pack_into_inputs(cs, [own_bit, opposite, Boolean.constant(True)])
    return [last, square, numbers[0]]


Step = tuple[str, int, int, int, bool]
steps = st.tuples(st.sampled_from(["mix", "nested", "read"]), *[st.integers(0, 9)] * 3, st.booleans())


def circuit_of(program: list[Step]) -> tuple[Callable[[Any], None], int]:
    """Return a circuit that takes its arguments from what it has, and the data that it reads."""

    def circuit(cs: Any) -> None:
        first, bit = read(cs)
        numbers, bits = [first], [bit, Boolean.constant(False), Boolean.constant(True)]
        for number, (kind, i, j, k, negate) in enumerate(program):
            x, y, condition = numbers[i % len(numbers)], numbers[j % len(numbers)], bits[k % len(bits)]
            condition = condition.negation() if negate else condition
            with cs.namespace(f"step {number}"):
                match kind:
                    case "mix":
                        x, condition = mix(cs, x, y, condition, factor=2)
                        numbers, bits = [*numbers, x], [*bits, condition]
                    case "nested":
                        numbers += nested(cs, [x, y, x], condition, factor=2)
                    case _:
                        x, condition = read(cs)
                        numbers, bits = [*numbers, x], [*bits, condition]

    return circuit, 1 + sum(kind != "mix" for kind, *_ in program)


@pytest.mark.usefixtures("each_isa")
@given(program=st.lists(steps, max_size=8), seed=st.integers(0, MODULUS - 1))
@settings(max_examples=40)
def test_random_circuits_equal_the_reference(program: list[Step], seed: int) -> None:
    circuit, data = circuit_of(program)
    check_against_reference(circuit, [seed * (i + 1) % MODULUS for i in range(data)])


def templates_of(circuit: Callable[[ConstraintSystem], object]) -> list[Template]:
    """Return the template of each instance in the circuit."""
    body = Tracer().trace_circuit(circuit).body
    assert isinstance(body, Composite)
    return [instance.template for instance in body.instances]


def test_a_shape_is_aliasing_constants_and_negations_and_nothing_else() -> None:
    def circuit(cs: ConstraintSystem) -> None:
        (x, p), (y, q) = read(cs), read(cs)
        arguments: list[tuple[AllocatedNum, AllocatedNum, Boolean, int]] = [
            (x, y, p, 2),
            (y, x, q, 2),  # other variables: the same shape
            (x, x, p, 2),  # one variable twice
            (x, y, p.negation(), 2),
            (x, y, Boolean.constant(True), 2),
            (x, y, Boolean.constant(False), 2),
            (x, y, p, 3),
        ]
        for a, b, bit, factor in arguments:
            mix(cs, a, b, bit, factor=factor)

    _, _, first, second, *others = templates_of(circuit)
    assert first is second
    assert len({first, *others}) == 1 + len(others)


def test_equal_stretches_of_rows_are_one_leaf() -> None:
    def circuit(cs: ConstraintSystem) -> None:
        for _ in range(3):
            number, _ = read(cs)
            number.square(cs)

    first, rows, *rest = templates_of(circuit)
    assert rest == [first, rows, first, rows]


def test_tracing_is_by_shape_not_by_instance() -> None:
    traced = []

    @template
    def counted(cs: Any, x: AllocatedNum) -> AllocatedNum:
        traced.append(x)
        return x.square(cs)

    def circuit(cs: Any) -> None:
        number, _ = read(cs)
        for _ in range(100):
            number = counted(cs, number)

    check_against_reference(circuit, [3])
    assert len(traced) == 100 + 1  # the reference runs it each time


@pytest.mark.parametrize(("numbers", "bits"), [(0, 0), (3, 2), (2, 0)])
def test_select_wants_a_number_for_each_value_of_the_bits(numbers: int, bits: int) -> None:
    def circuit(cs: ConstraintSystem) -> None:
        number = AllocatedNum.alloc(cs, cs.data())
        select(cs, [number] * numbers, [Boolean.constant(True)] * bits)

    with pytest.raises(InputError, match=f"select: expected {1 << bits} numbers"):
        Tracer().trace_circuit(circuit)
