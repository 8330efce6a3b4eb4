"""The EmptySectorUpdate circuit: sector updates of every size.

Source: rust-fil-proofs, storage-proofs-update/src/{circuit,gadgets}.rs; storage-proofs-core/src/gadgets/por.rs
(`por_no_challenge_input`).
"""

import sys
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import poseidon
from cuzk.filecoin.circuits import kept_circuit, replica_tree
from cuzk.filecoin.update import config as update_config
from cuzk.filecoin.update.config import UpdateConfig
from cuzk.filecoin.update.public_inputs import partition_public_inputs
from cuzk.filecoin.update.statement import UpdateStatement
from cuzk.filecoin.update.vanilla import VanillaUpdate
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.insertion import insert
from cuzk.gadgets.merkle import HashName, TreeShape, hash_children
from cuzk.gadgets.multipack import CAPACITY, pack_bits
from cuzk.gadgets.number import AllocatedNum, alloc_bits, enforce_equal, select
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.gadgets.sha256 import sha256_hash_numbers
from cuzk.r1cs import ONE, CompiledCircuit, ConstraintSystem, LinearCombination, template

_ONE = LinearCombination([(1, ONE)])
_RANDOMNESS = poseidon.custom_domain_tag(1)

Bits = Sequence[Boolean]
Numbers = Sequence[AllocatedNum]
Path = Sequence[Numbers]


def compiled_circuit(config: UpdateConfig) -> CompiledCircuit:
    """Return the compiled circuit, from the cache if it is there."""
    return kept_circuit(config.circuit_id, partial(sector_update, config=config), update_config, sys.modules[__name__])


def sector_update(cs: ConstraintSystem, config: UpdateConfig) -> None:
    """Write the circuit of a partition.

    Data: partition and selector in one number, comm_r_old, comm_d_new, comm_r_new, comm_c, the roots of both replica
    trees, the apex leaves, the siblings above the partition's part of tree D, then that of each challenge.
    """
    partition_bits, selector_bits = _partition_and_selector(cs, config)
    with cs.namespace("pack partition bits"):
        partition = pack_bits(cs, partition_bits)
    comm_r_old, comm_d_new, comm_r_new = (
        _public(cs, f"{name}_input") for name in ("comm_r_old", "comm_d_new", "comm_r_new")
    )
    with cs.namespace("phi"):
        phi = poseidon_hash(cs, [comm_d_new, comm_r_old], _RANDOMNESS)
    comm_c, root_r_old, root_r_new = _allocated(cs, 3)
    apex_leaves = _allocated(cs, config.apex_leaves)
    partition_path = [_allocated(cs, 1) for _ in range(config.partition_bits)]
    for name, root, comm_r in (("comm_r_old", root_r_old, comm_r_old), ("comm_r_new", root_r_new, comm_r_new)):
        with cs.namespace(f"{name}_calc"):
            computed = poseidon_hash(cs, [comm_c, root])
        enforce_equal(cs, f"enforce {name}_calc == {name}", computed, comm_r)
    with cs.namespace("apex_gadget"):
        _apex_tree(cs, apex_leaves, partition_bits, partition_path, comm_d_new)
    with cs.namespace("gen_challenge_bits"):
        challenges = _challenges(cs, config, comm_r_new, partition)
    for number, challenge in enumerate(challenges):
        _challenge(
            cs, config, number, [*challenge, *partition_bits], selector_bits, phi, apex_leaves, root_r_old, root_r_new
        )


def _public(cs: ConstraintSystem, name: str) -> AllocatedNum:
    number = AllocatedNum.alloc(cs, cs.data())
    with cs.namespace(name):
        number.inputize(cs)
    return number


def _allocated(cs: ConstraintSystem, count: int) -> list[AllocatedNum]:
    return [AllocatedNum.alloc(cs, cs.data()) for _ in range(count)]


def _partition_and_selector(cs: ConstraintSystem, config: UpdateConfig) -> tuple[Bits, Bits]:
    """Return the bits of the partition's number and of the selector, both in one public input."""
    value = cs.data()
    number = AllocatedNum.alloc(cs, value)
    with cs.namespace("k_and_h_select (public input)"):
        number.inputize(cs)
    bits = []
    for i in range(config.partition_bits + len(config.high_bits)):
        with cs.namespace(f"k_and_h_select_bit_{i}"):
            bits.append(Boolean.alloc(cs, cs.values.bit(value, i)))
    cs.enforce("k_and_h_select binary decomp", _packed(bits), _ONE, number.combination())
    return bits[: config.partition_bits], bits[config.partition_bits :]


def _packed(bits: Bits) -> LinearCombination:
    return LinearCombination.weighted((1 << i, bit.combination()) for i, bit in enumerate(bits))


def _apex_tree(
    cs: ConstraintSystem, leaves: Numbers, partition_bits: Bits, path: Path, comm_d_new: AllocatedNum
) -> None:
    """Enforce that the apex leaves hash up to the partition's node of tree D."""
    row, number = list(leaves), 0
    while len(row) > 1:
        above = []
        for i in range(len(row) // 2):
            with cs.namespace(f"apex_tree generation hash (tree_row={number}, siblings={i})"):
                above.append(_hash_pair(cs, row[2 * i], row[2 * i + 1]))
        row, number = above, number + 1
    with cs.namespace("partition-tree por"):
        _enforce_path(cs, partition_bits, row[0], path, comm_d_new, hash_name="sha256")


@template
def _hash_pair(cs: ConstraintSystem, left: AllocatedNum, right: AllocatedNum) -> AllocatedNum:
    return sha256_hash_numbers(cs, [left, right], ["a_bits", "b_bits"])


@template
def _enforce_path(
    cs: ConstraintSystem, bits: Bits, leaf: AllocatedNum, path: Path, root: AllocatedNum, *, hash_name: HashName
) -> None:
    """Enforce that the leaf, whose index has these bits, is in the tree with this root."""
    node, remaining = leaf, list(bits)
    for height, siblings in enumerate(path):
        count = len(siblings).bit_length()  # siblings are 2^count - 1
        position, remaining = remaining[:count], remaining[count:]
        with cs.namespace(f"merkle proof insert (height={height})"):
            children = _insert(cs, node, position, siblings)
        with cs.namespace(f"merkle proof hash (height={height})"):
            node = _hash_children(cs, children, hash_name=hash_name)
    enforce_equal(cs, "calculated root == provided root", node, root)


_insert = template(insert)


@template
def _hash_children(cs: ConstraintSystem, children: Numbers, *, hash_name: HashName) -> AllocatedNum:
    return hash_children(cs, children, hash_name)


def _challenges(
    cs: ConstraintSystem, config: UpdateConfig, comm_r_new: AllocatedNum, partition: AllocatedNum
) -> list[Bits]:
    """Return each challenge's bits within the partition, cut from digests of comm_r_new and a counter."""
    size = config.node_bits - config.partition_bits
    per_digest = CAPACITY // size
    digests = -(-config.challenges // per_digest)
    challenges: list[Bits] = []
    for j in range(digests):
        counter = LinearCombination([(digests, partition.variable), (j, ONE)])
        number = AllocatedNum.alloc(cs, cs.evaluate(counter))
        cs.enforce(f"digest_index_{j} == k * digests_per_partition + {j}", counter, _ONE, number.combination())
        with cs.namespace(f"digest_{j}"):
            digest = poseidon_hash(cs, [comm_r_new, number], _RANDOMNESS)
        with cs.namespace(f"digest_{j}_bits"):
            bits = _decomposed(cs, digest)
        taken = min(per_digest, config.challenges - len(challenges))
        challenges += [bits[i * size : (i + 1) * size] for i in range(taken)]
    return challenges


@template
def _decomposed(cs: ConstraintSystem, number: AllocatedNum) -> Bits:
    bits = alloc_bits(cs, number.value(cs))
    cs.enforce("binary decomp", _packed(bits), _ONE, number.combination(), a_value=number.value(cs))
    return bits


def _challenge(
    cs: ConstraintSystem,
    config: UpdateConfig,
    number: int,
    bits: Bits,
    selector_bits: Bits,
    phi: AllocatedNum,
    apex_leaves: Numbers,
    root_r_old: AllocatedNum,
    root_r_new: AllocatedNum,
) -> None:
    """Enforce that a node of the new replica encodes its data, and that all three are in their trees.

    Data: the old replica's node, the data's, the siblings of the paths in the old and new replica's tree and up to the
    apex leaf in tree D. What follows stands in the circuit's own namespaces, numbered, and is not a template.
    """
    here = f"(c_index={number})"
    with cs.namespace(f"get_challenge_high_bits {here}"):
        high = _high_bits(cs, bits, selector_bits, choices=config.high_bits)
    with cs.namespace(f"rho {here}"):
        rho = poseidon_hash(cs, [phi, high], _RANDOMNESS)
    old, data = _allocated(cs, 2)
    with cs.namespace(f"leaf_r_new {here}"):
        new = _encode(cs, old, data, rho)
    replica = replica_tree(config.shape)
    for name, leaf, root in (("old", old, root_r_old), ("new", new, root_r_new)):
        path = _siblings(cs, replica)
        with cs.namespace(f"por tree_r_{name} {here}"):
            _enforce_path(cs, bits, leaf, path, root, hash_name="poseidon")
    below, index_bits = config.apex_height, len(apex_leaves).bit_length() - 1
    with cs.namespace(f"select_apex_leaf {here}"):
        apex_leaf = _select(cs, apex_leaves, bits[below : below + index_bits])
    path = [_allocated(cs, 1) for _ in range(below)]
    with cs.namespace(f"por to_apex_leaf {here}"):
        _enforce_path(cs, bits[:below], data, path, apex_leaf, hash_name="sha256")


_select = template(select)


def _siblings(cs: ConstraintSystem, tree: TreeShape) -> Path:
    return [_allocated(cs, arity - 1) for _, arity, height in tree.parts for _ in range(height)]


@template
def _high_bits(cs: ConstraintSystem, bits: Bits, selector_bits: Bits, *, choices: tuple[int, ...]) -> AllocatedNum:
    """Return as many of the highest bits as the one selector bit that is set says."""
    terms = []
    for k, (count, selected) in enumerate(zip(choices, selector_bits, strict=True)):
        here = f"(h={count}, k={k})"
        with cs.namespace(f"c_high {here}"):
            high = pack_bits(cs, bits[len(bits) - count :])
        condition = selected.value(cs)
        term = AllocatedNum.alloc(cs, cs.values.select(condition, high.value(cs), cs.values.linear([], 0)))
        cs.enforce(
            f"c_high_or_zero == c_high * h_select_bit {here}",
            high.combination(),
            selected.combination(),
            term.combination(),
        )
        terms.append(term)
    total = LinearCombination.weighted((1, term.combination()) for term in terms)
    result = AllocatedNum.alloc(cs, cs.evaluate(total))
    cs.enforce("c_high_selected == dot(c_highs, h_select_bits)", total, _ONE, result.combination())
    return result


@template
def _encode(cs: ConstraintSystem, old: AllocatedNum, data: AllocatedNum, rho: AllocatedNum) -> AllocatedNum:
    """Return old + data * rho."""
    with cs.namespace("label_d_new * rho"):
        scaled = data.product(cs, rho)
    total = old.combination() + scaled.combination()
    new = AllocatedNum.alloc(cs, cs.evaluate(total))
    cs.enforce("label_r_new == label_r_old + label_d_new * rho", total, _ONE, new.combination())
    return new


def witness_data(statement: UpdateStatement, vanilla: VanillaUpdate, partition: int) -> NDArray[np.uint64]:
    """Return the data of a partition's circuit, Fr[n], in the order in which the circuit asks for it."""
    config = vanilla.config
    top = config.node_bits - config.partition_bits
    heading = [
        partition_public_inputs(config, statement, partition),
        np.stack([vanilla.comm_c[partition], vanilla.old.roots[partition, 0], vanilla.new.roots[partition, 0]]),
        vanilla.apex_leaves[partition],
        *(siblings[partition, 0] for siblings in vanilla.data.siblings[top:]),
    ]
    challenges = [
        vanilla.old.leaves[partition, :, np.newaxis],
        vanilla.data.leaves[partition, :, np.newaxis],
        *(siblings[partition] for siblings in vanilla.old.siblings),
        *(siblings[partition] for siblings in vanilla.new.siblings),
        *(siblings[partition] for siblings in vanilla.data.siblings[: config.apex_height]),
    ]
    return np.concatenate([*heading, np.concatenate(challenges, axis=1).reshape(-1, 4)])
