"""Verification of a PoRep's vanilla proofs before anything is synthesized: what fails is named by its place.

The checks are those of rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/{proof_scheme,params}.rs
(`verify_all_partitions`, `Proof::verify`), and what there only the circuit demands: that every path is a path to its
root, and that the labels a label is computed from are those of the parents' columns. Each check is made for all
partitions and challenges at once.
"""

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr, poseidon, sha256
from cuzk.errors import InputError
from cuzk.filecoin.checks import require_equal, require_paths
from cuzk.filecoin.commitments import Fr, first_false, stack
from cuzk.filecoin.porep.challenges import Challenges
from cuzk.filecoin.porep.statement import PorepStatement
from cuzk.filecoin.porep.vanilla import (
    COLUMN_NAMES,
    LABEL_PARENTS,
    LabelProofs,
    VanillaPorep,
    label_sources,
    place_of,
)


def verify_vanilla(
    vanilla: VanillaPorep,
    statement: PorepStatement,
    challenges: Challenges,
    parents: NDArray[np.uint32],
    threads: int = 1,
    replica_id: bytes | None = None,
) -> None:
    """Raise InputError unless the proofs open the `challenges` (int64[p, c]) of the sector of the statement.

    `parents`: uint32[p, c, 14], the challenged nodes' parents in the graph. `replica_id`: what it must be, if known.
    The sentence names the partition, the challenge and the check that fails first.
    """
    nodes = np.concatenate([challenges[..., np.newaxis], parents], axis=-1).astype(np.uint64)
    _check_paths(vanilla, threads)
    _check_columns(vanilla, threads)
    _check_commitments(vanilla, statement, threads)
    if replica_id is not None and statement.replica_id != replica_id:
        raise InputError(
            f"replica_id is not that of the miner, the sector, the ticket and comm_d: expected {replica_id.hex()}, "
            f"got {statement.replica_id.hex()}"
        )
    _check_indices(vanilla, nodes)
    _check_label_parents(vanilla)
    _check_labels(vanilla, statement, challenges, threads)
    _check_encoding(vanilla)


def _check_paths(vanilla: VanillaPorep, threads: int) -> None:
    def poseidon_rows(rows: Fr) -> Fr:
        return poseidon.hash(rows, threads)

    def sha256_rows(rows: Fr) -> Fr:
        return sha256.hash_nodes(rows, threads)

    require_paths(vanilla.data, lambda at: f"{place_of(*at)}: comm_d_proofs", sha256_rows)
    require_paths(vanilla.replica, lambda at: f"{place_of(*at)}: comm_r_last_proof", poseidon_rows)
    require_paths(vanilla.columns, lambda at: f"{place_of(*at)}: inclusion_proof", poseidon_rows)


def _check_columns(vanilla: VanillaPorep, threads: int) -> None:
    rows = vanilla.column_rows
    hashes = poseidon.hash(rows.reshape(-1, vanilla.config.layers, 4), threads).reshape(*rows.shape[:3], 4)
    require_equal(
        hashes, vanilla.columns.leaves, lambda at: f"{place_of(*at)}: the hash of the column's rows is not the leaf"
    )


def _check_commitments(vanilla: VanillaPorep, statement: PorepStatement, threads: int) -> None:
    """Check that all paths lead to the same three roots, and that these are the statement's."""
    comm_c, comm_r_last = vanilla.comm_c, vanilla.comm_r_last
    require_equal(
        comm_c[:, np.newaxis, np.newaxis],
        vanilla.columns.roots,
        lambda at: f"{place_of(*at)}: inclusion_proof: root is not the partition's comm_c",
    )
    require_equal(
        comm_r_last[:, np.newaxis],
        vanilla.replica.roots,
        lambda at: f"{place_of(*at)}: comm_r_last_proof: root is not the partition's comm_r_last",
    )
    comm_d, comm_r = stack([statement.comm_d, statement.comm_r])
    require_equal(comm_d, vanilla.data.roots, lambda at: f"{place_of(*at)}: comm_d_proofs: root is not comm_d")
    hashes = poseidon.hash(np.stack([comm_c, comm_r_last], axis=1), threads)
    require_equal(hashes, comm_r, lambda at: f"partition {at[0]}: comm_r is not the hash of comm_c and comm_r_last")


def _check_indices(vanilla: VanillaPorep, nodes: NDArray[np.uint64]) -> None:
    """Check which leaves are opened; `nodes`: uint64[p, c, 15], the challenged node and its parents."""
    challenges = nodes[..., 0]
    kinds: list[tuple[str, NDArray[np.unsignedinteger], NDArray[np.integer]]] = [
        ("comm_d_proofs: leaf index of the path", vanilla.data.leaf_indices(), challenges),
        ("comm_r_last_proof: leaf index of the path", vanilla.replica.leaf_indices(), challenges),
        ("inclusion_proof: leaf index of the path", vanilla.columns.leaf_indices(), nodes),
        ("column index", vanilla.column_nodes, nodes),
        ("node of a labeling proof", vanilla.labels.nodes, challenges[..., np.newaxis]),
        ("layer of a labeling proof", vanilla.labels.layers, np.arange(1, vanilla.config.layers + 1)),
        ("node of the encoding proof", vanilla.encoding.nodes, challenges),
        ("layer of the encoding proof", vanilla.encoding.layers, np.array(vanilla.config.layers)),
    ]
    for name, got, wanted in kinds:
        equal = got == wanted
        if equal.all():
            continue
        at = first_false(equal)
        expected = int(np.broadcast_to(wanted, got.shape)[at])
        place = f"{place_of(*at[:2])}, layer {at[2] + 1}" if "labeling" in name else place_of(*at)
        raise InputError(f"{place}: {name}: expected {expected}, got {int(got[at])}")


def _check_label_parents(vanilla: VanillaPorep) -> None:
    """Check that labels are computed from rows of the parents' columns."""
    columns, rows = label_sources(vanilla.config.layers)

    def place(at: tuple[int, ...]) -> str:
        return (
            f"{place_of(*at[:2])}: labeling proof of layer {at[2] + 1}: parent {at[3]} is not the label of "
            f"{COLUMN_NAMES[columns[at[2:]]]}"
        )

    require_equal(vanilla.column_rows[:, :, columns, rows], vanilla.labels.parents, place)
    require_equal(
        vanilla.labels.parents[:, :, -1],
        vanilla.encoding.parents,
        lambda at: f"{place_of(*at[:2])}: encoding_proof: parent {at[2]} is not that of the last labeling proof",
    )


def _check_labels(vanilla: VanillaPorep, statement: PorepStatement, challenges: Challenges, threads: int) -> None:
    computed = compute_labels(vanilla.labels, statement.replica_id, threads)
    require_equal(
        computed,
        vanilla.column_rows[:, :, 0],
        lambda at: (
            f"{place_of(*at[:2])}: the label of node {challenges[at[:2]]} in layer {at[2] + 1} is not the hash of its "
            f"parents"
        ),
    )


def compute_labels(labels: LabelProofs, replica_id: bytes, threads: int = 1) -> Fr:
    """Return the labels that follow from their parents, uint64[*grid, 4]; see `cuzk.filecoin.seal.labels`."""
    grid = labels.layers.shape
    count = labels.layers.size
    messages = np.zeros((count, 64 + 32 * LABEL_PARENTS), dtype=np.uint8)
    messages[:, :32] = np.frombuffer(replica_id, dtype=np.uint8)
    messages[:, 32:36] = labels.layers.reshape(-1, 1).astype(">u4").view(np.uint8)
    messages[:, 36:44] = labels.nodes.reshape(-1, 1).astype(">u8").view(np.uint8)
    messages[:, 64:] = labels.parents.reshape(count, -1).astype("<u8").view(np.uint8)
    digests = sha256.hash(messages, threads)
    digests[:, 31] &= 0x3F
    return digests.view("<u8").astype(np.uint64).reshape(*grid, 4)


def _check_encoding(vanilla: VanillaPorep) -> None:
    """Check that the replica's node is the sum of the data and the last label; that label has been checked."""
    key = vanilla.column_rows[:, :, 0, -1]
    data = vanilla.data.leaves
    encoded = fr.add(np.ascontiguousarray(key).reshape(-1, 4), data.reshape(-1, 4)).reshape(data.shape)
    require_equal(
        encoded,
        vanilla.replica.leaves,
        lambda at: f"{place_of(*at)}: the replica's node is not the data's plus the last label",
    )
