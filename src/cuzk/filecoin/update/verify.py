"""Verification of a sector update's vanilla proofs before anything is synthesized: what fails is named by its place.

The checks are those of rust-fil-proofs, storage-proofs-update/src/vanilla.rs (`verify`), and of the circuit
(storage-proofs-update/src/circuit.rs), which demands more of the apex leaves: that the challenged paths pass through
them, and that they hash to the node that the paths reach.
"""

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr, poseidon, sha256
from cuzk.errors import InputError
from cuzk.filecoin.checks import require_equal, require_paths
from cuzk.filecoin.commitments import Fr, first_false, stack
from cuzk.filecoin.update.statement import UpdateStatement, rho_numbers, rhos
from cuzk.filecoin.update.vanilla import VanillaUpdate, place_of


def verify_vanilla(
    vanilla: VanillaUpdate, statement: UpdateStatement, challenges: NDArray[np.int64], threads: int = 1
) -> None:
    """Raise InputError unless the proofs open the `challenges` (int64[p, c]) of the update that the statement is about.

    The sentence names the partition, the challenge and the check that fails first.
    """

    def poseidon_rows(rows: Fr) -> Fr:
        return poseidon.hash(rows, threads)

    def sha256_rows(rows: Fr) -> Fr:
        return sha256.hash_nodes(rows, threads)

    require_paths(vanilla.old, lambda at: f"{place_of(*at)}: proof_r_old", poseidon_rows)
    data_nodes = require_paths(vanilla.data, lambda at: f"{place_of(*at)}: proof_d_new", sha256_rows)
    require_paths(vanilla.new, lambda at: f"{place_of(*at)}: proof_r_new", poseidon_rows)
    _check_commitments(vanilla, statement)
    _check_apex(vanilla, data_nodes, challenges, threads)
    _check_indices(vanilla, challenges)
    _check_encoding(vanilla, statement, challenges)


def _check_commitments(vanilla: VanillaUpdate, statement: UpdateStatement) -> None:
    comm_r_old, comm_d_new, comm_r_new = stack([statement.comm_r_old, statement.comm_d_new, statement.comm_r_new])
    require_equal(comm_d_new, vanilla.data.roots, lambda at: f"{place_of(*at)}: proof_d_new: root is not comm_d_new")
    for name, paths, comm_r in (("old", vanilla.old, comm_r_old), ("new", vanilla.new, comm_r_new)):
        comm_r_last = paths.roots[:, 0]
        require_equal(
            comm_r_last[:, np.newaxis],
            paths.roots,
            lambda at, name=name: f"{place_of(*at)}: proof_r_{name}: root is not that of challenge 0",  # type: ignore[misc]
        )
        require_equal(
            poseidon.hash(np.stack([vanilla.comm_c, comm_r_last], axis=1)),
            comm_r,
            lambda at, name=name: (  # type: ignore[misc]
                f"partition {at[0]}: comm_r_{name} is not the hash of comm_c and the root of proof_r_{name}"
            ),
        )


def _check_apex(vanilla: VanillaUpdate, data_nodes: list[Fr], challenges: NDArray[np.int64], threads: int) -> None:
    """Check the apex leaves against the nodes on the paths in tree D; `data_nodes[i]`: [p, c, 4], at height i + 1."""
    config = vanilla.config
    above = vanilla.apex_leaves
    while above.shape[1] > 1:
        rows = above.reshape(-1, 2, 4)
        above = sha256.hash_nodes(rows, threads).reshape(config.partitions, -1, 4)
    top = config.node_bits - config.partition_bits
    require_equal(
        data_nodes[top - 1][:, 0],
        above[:, 0],
        lambda at: f"partition {at[0]}: the apex leaves do not hash to the node at height {top} above challenge 0",
    )
    leaves = data_nodes[config.apex_height - 1] if config.apex_height else vanilla.data.leaves
    numbers = challenges >> config.apex_height & (config.apex_leaves - 1)
    apex = np.take_along_axis(vanilla.apex_leaves, numbers[..., np.newaxis], axis=1)
    require_equal(
        apex, leaves, lambda at: f"{place_of(*at)}: proof_d_new: the path does not pass apex leaf {numbers[at]}"
    )


def _check_indices(vanilla: VanillaUpdate, challenges: NDArray[np.int64]) -> None:
    kinds = (("proof_r_old", vanilla.old), ("proof_d_new", vanilla.data), ("proof_r_new", vanilla.new))
    for name, paths in kinds:
        indices = paths.leaf_indices()
        equal = indices == challenges.astype(np.uint64)
        if equal.all():
            continue
        at = first_false(equal)
        raise InputError(
            f"{place_of(*at)}: {name}: leaf index of the path: expected {challenges[at]} by comm_r_new, "
            f"got {indices[at]}"
        )


def _check_encoding(vanilla: VanillaUpdate, statement: UpdateStatement, challenges: NDArray[np.int64]) -> None:
    """Check that a node of the new replica is that of the old one plus data · rho."""
    config = vanilla.config
    numbers = rho_numbers(config, challenges)
    chosen = rhos(config, statement.comm_d_new, statement.comm_r_old)[numbers].reshape(-1, 4)
    old, data = vanilla.old.leaves.reshape(-1, 4), vanilla.data.leaves.reshape(-1, 4)
    encoded = fr.add(old, fr.mul(data, chosen)).reshape(vanilla.new.leaves.shape)
    require_equal(
        encoded,
        vanilla.new.leaves,
        lambda at: f"{place_of(*at)}: the new replica's node is not the old's plus data · rho",
    )
