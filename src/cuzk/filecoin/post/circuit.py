"""The FallbackPoSt circuit: WinningPoSt and WindowPoSt of every sector size.

Source: rust-fil-proofs, storage-proofs-post/src/fallback/circuit.rs.
"""

import sys
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.circuits import kept_circuit, path_data, replica_tree
from cuzk.filecoin.post import config as post_config
from cuzk.filecoin.post.config import PostConfig, window_config, winning_config
from cuzk.filecoin.post.vanilla import VanillaPost
from cuzk.gadgets.merkle import TreeShape, enforce_inclusion
from cuzk.gadgets.number import AllocatedNum, enforce_equal
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.r1cs import CompiledCircuit, ConstraintSystem, template


def compiled_circuit(config: PostConfig) -> CompiledCircuit:
    """Return the compiled circuit, from the cache if it is there."""
    usual = winning_config(config.shape) if config.kind == "winning" else window_config(config.shape)
    name = config.circuit_id if config == usual else f"{config.circuit_id}-{config.sectors}-sectors"
    return kept_circuit(name, partial(fallback_post, config=config), post_config, sys.modules[__name__])


def fallback_post(cs: ConstraintSystem, config: PostConfig) -> None:
    """Write the circuit of a partition: its sectors one after another."""
    for i in range(config.sectors):
        with cs.namespace(f"outer namespace/sector_{i}"):
            _sector(cs, shape=replica_tree(config.shape), challenges=config.challenges)


@template
def _sector(cs: ConstraintSystem, *, shape: TreeShape, challenges: int) -> None:
    """Enforce comm_r = H(comm_c, comm_r_last) and the inclusion of each challenged leaf under comm_r_last.

    Data: comm_r_last, comm_c, comm_r, then the data of each inclusion. Inputs: comm_r, then the leaves' indices.
    """
    comm_r_last, comm_c, comm_r = (AllocatedNum.alloc(cs, cs.data()) for _ in range(3))
    with cs.namespace("comm_r_input"):
        comm_r.inputize(cs)
    with cs.namespace("H_comm_c_comm_r_last"):
        computed = poseidon_hash(cs, [comm_c, comm_r_last])
    enforce_equal(cs, "enforce_comm_c_comm_r_last_hash_comm_r", comm_r, computed)
    for i in range(challenges):
        with cs.namespace(f"challenge_inclusion_{i}"):
            enforce_inclusion(cs, comm_r_last, shape=shape)


def witness_data(proofs: VanillaPost) -> NDArray[np.uint64]:
    """Return the data of the circuit, Fr[n], in the order in which `_sector` and what it uses ask for it.

    A short partition repeats its last sector (rust-fil-proofs, storage-proofs-post/src/fallback/vanilla.rs).
    """
    config, sectors = proofs.config, proofs.sectors
    commitments = np.stack([proofs.comm_r_last, proofs.comm_c, proofs.comm_r], axis=1)
    paths = path_data(proofs.siblings, proofs.positions)
    inclusions = np.concatenate([proofs.leaves[:, :, None], paths], axis=2).reshape(sectors, -1, 4)
    data = np.concatenate([commitments, inclusions], axis=1)
    padded = np.minimum(np.arange(config.sectors), sectors - 1)
    return data[padded].reshape(-1, 4)
