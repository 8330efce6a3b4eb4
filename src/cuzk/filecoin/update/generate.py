"""Makes the vanilla proofs of a sector update, as a storage provider does.

Source: rust-fil-proofs, storage-proofs-update/src/vanilla.rs (`prove_inner`).
"""

import numpy as np

from cuzk.filecoin.seal.updated import UpdatedSector
from cuzk.filecoin.update.config import update_config
from cuzk.filecoin.update.statement import update_challenges
from cuzk.filecoin.update.vanilla import VanillaUpdate


def generate_vanilla(updated: UpdatedSector) -> VanillaUpdate:
    """Open the challenged nodes of all partitions in both replicas and the new data."""
    config = update_config(updated.old.shape)
    challenges = update_challenges(config, updated.statement)
    return VanillaUpdate(
        config,
        comm_c=np.repeat(updated.old.comm_c[np.newaxis], config.partitions, axis=0),
        apex_leaves=updated.data.nodes_at(config.apex_height).reshape(config.partitions, -1, 4),
        old=updated.old.tree.open(challenges),
        data=updated.data.open(challenges),
        new=updated.new.tree.open(challenges),
    )
