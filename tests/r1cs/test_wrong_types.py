"""Wrong Python types get a sentence, an InputError, where they are handed over."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cuzk.algebra import fr
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.insertion import insert
from cuzk.gadgets.multieq import MultiEq
from cuzk.gadgets.multipack import pack_bits, pack_into_inputs
from cuzk.gadgets.number import AllocatedNum, add, alloc_bits, enforce_equal, pick, select
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.gadgets.sha256 import sha256, sha256_hash_numbers
from cuzk.gadgets.uint import add_many, bitwise, constant_uint
from cuzk.r1cs import ONE, CompiledCircuit, LinearCombination, Synthesizer, check_satisfied, template

L = LinearCombination
NOTHING = L()


@template
def gadget(cs: Any, x: Any, *, constant: Any = None) -> Any:
    return x


@template
def returning(cs: Any, *, what: str) -> Any:
    return {"variable": cs.alloc(cs.data()), "combination": NOTHING, "value": cs.data(), "dict": {}}[what]


def number(cs: Any) -> AllocatedNum:
    return AllocatedNum.alloc(cs, cs.data())


def bit(cs: Any) -> Any:
    return cs.values.bit(cs.data(), 0)


Use = Callable[[Any, Any], object]

VALUES: dict[str, Use] = {
    "alloc": lambda cs, bad: cs.alloc(bad),
    "alloc_bit": lambda cs, bad: cs.alloc_bit(bad),
    "alloc_input": lambda cs, bad: cs.alloc_input(bad),
    "a_value": lambda cs, bad: cs.enforce("row", NOTHING, NOTHING, NOTHING, a_value=bad if bad is not None else 5),
    "product": lambda cs, bad: cs.values.product(cs.data(), bad),
    "linear": lambda cs, bad: cs.values.linear([(2, bad)]),
    "bit": lambda cs, bad: cs.values.bit(bad, 0),
    "select": lambda cs, bad: cs.values.select(bit(cs), cs.data(), bad),
    "conjunction": lambda cs, bad: cs.values.conjunction(bit(cs), bad),
    "exclusive_or": lambda cs, bad: cs.values.exclusive_or(bad, bit(cs)),
    "choice": lambda cs, bad: cs.values.choice(bit(cs), bad, bit(cs)),
    "majority": lambda cs, bad: cs.values.majority(bit(cs), bad, bit(cs)),
    "negation": lambda cs, bad: cs.values.negation(bad),
    "sum_bits": lambda cs, bad: cs.values.sum_bits([[bad]], 2),
}

COMBINATIONS: dict[str, Use] = {
    "a side of a row": lambda cs, bad: cs.enforce("row", bad, NOTHING, NOTHING),
    "a side of a row ": lambda cs, bad: cs.enforce("row", NOTHING, bad, NOTHING),
    "a side of a row  ": lambda cs, bad: cs.enforce("row", NOTHING, NOTHING, bad),
    "a side of a row   ": lambda cs, bad: cs.evaluate(bad),
    "LinearCombination: term": lambda cs, bad: NOTHING + bad,
    "LinearCombination: term ": lambda cs, bad: NOTHING - bad,
    "LinearCombination: term  ": lambda cs, bad: L.weighted([(1, bad)]),
}

INTS: dict[str, Use] = {
    "LinearCombination: coefficient": lambda cs, bad: L([(bad, ONE)]),
    "LinearCombination: coefficient ": lambda cs, bad: NOTHING.plus(bad, ONE),
    "LinearCombination: factor": lambda cs, bad: L.weighted([(bad, NOTHING)]),
    "linear: coefficient": lambda cs, bad: cs.values.linear([(bad, cs.data())]),
    "linear: constant": lambda cs, bad: cs.values.constant(bad),
    "bit: position": lambda cs, bad: cs.values.bit(cs.data(), bad),
    "constant_uint": lambda cs, bad: constant_uint(bad),
    "alloc_bits: count": lambda cs, bad: alloc_bits(cs, cs.data(), bad),
    "multieq: bits": lambda cs, bad: MultiEq(cs).enforce_equal(bad, NOTHING, NOTHING),
}

HANDLES: dict[str, Use] = {
    "product: other: expected AllocatedNum": lambda cs, bad: number(cs).product(cs, bad),
    "add[1]: expected AllocatedNum": lambda cs, bad: add(cs, number(cs), bad),
    "enforce_equal[0]: expected AllocatedNum": lambda cs, bad: enforce_equal(cs, "row", bad, number(cs)),
    "pick: condition: expected Boolean": lambda cs, bad: pick(cs, bad, number(cs), number(cs)),
    "pick[1]: expected AllocatedNum": lambda cs, bad: pick(cs, Boolean.constant(True), number(cs), bad),
    "select: numbers[0]: expected AllocatedNum": lambda cs, bad: select(cs, [bad], []),
    "select: bits[0]: expected Boolean": lambda cs, bad: select(cs, [number(cs)] * 2, [bad]),
    "insert: element: expected AllocatedNum": lambda cs, bad: insert(cs, bad, [], []),
    "insert: bits[0]: expected Boolean": lambda cs, bad: insert(cs, number(cs), [bad], []),
    "insert: others[0]: expected AllocatedNum": lambda cs, bad: insert(cs, number(cs), [], [bad]),
    "conjunction: expected Boolean": lambda cs, bad: Boolean.conjunction(cs, Boolean.constant(True), bad),
    "exclusive_or: expected Boolean": lambda cs, bad: Boolean.exclusive_or(cs, bad, Boolean.constant(True)),
    "choice: expected Boolean": lambda cs, bad: Boolean.choice(cs, *[Boolean.constant(True)] * 2, bad),
    "majority: expected Boolean": lambda cs, bad: Boolean.majority(cs, *[Boolean.constant(True)] * 2, bad),
    "Boolean.constant: expected bool": lambda cs, bad: Boolean.constant(bad),
    "pack_bits[0]: expected Boolean": lambda cs, bad: pack_bits(cs, [bad]),
    "pack_into_inputs[0]: expected Boolean": lambda cs, bad: pack_into_inputs(cs, [bad]),
    "addition: operand[0]: expected Boolean": lambda cs, bad: add_many(cs, MultiEq(cs), [[bad] * 32] * 2),
    "sha256[0]: expected Boolean": lambda cs, bad: sha256(cs, [bad] * 8),
    "sha256_hash_numbers[0]: expected AllocatedNum": lambda cs, bad: sha256_hash_numbers(cs, [bad], ["x"]),
    "poseidon_hash: preimage[1]: expected AllocatedNum": lambda cs, bad: poseidon_hash(cs, [number(cs), bad]),
}


def refusal(use: Callable[[Any], object]) -> str:
    """Return what a circuit that does something is refused with, at that very call."""
    said: list[str] = []

    def circuit(cs: Any) -> None:
        with pytest.raises(InputError) as refused:
            use(cs)
        said.append(str(refused.value))

    CompiledCircuit.trace("test", circuit)
    return said[0]


BAD: list[Any] = [1.5, None, "x", b"x", 5, np.uint64(5), [1]]


def each_of(bad: list[Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("bad", bad, ids=lambda one: type(one).__name__)


@each_of(BAD)
class TestWrongTypes:
    @pytest.mark.parametrize("what", VALUES)
    def test_where_an_expression_is_due(self, what: str, bad: object) -> None:
        said = refusal(lambda cs: VALUES[what](cs, bad))
        if what == "linear" and isinstance(bad, list):  # which cannot even be a term
            assert said == "linear: expected pairs (coefficient, Value): unhashable type: 'list'"
        else:
            got = "int" if what == "a_value" and bad is None else type(bad).__name__
            assert said.startswith(f"{what}: expected Value, got {got}; a constant is cs.values.constant(5)")

    @pytest.mark.parametrize("what", COMBINATIONS)
    def test_where_a_combination_is_due(self, what: str, bad: object) -> None:
        said = refusal(lambda cs: COMBINATIONS[what](cs, bad))
        assert said.startswith(
            f"{what.strip()}: expected LinearCombination, got {type(bad).__name__}; that of a handle"
        )

    @pytest.mark.parametrize("expected", HANDLES)
    def test_where_a_handle_is_due(self, expected: str, bad: Any) -> None:
        said = refusal(lambda cs: HANDLES[expected](cs, bad))
        assert said.startswith(f"{expected}, got {type(bad).__name__}")

    def test_where_a_variable_is_due(self, bad: Any) -> None:
        uses: list[Callable[[Any], object]] = [
            lambda cs: cs.value(bad),
            lambda cs: AllocatedNum(bad).square(cs),
            lambda cs: gadget(cs, AllocatedNum(bad if bad is not None else 1.5)),  # None: a handle of a constant
            lambda cs: cs.enforce("row", NOTHING, NOTHING, L([(1, bad)])),
        ]
        for use in uses:
            said = refusal(use)
            assert "uses 5 as a Variable" in said if type(bad) is int else "expected Variable, got" in said


@each_of([bad for bad in BAD if not isinstance(bad, int)])
@pytest.mark.parametrize("what", INTS)
def test_where_an_int_is_due(what: str, bad: object) -> None:
    said = refusal(lambda cs: INTS[what](cs, bad))
    assert said == f"{what.strip()}: expected int, got {type(bad).__name__}"


@each_of([bad for bad in BAD if bad is not None])  # None stands for a handle that is not there
def test_where_a_template_wants_handles(bad: Any) -> None:
    inner = [*bad, 5] if isinstance(bad, list) else [bad]
    assert "arguments of gadget: expected handles such as AllocatedNum" in refusal(lambda cs: gadget(cs, inner))


def test_a_sequence_is_due() -> None:
    said = refusal(lambda cs: pack_bits(cs, {5}))  # type: ignore[arg-type]
    assert said == "pack_bits: expected a sequence of Boolean, got set"
    assert refusal(lambda cs: poseidon_hash(cs, number(cs))) == (  # type: ignore[arg-type]
        "poseidon_hash: preimage: expected a sequence of AllocatedNum, got AllocatedNum"
    )


def test_terms_are_pairs() -> None:
    for terms in (5, None, 1.5):
        said = refusal(lambda cs, terms=terms: L(terms))
        assert said.startswith("LinearCombination: expected pairs (coefficient, Variable): ")
    said = refusal(lambda cs: L([cs.alloc(cs.data())]))  # type: ignore[list-item]
    assert said == "LinearCombination: expected pairs (coefficient, Variable): cannot unpack non-iterable int object"
    assert refusal(lambda cs: cs.values.linear(["x"])).startswith("linear: expected pairs (coefficient, Value): ")
    said = refusal(lambda cs: L.weighted([NOTHING]))  # type: ignore[list-item]
    assert said.startswith("LinearCombination.weighted: expected pairs (coefficient, LinearCombination): ")


def test_handles_are_not_variables_nor_the_other_way_round() -> None:
    assert refusal(lambda cs: L([(1, number(cs))])) == (  # type: ignore[list-item]
        "LinearCombination: variable: expected Variable, got AllocatedNum; a handle's is .variable"
    )
    assert "Variable, got AllocatedNum" in refusal(lambda cs: cs.value(number(cs)))
    assert "as a Variable: a term is (coefficient, variable)" in refusal(
        lambda cs: cs.enforce("row", L([(number(cs).variable, 3)]), NOTHING, NOTHING)  # type: ignore[list-item]
    )


def test_positions_of_bits_exist() -> None:
    for position in (-1, 256):
        assert refusal(lambda cs, i=position: cs.values.bit(cs.data(), i)) == (
            f"bit: expected a position from 0 to 255, got {position}"
        )


def test_a_field_element_is_no_bit() -> None:
    said = "alloc_bit: expected a bit, got a field element; a bit of it is cs.values.bit(value, i)"
    assert refusal(lambda cs: Boolean.alloc(cs, cs.data())) == said
    assert refusal(lambda cs: Boolean.alloc(cs, cs.values.constant(5))) == said


def test_a_constant_that_is_no_bit_does_not_count_as_one() -> None:
    assert refusal(lambda cs: cs.values.conjunction(bit(cs), cs.values.constant(5))).startswith(
        "conjunction: expected a bit, got a field element"
    )


def test_words_have_one_size() -> None:
    for words in ([], [[], [1]]):
        assert refusal(lambda cs, words=words: cs.values.sum_bits(words, 3)) == (
            "sum_bits: expected one word or more, of equally many bits"
        )


def test_sums_are_of_words_of_32_bits() -> None:
    for first, second in ((32, 16), (16, 16), (64, 64)):
        words = [constant_uint(5, first), constant_uint(5, second)]
        said = refusal(lambda cs, words=words: add_many(cs, MultiEq(cs), words))
        assert said == f"addition: expected operands of 32 bits, got {second if first == 32 else first}"
    words = [constant_uint(5, 3), constant_uint(1, 2)]
    said = refusal(lambda cs: bitwise(cs, "and", Boolean.conjunction, *words))
    assert said == "and: expected words of equally many bits, got [3, 2]"


@pytest.mark.parametrize("value", [-1, 1 << 32])
def test_a_constant_has_room(value: int) -> None:
    assert refusal(lambda cs: constant_uint(value)) == f"constant_uint: expected 0 to 2^32 - 1, got {value}"


@pytest.mark.parametrize("count", [-1, 256])
def test_a_number_has_so_many_bits(count: int) -> None:
    said = refusal(lambda cs: alloc_bits(cs, cs.data(), count))
    assert said == f"alloc_bits: expected 0 to 255 bits, got {count}"


def test_every_number_has_a_name() -> None:
    said = refusal(lambda cs: sha256_hash_numbers(cs, [number(cs)] * 2, ["a"]))
    assert said == "sha256_hash_numbers: expected a name for each of 2 numbers, got 1"


@pytest.mark.parametrize("bad", [5, None, 1.5, b"x"])
def test_names_are_lines(bad: Any) -> None:
    kind = type(bad).__name__
    assert refusal(lambda cs: cs.namespace(bad)) == f"the name of a namespace: expected str, got {kind}"
    row = refusal(lambda cs: cs.enforce(bad, NOTHING, NOTHING, NOTHING))
    assert row == f"the name of a row: expected str, got {kind}"
    with pytest.raises(InputError, match=f"the name of a circuit: expected str, got {kind}"):
        CompiledCircuit.trace(bad, number)  # type: ignore[arg-type]
    assert refusal(lambda cs: cs.namespace("a\nb")) == r"the name of a namespace: expected one line, got 'a\nb'"
    assert "expected one line" in refusal(lambda cs: cs.enforce("a\nb", NOTHING, NOTHING, NOTHING))


def test_a_template_says_what_it_takes() -> None:
    assert refusal(lambda cs: gadget(cs, 5)) == (
        "arguments of gadget: expected handles such as AllocatedNum, or lists and tuples of them, got int; "
        "constants are given by keyword"
    )
    assert refusal(lambda cs: gadget(cs, None, constant=number(cs))) == (
        "gadget: constant: expected a constant, got AllocatedNum; handles are given by position"
    )
    assert (
        refusal(lambda cs: gadget(cs, None, constant=[])) == "gadget: constant: expected a hashable constant, got list"
    )
    assert refusal(lambda cs: gadget(number(cs))) == (
        "first argument of gadget: expected ConstraintSystem, got AllocatedNum"
    )


@pytest.mark.parametrize(
    ("what", "got"), [("variable", "int"), ("combination", "LinearCombination"), ("value", "Value"), ("dict", "dict")]
)
def test_a_template_returns_handles(what: str, got: str) -> None:
    said = refusal(lambda cs: returning(cs, what=what))
    assert said == f"result of returning: expected handles such as AllocatedNum, or lists and tuples of them, got {got}"


@pytest.mark.parametrize("bad", [5, None, "circuit"])
def test_a_circuit_is_a_function(bad: Any) -> None:
    with pytest.raises(InputError, match="circuit: expected a function that takes a ConstraintSystem, got"):
        CompiledCircuit.trace("test", bad)
    with pytest.raises(InputError, match="circuit: expected CompiledCircuit, got"):
        Synthesizer(bad)


@pytest.mark.parametrize("bad", [5, None, [5], "x", 1.5])
def test_data_is_an_array(bad: Any) -> None:
    with pytest.raises(InputError, match=r"test takes data uint64\[1, 4\], not \w+; fr.from_ints makes it"):
        Synthesizer(CompiledCircuit.trace("test", lambda cs: number(cs).square(cs))).run(bad)


def test_an_assignment_is_checked_against_its_circuit() -> None:
    circuit = CompiledCircuit.trace("test", lambda cs: number(cs).square(cs))
    assignment = Synthesizer(circuit).run(fr.from_ints([5]))
    check_satisfied(circuit, assignment)
    bad: Any
    for bad in (print, None, assignment):
        with pytest.raises(InputError, match=f"circuit: expected CompiledCircuit, got {type(bad).__name__}"):
            check_satisfied(bad, assignment)
        with pytest.raises(InputError, match=f"row: expected int, got {type(bad).__name__}"):
            circuit.row_name(bad)
    for bad in (None, circuit, [5]):
        with pytest.raises(InputError, match=f"assignment: expected Assignment, got {type(bad).__name__}"):
            check_satisfied(circuit, bad)
