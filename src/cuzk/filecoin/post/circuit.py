"""The FallbackPoSt circuit: WinningPoSt and WindowPoSt of every sector size.

Source: rust-fil-proofs, storage-proofs-post/src/fallback/circuit.rs.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cuzk import gadgets, r1cs
from cuzk.algebra import poseidon
from cuzk.filecoin import sectors
from cuzk.filecoin.parameters.folder import cache_folder
from cuzk.filecoin.post import config as post_config
from cuzk.filecoin.post.config import PostConfig, window_config, winning_config
from cuzk.filecoin.post.vanilla import VanillaPost
from cuzk.gadgets.merkle import TreeShape, enforce_inclusion
from cuzk.gadgets.number import AllocatedNum, enforce_equal
from cuzk.gadgets.poseidon import poseidon_hash
from cuzk.r1cs import CompiledCircuit, ConstraintSystem, template
from cuzk.r1cs.cache import cached_circuit

# The code that makes the circuit: with any of it changed, a cached circuit is not used.
_SOURCES = (
    *(Path(package.__path__[0]) for package in (r1cs, gadgets)),
    *(Path(str(module.__file__)) for module in (poseidon, sectors, post_config)),
    Path(__file__),
)


def compiled_circuit(config: PostConfig) -> CompiledCircuit:
    """Return the compiled circuit, from the cache if it is there."""
    usual = winning_config(config.shape) if config.kind == "winning" else window_config(config.shape)
    name = config.circuit_id if config == usual else f"{config.circuit_id}-{config.sectors}-sectors"
    return cached_circuit(cache_folder() / "circuits", name, lambda cs: fallback_post(cs, config), _SOURCES)


def fallback_post(cs: ConstraintSystem, config: PostConfig) -> None:
    """Write the circuit of a partition: its sectors one after another."""
    for i in range(config.sectors):
        with cs.namespace(f"outer namespace/sector_{i}"):
            _sector(cs, shape=_tree_shape(config), challenges=config.challenges)


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
    paths = [proofs.leaves[:, :, None]]
    for step, siblings in enumerate(proofs.siblings):
        position = np.zeros((sectors, config.challenges, 1, 4), dtype=np.uint64)
        position[:, :, 0, 0] = proofs.positions[:, :, step]
        paths += [position, siblings]
    commitments = np.stack([proofs.comm_r_last, proofs.comm_c, proofs.comm_r], axis=1)
    inclusions = np.concatenate(paths, axis=2).reshape(sectors, -1, 4)
    data = np.concatenate([commitments, inclusions], axis=1)
    padded = np.minimum(np.arange(config.sectors), sectors - 1)
    return data[padded].reshape(-1, 4)


def _tree_shape(config: PostConfig) -> TreeShape:
    shape = config.shape
    return TreeShape(shape.base_arity, shape.base_height, shape.sub_arity, shape.top_arity)
