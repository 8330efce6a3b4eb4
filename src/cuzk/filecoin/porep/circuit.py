"""The StackedDRG circuit: PoRep of every sector size.

Source: rust-fil-proofs, storage-proofs-porep/src/stacked/circuit/{proof,params,create_label,column,hash}.rs.
"""

import sys
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.circuits import data_tree, kept_circuit, path_data, replica_tree
from cuzk.filecoin.commitments import stack
from cuzk.filecoin.porep import config as porep_config
from cuzk.filecoin.porep.config import BASE_DEGREE, EXPANSION_DEGREE, PorepConfig
from cuzk.filecoin.porep.statement import PorepStatement
from cuzk.filecoin.porep.vanilla import LABEL_PARENTS, VanillaPorep
from cuzk.gadgets.boolean import Boolean
from cuzk.gadgets.merkle import TreeShape, enforce_inclusion_of
from cuzk.gadgets.multipack import CAPACITY, pack_bits, pack_into_inputs
from cuzk.gadgets.number import AllocatedNum, add, enforce_equal
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.gadgets.sha256 import reverse_bytes, sha256
from cuzk.gadgets.uint import Bits, alloc_uint64, constant_uint
from cuzk.r1cs import CompiledCircuit, ConstraintSystem, template

_NODE_BITS = 256


def compiled_circuit(config: PorepConfig) -> CompiledCircuit:
    """Return the compiled circuit, from the cache if it is there."""
    return kept_circuit(config.circuit_id, partial(stacked_porep, config=config), porep_config, sys.modules[__name__])


def stacked_porep(cs: ConstraintSystem, config: PorepConfig) -> None:
    """Write the circuit of a partition: the commitments, then its challenges one after another.

    Data: replica_id, comm_d, comm_r, comm_r_last, comm_c, then that of each challenge. Inputs: replica_id, comm_d,
    comm_r, then those of each challenge.
    """
    replica_id = AllocatedNum.alloc(cs, cs.data())
    with cs.namespace("replica_id_input"):
        replica_id.inputize(cs)
    with cs.namespace("replica_id_bits"):
        replica_id_bits = reverse_bytes(replica_id.to_bits(cs))
    comm_d = AllocatedNum.alloc(cs, cs.data())
    with cs.namespace("comm_d_input"):
        comm_d.inputize(cs)
    comm_r = AllocatedNum.alloc(cs, cs.data())
    with cs.namespace("comm_r_input"):
        comm_r.inputize(cs)
    comm_r_last, comm_c = (AllocatedNum.alloc(cs, cs.data()) for _ in range(2))
    with cs.namespace("H_comm_c_comm_r_last"):
        computed = poseidon_hash(cs, [comm_c, comm_r_last])
    enforce_equal(cs, "enforce comm_r = H(comm_c || comm_r_last)", comm_r, computed)
    for i in range(config.challenges):
        with cs.namespace(f"challenge_{i}"):
            _challenge(
                cs,
                comm_d,
                comm_c,
                comm_r_last,
                replica_id_bits,
                data=data_tree(config.shape),
                replica=replica_tree(config.shape),
                layers=config.layers,
            )


@template
def _challenge(
    cs: ConstraintSystem,
    comm_d: AllocatedNum,
    comm_c: AllocatedNum,
    comm_r_last: AllocatedNum,
    replica_id: Bits,
    *,
    data: TreeShape,
    replica: TreeShape,
    layers: int,
) -> None:
    """Enforce that the challenged node's labels follow from its parents' and encode its data into its replica's node.

    Data: the node of the data and its path; of each parent its column and the column's path; the challenge; the path of
    the replica's node; the path of the challenged node's own column.
    """
    data_leaf = AllocatedNum.alloc(cs, cs.data())
    with cs.namespace("comm_d_inclusion"):
        enforce_inclusion_of(cs, data_leaf, comm_d, shape=data)
    base = [_parent_column(cs, f"drg_parent_{i}", comm_c, replica, layers) for i in range(BASE_DEGREE)]
    expander = [_parent_column(cs, f"exp_parent_{i}", comm_c, replica, layers) for i in range(EXPANSION_DEGREE)]
    with cs.namespace("challenge"):
        challenge = alloc_uint64(cs, cs.data())
    with cs.namespace("challenge input"):
        pack_into_inputs(cs, challenge)
    labels = []
    for layer in range(1, layers + 1):
        with cs.namespace(f"labeling_{layer}"):
            parents = [_label_bits(cs, f"drg_parent_{i}_bits", column[layer - 1]) for i, column in enumerate(base)]
            if layer > 1:  # the labels that expander parents have in the layer before
                parents += [
                    _label_bits(cs, f"exp_parent_{BASE_DEGREE + i}_bits", column[layer - 2])
                    for i, column in enumerate(expander)
                ]
            with cs.namespace("create_label"):
                labels.append(_label(cs, replica_id, parents, challenge, layer=layer))
    with cs.namespace("encode_node/encode_add"):
        encoded = add(cs, labels[-1], data_leaf)
    with cs.namespace("comm_r_last_data_inclusion"):
        enforce_inclusion_of(cs, encoded, comm_r_last, shape=replica)
    with cs.namespace("c_x_column_hash"):
        column_hash = poseidon_hash(cs, labels)
    with cs.namespace("c_x_inclusion"):
        enforce_inclusion_of(cs, column_hash, comm_c, shape=replica)


def _parent_column(
    cs: ConstraintSystem, name: str, comm_c: AllocatedNum, tree: TreeShape, layers: int
) -> list[AllocatedNum]:
    """Return a parent's labels, which are in tree C. Data: the labels, then the path of their hash."""
    column = [AllocatedNum.alloc(cs, cs.data()) for _ in range(layers)]
    with cs.namespace(f"{name}_constraint"):
        column_hash = poseidon_hash(cs, column)
    with cs.namespace(f"{name}_inclusion"):
        enforce_inclusion_of(cs, column_hash, comm_c, shape=tree)
    return column


def _label_bits(cs: ConstraintSystem, name: str, label: AllocatedNum) -> Bits:
    with cs.namespace(name):
        return reverse_bytes(label.to_bits(cs))


@template
def _label(cs: ConstraintSystem, replica_id: Bits, parents: Sequence[Bits], node: Bits, *, layer: int) -> AllocatedNum:
    """Return SHA-256(replica_id, layer u32 BE, node u64 BE, zeros up to 64 bytes, parents again and again)."""
    header: list[Boolean] = [*replica_id, *constant_uint(layer)[::-1], *node[::-1]]
    header += [Boolean.constant(False)] * (2 * _NODE_BITS - len(header))
    repeated = [parents[i % len(parents)] for i in range(LABEL_PARENTS)]
    with cs.namespace("hash"):
        digest = sha256(cs, [*header, *(bit for parent in repeated for bit in parent)])
    with cs.namespace("result_num"):
        return pack_bits(cs, reverse_bytes(digest)[:CAPACITY])


def witness_data(statement: PorepStatement, vanilla: VanillaPorep, partition: int) -> NDArray[np.uint64]:
    """Return the data of a partition's circuit, Fr[n], in the order in which the circuit asks for it."""
    numbers = vanilla.config.challenges
    commitments = np.concatenate(
        [
            stack([statement.replica_id, statement.comm_d, statement.comm_r]),
            vanilla.comm_r_last[partition, np.newaxis],
            vanilla.comm_c[partition, np.newaxis],
        ]
    )
    columns = np.concatenate(
        [vanilla.column_rows, path_data(vanilla.columns.siblings, vanilla.columns.positions)], axis=3
    )[partition]
    challenges = np.zeros((numbers, 1, 4), dtype=np.uint64)
    challenges[:, 0, 0] = vanilla.labels.nodes[partition, :, 0]
    parts = [
        vanilla.data.leaves[partition, :, np.newaxis],
        path_data(vanilla.data.siblings, vanilla.data.positions)[partition],
        columns[:, 1:].reshape(numbers, -1, 4),
        challenges,
        path_data(vanilla.replica.siblings, vanilla.replica.positions)[partition],
        columns[:, 0, vanilla.config.layers :],
    ]
    return np.concatenate([commitments, np.concatenate(parts, axis=1).reshape(-1, 4)])
