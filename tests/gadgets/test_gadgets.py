"""Each gadget against the reference constraint system, with the row counts that its source's own tests assert."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.algebra import fr, poseidon
from cuzk.algebra.fr import MODULUS
from cuzk.errors import InputError
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.insertion import insert
from cuzk.gadgets.merkle import TreeShape, enforce_inclusion
from cuzk.gadgets.multipack import pack_into_inputs
from cuzk.gadgets.number import AllocatedNum, enforce_equal, pick
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.r1cs import CompiledCircuit
from tests.r1cs.reference import check_against_reference
from tests.r1cs.test_templates import booleans

WIDE = ((24, 1009), (36, 1385))
elements = st.one_of(st.sampled_from([0, 1, MODULUS - 1]), st.integers(0, MODULUS - 1))


def numbers(cs: Any, count: int) -> list[AllocatedNum]:
    return [AllocatedNum.alloc(cs, cs.data()) for _ in range(count)]


def row_count(circuit: Callable[[Any], object]) -> int:
    return CompiledCircuit.trace("circuit", circuit).num_constraints


@given(a=elements, b=elements, bits=st.integers(0, 3))
@settings(max_examples=20)
def test_numbers_and_booleans(a: int, b: int, bits: int) -> None:
    def circuit(cs: Any) -> None:
        x, y = numbers(cs, 2)
        p, q = booleans(cs, 2)
        x.square(cs).inputize(cs)
        Boolean.conjunction(cs, p, q)
        Boolean.conjunction(cs, p.negation(), q.negation())
        for condition in (p, q.negation(), Boolean.constant(True), Boolean.constant(False)):
            pick(cs, condition, x, y)
        same = pick(cs, p, x, x)
        enforce_equal(cs, "equal", x, same)

    compiled, assignment = check_against_reference(circuit, [a, b, bits])
    assert fr.to_ints(assignment.inputs[1:]) == [a * a % MODULUS]
    assert compiled.num_constraints == 2 + 2 + 2 + 5 + 1


@pytest.mark.parametrize(("log_size", "rows"), [(1, 2), (2, 8), (3, 22)])
def test_insertion_at_every_position(log_size: int, rows: int) -> None:
    size = 1 << log_size

    def circuit(cs: Any) -> None:
        bits = booleans(cs, log_size)
        inserted, *others = numbers(cs, size)
        for number in insert(cs, inserted, bits, others):
            number.inputize(cs)

    for position in range(size):
        compiled, assignment = check_against_reference(circuit, [position, 100, *range(1, size)])
        expected = list(range(1, size))
        expected.insert(position, 100)
        assert fr.to_ints(assignment.inputs[1:]) == expected
    assert compiled.num_constraints == log_size + rows + size  # insertion.rs test_insert: 2, 8 and 22


def test_insertion_refuses_other_sizes() -> None:
    with pytest.raises(InputError, match="got 2, 2"):
        row_count(lambda cs: insert(cs, *numbers(cs, 1), booleans(cs, 2), numbers(cs, 2)))


@pytest.mark.parametrize(
    ("arity", "rows"),
    [(2, 311), (4, 377), (8, 505), (16, 761), *(pytest.param(*case, marks=pytest.mark.full) for case in WIDE)],
)
def test_poseidon_has_neptunes_rows_and_digest(arity: int, rows: int) -> None:
    def circuit(cs: Any) -> None:
        poseidon_hash(cs, numbers(cs, arity)).inputize(cs)

    assert row_count(circuit) == rows + 1  # circuit.rs test_poseidon_hash; one more makes the digest public
    if arity <= 8:
        preimage = [MODULUS - 1 - 7 * i for i in range(arity)]
        _, assignment = check_against_reference(circuit, preimage)
        digest = poseidon.hash(fr.from_ints(preimage).reshape(1, arity, 4))
        assert fr.to_ints(assignment.inputs[1:]) == fr.to_ints(digest)


def test_poseidon_of_another_domain_and_of_one_number_twice() -> None:
    domain = poseidon.custom_domain_tag(1)

    def circuit(cs: Any) -> None:
        (x,) = numbers(cs, 1)
        poseidon_hash(cs, [x, x], domain).inputize(cs)
        poseidon_hash(cs, [x, x]).inputize(cs)

    _, assignment = check_against_reference(circuit, [5])
    preimage = fr.from_ints([5, 5]).reshape(1, 2, 4)
    digests = [*fr.to_ints(poseidon.hash(preimage, domain=domain)), *fr.to_ints(poseidon.hash(preimage))]
    assert fr.to_ints(assignment.inputs[1:]) == digests


@pytest.mark.parametrize("count", [1, 30, 253, 254, 255, 510])
def test_multipack(count: int) -> None:
    value = (1 << count) * 2 // 3

    def circuit(cs: Any) -> None:
        bits = booleans(cs, min(count, 250)) * 3
        pack_into_inputs(cs, [bit if i % 3 else bit.negation() for i, bit in enumerate(bits[:count])])

    _, assignment = check_against_reference(circuit, [value % (1 << 250)])
    assert len(assignment.inputs) == 1 + -(-count // 254)


def merkle_path(shape: TreeShape, leaf: int, index: int) -> tuple[int, list[int]]:
    """Return the root, and the data of the inclusion circuit, of a path with made-up siblings."""
    node, data = leaf, [leaf]
    for _, arity, height in shape.parts:
        for level in range(height):
            position, siblings = index % arity, [1000 * level + i for i in range(arity - 1)]
            children = [*siblings[:position], node, *siblings[position:]]
            data += [position, *siblings]
            (node,) = fr.to_ints(poseidon.hash(fr.from_ints(children).reshape(1, arity, 4)))
            index //= arity
    return node, data


@pytest.mark.parametrize(
    ("shape", "rows"),
    [
        (TreeShape(2, 6), 1_887),
        (TreeShape(4, 3), 1_164),
        (TreeShape(8, 2), 1_063),
        (TreeShape(8, 2, 2), 1_377),
        (TreeShape(8, 2, 4, 2), 1_764),
        (TreeShape(8, 2, 8), 1_593),
        (TreeShape(8, 2, 8, 2), 1_907),
        (TreeShape(8, 2, 2, 4), 1_764),
    ],
    ids=str,
)
def test_inclusion_has_filecoins_rows(shape: TreeShape, rows: int) -> None:
    def circuit(cs: Any) -> None:
        (root,) = numbers(cs, 1)
        enforce_inclusion(cs, root, shape=shape)

    index = 0b101101110
    root, data = merkle_path(shape, 42, index)
    compiled, assignment = check_against_reference(circuit, [root, *data])
    # por_circuit.rs test_por_circuit has a public root: one row and one input more.
    assert (compiled.num_constraints, compiled.num_inputs) == (rows - 1, 2)
    bits = sum((arity.bit_length() - 1) * height for _, arity, height in shape.parts)
    assert fr.to_ints(assignment.inputs[1:]) == [index % (1 << bits)]


def test_tree_shapes_are_checked() -> None:
    shape: Any = TreeShape
    for arguments, complaint in (
        ((8, 2, 3), "arities are 2, 4 or 8, not 8, 3, 0"),
        ((2, -1), "base height is 0 or more, not -1"),
        ((2, "3"), "base height: expected int, got str"),
        ((2, 3, 0, 0, "mimc"), "hash is poseidon or sha256, not 'mimc'"),
    ):
        with pytest.raises(InputError, match=complaint):
            shape(*arguments)
    with pytest.raises(InputError, match="shape: expected TreeShape, got int"):
        row_count(lambda cs: enforce_inclusion(cs, *numbers(cs, 1), shape=5))  # type: ignore[arg-type]
