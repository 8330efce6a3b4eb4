"""Makes the vanilla proofs of a PoRep from a sealed sector, as a storage provider does (commit phase 1).

Source: rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/proof.rs (`prove_layers_generate`).
"""

import numpy as np

from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.porep.challenges import porep_challenges
from cuzk.filecoin.porep.statement import PorepStatement
from cuzk.filecoin.porep.vanilla import LabelProofs, VanillaPorep, label_sources
from cuzk.filecoin.seal.sealed import SealedSector


def statement_about(sealed: SealedSector, seed: bytes) -> PorepStatement:
    """Return what a PoRep of the sector states, given the seed of its challenges."""
    return PorepStatement(
        comm_d=_bytes(sealed.comm_d),
        comm_r=_bytes(sealed.comm_r),
        replica_id=sealed.replica_id,
        seed=seed,
        ticket=sealed.ticket,
    )


def generate_vanilla(sealed: SealedSector, statement: PorepStatement) -> VanillaPorep:
    """Open the challenged nodes of all partitions."""
    config = sealed.proof.config
    challenges = porep_challenges(sealed.proof, statement)
    parents = sealed.graph.parents(challenges.reshape(-1)).reshape(*challenges.shape, -1)
    nodes = np.concatenate([challenges[..., np.newaxis], parents], axis=-1)
    rows = np.moveaxis(sealed.labels.of(nodes), 0, 3)
    columns_of_labels, rows_of_labels = label_sources(config.layers)
    layers = np.broadcast_to(np.arange(1, config.layers + 1, dtype=np.uint32), (*challenges.shape, config.layers))
    labels = LabelProofs(
        parents=rows[:, :, columns_of_labels, rows_of_labels],
        layers=layers,
        nodes=np.repeat(challenges[..., np.newaxis], config.layers, axis=-1).astype(np.uint64),
    )
    return VanillaPorep(
        config,
        data=sealed.data.open(challenges),
        replica=sealed.sector.tree.open(challenges),
        columns=sealed.columns.open(nodes),
        column_rows=np.ascontiguousarray(rows),
        column_nodes=nodes.astype(np.uint32),
        labels=labels,
        encoding=LabelProofs(labels.parents[:, :, -1], labels.layers[:, :, -1], labels.nodes[:, :, -1]),
    )


def _bytes(element: Fr) -> bytes:
    return element.astype("<u8").tobytes()
