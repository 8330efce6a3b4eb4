"""A sector that can be challenged: its replica's tree and its commitments.

For proofs of spacetime the replica may be anything: `sector_from_seed` draws one, and a comm_c in place of a column
tree's root, so that a development sector takes seconds. Nobody can tell it from a sealed one by its PoSt.
"""

import hashlib
from dataclasses import dataclass

import numpy as np

from cuzk.algebra import poseidon
from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.seal.implicit import ImplicitTree
from cuzk.filecoin.seal.tree import Tree, replica_tree
from cuzk.filecoin.sectors import NODE_SIZE, SectorShape

#: Larger replicas are not drawn and not sealed: 16 MiB takes seconds, and its tree 1/7 more memory.
MAX_SECTOR_SIZE = 1 << 24


@dataclass(frozen=True)
class Sector:
    """A sealed sector as PoSt sees it."""

    shape: SectorShape
    number: int
    comm_c: Fr
    tree: Tree

    @property
    def comm_r_last(self) -> Fr:
        """Root of the tree over the replica, uint64[4]."""
        return self.tree.root

    @property
    def comm_r(self) -> Fr:
        """The replica's commitment, Poseidon(comm_c, comm_r_last), uint64[4]."""
        comm_r: Fr = poseidon.hash(np.stack([self.comm_c, self.comm_r_last])[np.newaxis])[0]
        return comm_r


def sector_from_seed(shape: SectorShape, number: int, seed: bytes, threads: int = 1) -> Sector:
    """Return a development sector: replica and comm_c are drawn from size, number and seed.

    Where the sector is too large to be drawn, all nodes of its replica are the same.
    """
    if shape.size > MAX_SECTOR_SIZE:
        return uniform_sector(shape, number, seed)
    drawn = nodes_from_seed(shape, number, b"sector", seed, shape.nodes + 1)
    return Sector(shape, number, comm_c=drawn[0], tree=replica_tree(shape, drawn[1:], threads))


def uniform_sector(shape: SectorShape, number: int, seed: bytes) -> Sector:
    """Return a development sector of any size all of whose nodes are the same."""
    comm_c, node = nodes_from_seed(shape, number, b"sector", seed, 2)
    return Sector(shape, number, comm_c, ImplicitTree.build(shape.path_arities, node[np.newaxis], poseidon.hash))


def nodes_from_seed(shape: SectorShape, number: int, purpose: bytes, seed: bytes, count: int) -> Fr:
    """Draw `count` nodes for a purpose of a development sector: SHAKE-256, 254 bits each, as fr32 padding leaves."""
    if not 0 <= number < 1 << 64:
        raise InputError(f"sector number: expected an unsigned 64-bit number, got {number}")
    stream = hashlib.shake_256(b"cuzk development " + purpose + shape.size.to_bytes(8, "little"))
    stream.update(number.to_bytes(8, "little") + seed)
    drawn = np.frombuffer(stream.digest(count * NODE_SIZE), dtype="<u8").reshape(-1, 4).astype(np.uint64)
    drawn[:, 3] &= np.uint64((1 << 62) - 1)
    return drawn
