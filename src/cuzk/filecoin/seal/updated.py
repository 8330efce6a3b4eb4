"""Updating: new data in a sealed sector without sealing it again (SnapDeals).

Source: rust-fil-proofs, storage-proofs-update/src/vanilla.rs (`encode_into`).
"""

from dataclasses import dataclass

import numpy as np

from cuzk.algebra import fr
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.seal.sector import Sector
from cuzk.filecoin.seal.tree import Tree, data_tree, replica_tree
from cuzk.filecoin.update.config import update_config
from cuzk.filecoin.update.statement import UpdateStatement, rho_numbers, rhos


@dataclass(frozen=True)
class UpdatedSector:
    """A sector before and after its update; both replicas have the comm_c of the sealing."""

    old: Sector
    new: Sector
    data: Tree  # tree D over the new data

    @property
    def statement(self) -> UpdateStatement:
        """What its proof states."""
        commitments = np.stack([self.old.comm_r, self.data.root, self.new.comm_r])
        comm_r_old, comm_d_new, comm_r_new = (element.astype("<u8").tobytes() for element in commitments)
        return UpdateStatement(comm_r_old, comm_d_new, comm_r_new)


def update(old: Sector, staged: Fr, threads: int = 1) -> UpdatedSector:
    """Encode staged data, Fr[nodes], into a sealed sector: new replica = old replica + data · rho, node by node."""
    config = update_config(old.shape)
    data = data_tree(old.shape, staged, threads)
    of_high_bits = rhos(config, *(fr.to_bytes(element[np.newaxis]) for element in (data.root, old.comm_r)))
    rho = of_high_bits[rho_numbers(config, np.arange(old.shape.nodes))]
    replica = fr.add(old.tree.nodes_at(0), fr.mul(staged, rho, threads), threads)
    tree = replica_tree(old.shape, replica, threads)
    return UpdatedSector(old, Sector(old.shape, old.number, old.comm_c, tree), data)
