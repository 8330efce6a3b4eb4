"""Sectors of any size, up to 64 GiB, of which only what is opened is ever computed.

They make true vanilla proofs of the full size in a second, for tests and benchmarks on machines that have no sealed
sector. What makes it possible is knowing beforehand what will be opened: the challenges of an interactive PoRep depend
on comm_d and a seed alone, and those of an update on trees over few different nodes.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr, poseidon, sha256
from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.porep.challenges import porep_challenges
from cuzk.filecoin.porep.statement import PorepStatement, replica_id
from cuzk.filecoin.porep.vanilla import LABEL_PARENTS
from cuzk.filecoin.registered import SealProof
from cuzk.filecoin.seal.implicit import ImplicitTree
from cuzk.filecoin.seal.labels import Labels
from cuzk.filecoin.seal.sealed import SealedSector, column_hashes, graph_of
from cuzk.filecoin.seal.sector import Sector, nodes_from_seed, uniform_sector
from cuzk.filecoin.seal.tree import data_arities
from cuzk.filecoin.seal.updated import UpdatedSector
from cuzk.filecoin.sectors import SectorShape
from cuzk.filecoin.update.config import update_config
from cuzk.filecoin.update.statement import rhos

_ZERO_NODE = np.zeros((1, 4), dtype=np.uint64)


def pretend_to_seal(
    proof: SealProof, miner_id: int, number: int, ticket: bytes, challenge_seed: bytes, seed: bytes
) -> SealedSector:
    """Return a sector of zeros (committed capacity) that can answer the challenges of one seed.

    Labels that are opened as parents are drawn from `seed`, those of challenged nodes follow from them as they must,
    and all other leaves of the trees are zero. InputError for proofs whose challenges depend on comm_r.
    """
    if proof.feature is not None:
        raise InputError(
            f"registered_proof: a {proof.shape.label} sector is too large to seal here, and only an interactive PoRep "
            f"can do without: got {proof.name}"
        )
    shape, graph = proof.shape, graph_of(proof)
    data = ImplicitTree.build(data_arities(shape), _ZERO_NODE, sha256.hash_nodes)
    comm_d = fr.to_bytes(data.root[np.newaxis])
    identity = replica_id(miner_id, number, ticket, comm_d, proof.porep_id)
    # Nothing of comm_r enters the challenges of an interactive PoRep.
    statement = PorepStatement(comm_d, comm_r=comm_d, replica_id=identity, seed=challenge_seed, ticket=ticket)
    challenged = np.unique(porep_challenges(proof, statement))
    parents = graph.parents(challenged).astype(np.int64)
    nodes = np.union1d(challenged, parents)
    drawn = nodes_from_seed(shape, number, b"labels", seed, proof.config.layers * len(nodes))
    labels = Labels(nodes, drawn.reshape(proof.config.layers, -1, 4))
    _label(labels, identity, challenged, parents)
    columns = ImplicitTree.build(shape.path_arities, _ZERO_NODE, poseidon.hash, nodes, column_hashes(labels))
    keys = labels.of(challenged)[-1]  # the data being zero, the replica is the last labels
    replica = ImplicitTree.build(shape.path_arities, _ZERO_NODE, poseidon.hash, challenged, keys)
    sector = Sector(shape, number, comm_c=columns.root, tree=replica)
    return SealedSector(proof, sector, ticket, identity, data, labels, columns)


def _label(labels: Labels, identity: bytes, challenged: NDArray[np.int64], parents: NDArray[np.int64]) -> None:
    """Compute the labels of the challenged nodes [k], ascending, from those of their parents [k, 14], in place.

    A challenged node may be another's parent; base parents are earlier nodes of the same layer, expander parents nodes
    of the layer before: going layer by layer, each in the order of nodes, finds every parent labelled.
    """
    values = labels.values
    own = np.searchsorted(labels.nodes, challenged)
    base, expander = np.split(np.searchsorted(labels.nodes, parents), [6], axis=1)
    for layer in range(len(values)):
        for index, node in enumerate(challenged.tolist()):
            hashed = [values[layer, base[index]]]
            if layer:
                hashed.append(values[layer - 1, expander[index]])
            rows = np.concatenate(hashed)
            repeated = rows[np.resize(np.arange(len(rows)), LABEL_PARENTS)]
            prefix = identity + (layer + 1).to_bytes(4, "big") + node.to_bytes(8, "big") + bytes(20)
            digest = hashlib.sha256(prefix + fr.to_bytes(repeated)).digest()
            values[layer, own[index]] = np.frombuffer(digest, dtype="<u8")
            values[layer, own[index], 3] &= np.uint64((1 << 62) - 1)


def pretend_to_update(shape: SectorShape, number: int, seed: bytes) -> UpdatedSector:
    """Return an update of a sector all of whose nodes are the same, to data all of whose nodes are the same."""
    config = update_config(shape)
    node: Fr = nodes_from_seed(shape, number, b"update", seed, 1)
    data = ImplicitTree.build(data_arities(shape), node, sha256.hash_nodes)
    old = uniform_sector(shape, number, seed)
    of_high_bits = rhos(config, *(fr.to_bytes(element[np.newaxis]) for element in (data.root, old.comm_r)))
    replica = fr.add(
        np.repeat(old.tree.open(np.zeros(1, dtype=np.int64)).leaves, len(of_high_bits), axis=0),
        fr.mul(np.repeat(node, len(of_high_bits), axis=0), of_high_bits),
    )
    tree = ImplicitTree.build(shape.path_arities, replica, poseidon.hash)
    return UpdatedSector(old, Sector(shape, number, old.comm_c, tree), data)
