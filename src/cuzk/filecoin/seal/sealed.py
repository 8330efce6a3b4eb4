"""Sealing: from a sector's data to its replica and its commitments.

Source: rust-fil-proofs, filecoin-proofs/src/api/seal.rs (pre-commit phases 1 and 2) and
storage-proofs-porep/src/stacked/vanilla/proof.rs.
"""

from dataclasses import dataclass

import numpy as np

from cuzk.algebra import fr, poseidon
from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.porep.graph import StackedGraph
from cuzk.filecoin.porep.statement import replica_id
from cuzk.filecoin.registered import SealProof
from cuzk.filecoin.seal.labels import Labels, create_labels
from cuzk.filecoin.seal.sector import MAX_SECTOR_SIZE, Sector
from cuzk.filecoin.seal.tree import Tree, data_tree, replica_tree


@dataclass(frozen=True)
class SealedSector:
    """A sealed sector with all that its proofs are made of."""

    proof: SealProof
    sector: Sector  # tree R-last over the replica, and comm_c
    ticket: bytes
    replica_id: bytes
    data: Tree  # tree D over the staged data
    labels: Labels
    columns: Tree  # tree C over the hashes of the labels of each node

    @property
    def graph(self) -> StackedGraph:
        """The graph of its labels."""
        return graph_of(self.proof)

    @property
    def comm_d(self) -> Fr:
        """The data's commitment, root of tree D, uint64[4]."""
        return self.data.root

    @property
    def comm_r(self) -> Fr:
        """The replica's commitment, uint64[4]."""
        return self.sector.comm_r


def graph_of(proof: SealProof) -> StackedGraph:
    """Return the graph of a registered proof's labels."""
    return StackedGraph(proof.shape.nodes, proof.porep_id, proof.version)


def seal(proof: SealProof, miner_id: int, number: int, ticket: bytes, staged: Fr, threads: int = 1) -> SealedSector:
    """Seal staged data, Fr[nodes] (see `cuzk.filecoin.seal.fr32.stage`); InputError for too large a sector."""
    shape = proof.shape
    if shape.size > MAX_SECTOR_SIZE:
        raise InputError(f"sector size: sectors of at most {MAX_SECTOR_SIZE >> 20} MiB are sealed, not {shape.label}")
    data = data_tree(shape, staged, threads)
    identity = replica_id(miner_id, number, ticket, fr.to_bytes(data.root[np.newaxis]), proof.porep_id)
    labels = create_labels(graph_of(proof), identity, proof.config.layers)
    columns = replica_tree(shape, column_hashes(labels, threads), threads)
    # The last label of a node is the key that encodes its data.
    replica = replica_tree(shape, fr.add(staged, labels.values[-1], threads), threads)
    sector = Sector(shape, number, comm_c=columns.root, tree=replica)
    return SealedSector(proof, sector, ticket, identity, data, labels, columns)


def column_hashes(labels: Labels, threads: int = 1) -> Fr:
    """Return the hash of each node's labels, which are the leaves of tree C: Fr[k]."""
    hashes: Fr = poseidon.hash(np.ascontiguousarray(labels.values.swapaxes(0, 1)), threads)
    return hashes
