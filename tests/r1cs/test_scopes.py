"""What belongs to one template is refused in another, with what it is and how to pass it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.number import AllocatedNum, enforce_equal
from cuzk.r1cs import ONE, CompiledCircuit, ConstraintSystem, LinearCombination, template

from .reference import check_against_reference

NOTHING = LinearCombination()
kept: list[Any] = []  # what templates leak


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    kept.clear()


def number(cs: Any) -> AllocatedNum:
    return AllocatedNum.alloc(cs, cs.data())


@template
def leaking(cs: Any, x: AllocatedNum) -> AllocatedNum:
    """Keeps its argument, a local and an expression, all of which it must not."""
    local = number(cs)
    kept.extend([x, local, cs.data(), cs])
    return local


@template
def squaring(cs: Any, x: AllocatedNum) -> AllocatedNum:
    return x.square(cs)


@template
def using_leaked(cs: Any) -> None:
    own = number(cs)  # has the number that the leaked one has
    enforce_equal(cs, "equal", kept[1], own)


def use_in_another_template(cs: Any) -> None:
    leaking(cs, number(cs))
    using_leaked(cs)


def use_in_a(cs: Any) -> None:
    leaking(cs, number(cs))
    cs.enforce("row", kept[1].combination(), NOTHING, NOTHING)


def use_in_c(cs: Any) -> None:
    leaking(cs, number(cs))
    cs.enforce("row", NOTHING, NOTHING, kept[1].combination())


def use_beside_a_given_value(cs: Any) -> None:
    leaking(cs, number(cs))
    cs.enforce("row", kept[1].combination(), NOTHING, NOTHING, a_value=cs.values.constant(0))


def hand_on(cs: Any) -> None:
    leaking(cs, number(cs))
    squaring(cs, kept[1])


def use_a_formal(cs: Any) -> None:
    leaking(cs, number(cs))
    kept[0].square(cs)


@pytest.mark.parametrize(
    ("circuit", "user", "what"),
    [
        (use_in_another_template, "template using_leaked", "kept, which is aux 0"),
        (use_in_a, "the circuit", "kept, which is aux 0"),
        (use_in_c, "the circuit", "kept, which is aux 0"),
        (use_beside_a_given_value, "the circuit", "kept, which is aux 0"),
        (hand_on, "the circuit", "kept, which is aux 0"),
        (use_a_formal, "the circuit", "kept, which is argument 0"),
    ],
)
def test_a_local_that_leaks_is_not_another_variable(circuit: Callable[[Any], None], user: str, what: str) -> None:
    expected = (
        f"{user} uses {what} of template leaking: return it from there, as a handle, and use what the call returns"
    )
    with pytest.raises(InputError) as refused:
        CompiledCircuit.trace("test", circuit)
    assert str(refused.value) == expected


def test_what_a_call_returns_may_be_used() -> None:
    def circuit(cs: Any) -> None:
        enforce_equal(cs, "equal", leaking(cs, number(cs)), leaking(cs, number(cs)))

    check_against_reference(circuit, [1, 2, 3, 4, 2, 3])


def captured_number(cs: ConstraintSystem) -> None:
    captured = number(cs)

    @template
    def gadget(cs: ConstraintSystem) -> None:
        number(cs)
        enforce_equal(cs, "equal", captured, captured)

    gadget(cs)


def captured_by_an_inner_template(cs: ConstraintSystem) -> None:
    captured = number(cs)

    @template
    def gadget(cs: ConstraintSystem) -> None:
        captured.square(cs)

    @template
    def outer(cs: ConstraintSystem) -> None:
        number(cs)
        gadget(cs)

    outer(cs)


def captured_and_returned(cs: ConstraintSystem) -> None:
    captured = number(cs)

    @template
    def gadget(cs: ConstraintSystem) -> AllocatedNum:
        number(cs)
        return captured

    gadget(cs)


def captured_and_handed_on(cs: ConstraintSystem) -> None:
    captured = number(cs)

    @template
    def gadget(cs: ConstraintSystem) -> None:
        squaring(cs, captured)

    gadget(cs)


def captured_in_a_list(cs: ConstraintSystem) -> None:
    captured = [Boolean.constant(True), (number(cs),)]

    @template
    def gadget(cs: ConstraintSystem) -> None:
        captured[1][0].square(cs)  # type: ignore[index]

    gadget(cs)


def captured_combination(cs: ConstraintSystem) -> None:
    captured = number(cs).combination()

    @template
    def gadget(cs: ConstraintSystem) -> None:
        cs.enforce("row", captured, captured, captured)

    gadget(cs)


def captured_variable(cs: ConstraintSystem) -> None:
    captured = cs.alloc(cs.data())

    @template
    def gadget(cs: ConstraintSystem) -> None:
        cs.alloc(cs.value(captured))

    gadget(cs)


@pytest.mark.parametrize(
    "circuit",
    [
        captured_number,
        captured_by_an_inner_template,
        captured_and_returned,
        captured_and_handed_on,
        captured_in_a_list,
        captured_combination,
        captured_variable,
    ],
)
def test_what_a_template_captures_is_named(circuit: Callable[[ConstraintSystem], None]) -> None:
    with pytest.raises(InputError) as refused:
        CompiledCircuit.trace("test", circuit)
    how = "pass its handle by position, gadget(cs, captured)"
    assert str(refused.value) == f"template gadget uses captured, which is aux 0 of the circuit: {how}"


def test_a_template_that_is_no_function_still_gets_a_sentence() -> None:
    class Gadget:
        def __init__(self, captured: AllocatedNum) -> None:
            self.captured = captured

        def __call__(self, cs: ConstraintSystem) -> None:
            self.captured.square(cs)

    def circuit(cs: ConstraintSystem) -> None:
        template(Gadget(number(cs)))(cs)

    with pytest.raises(InputError, match=r"template Gadget uses a variable, .* Gadget\(cs, \.\.\.\)"):
        CompiledCircuit.trace("test", circuit)


def test_an_expression_means_nothing_in_another_template() -> None:
    def circuit(cs: ConstraintSystem) -> None:
        captured = cs.data()

        @template
        def gadget(cs: ConstraintSystem) -> None:
            cs.data()
            AllocatedNum.alloc(cs, captured)

        gadget(cs)

    with pytest.raises(InputError, match=r"alloc: template gadget uses a Value of the circuit: allocate it there"):
        CompiledCircuit.trace("test", circuit)


def test_an_expression_of_another_template_is_no_operand() -> None:
    def circuit(cs: ConstraintSystem) -> None:
        leaking(cs, number(cs))
        for operation in (
            lambda: cs.values.bit(kept[2], 0),
            lambda: cs.values.product(cs.data(), kept[2]),
            lambda: cs.values.linear([(2, kept[2])]),
            lambda: cs.values.negation(kept[2]),
            lambda: cs.alloc_input(kept[2]),
        ):
            with pytest.raises(InputError, match="the circuit uses a Value of template leaking"):
                operation()

    CompiledCircuit.trace("test", circuit)


@pytest.mark.parametrize(
    "write",
    [
        lambda outer, x: x.square(outer),
        lambda outer, x: outer.data(),
        lambda outer, x: outer.enforce("row", NOTHING, NOTHING, NOTHING),
        lambda outer, x: squaring(outer, x),
        lambda outer, x: outer.alloc_bit(outer.values.constant(1)),
        lambda outer, x: outer.alloc_input(outer.values.constant(1)),
    ],
)
def test_a_template_writes_to_its_own_constraint_system(write: Callable[[Any, Any], object]) -> None:
    """Otherwise what it writes would be in the circuit once, however often it is called."""

    def circuit(cs: ConstraintSystem) -> None:
        @template
        def gadget(inner: ConstraintSystem, x: AllocatedNum) -> None:
            write(cs, x)

        gadget(cs, number(cs))

    with pytest.raises(
        InputError, match="template gadget uses the constraint system of the circuit: a template writes"
    ):
        CompiledCircuit.trace("test", circuit)


def test_a_constraint_system_ends_with_its_trace() -> None:
    def circuit(cs: ConstraintSystem) -> None:
        leaking(cs, number(cs))
        number(kept[3])

    with pytest.raises(InputError, match="of template leaking is used after template leaking was traced"):
        CompiledCircuit.trace("test", circuit)


def test_circuits_share_nothing() -> None:
    CompiledCircuit.trace("first", lambda cs: kept.append(number(cs)))

    def second(cs: ConstraintSystem) -> None:
        number(cs)
        kept[0].square(cs)

    with pytest.raises(InputError, match=r"the circuit uses kept, which is aux 0 of another circuit$"):
        CompiledCircuit.trace("second", second)


def test_a_failed_trace_leaves_the_outer_one_usable() -> None:
    @template
    def failing(cs: ConstraintSystem) -> None:
        raise KeyError("the author's own")

    def circuit(cs: ConstraintSystem) -> None:
        with pytest.raises(KeyError):
            failing(cs)
        number(cs).square(cs)

    assert CompiledCircuit.trace("test", circuit).num_constraints == 1


@template
def returning_one(cs: Any) -> AllocatedNum:
    return AllocatedNum(ONE)


def test_one_is_a_number_but_not_handed_about() -> None:
    check_against_reference(lambda cs: AllocatedNum(ONE).product(cs, number(cs)).inputize(cs), [3])
    for circuit in (lambda cs: squaring(cs, AllocatedNum(ONE)), lambda cs: returning_one(cs)):
        with pytest.raises(InputError, match="ONE is the same everywhere, no template takes or returns a handle of it"):
            CompiledCircuit.trace("test", circuit)


class Pair(NamedTuple):
    x: AllocatedNum
    bit: Boolean


@template
def paired(cs: Any) -> Pair:
    return Pair(number(cs), Boolean.alloc(cs, cs.values.bit(cs.data(), 0)))


@template
def taken(cs: Any, pair: Pair, nothing: None) -> AllocatedNum:
    return AllocatedNum.alloc(cs, cs.values.select(pair.bit.value(cs), pair.x.value(cs), cs.values.constant(7)))


def test_named_tuples_of_handles_travel() -> None:
    _, assignment = check_against_reference(lambda cs: taken(cs, paired(cs), None).inputize(cs), [3, 0])
    assert assignment.inputs[1].tolist() == [7, 0, 0, 0]
