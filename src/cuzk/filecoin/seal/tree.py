"""Merkle trees whose rows may have different arities, such as Filecoin's compound trees (base, sub, top).

Base trees lie one after another in leaf order, and so do the sub trees above them: a compound tree is one tree in which
the arity changes with the row. Source: filecoin-project/merkletree, and rust-fil-proofs storage-proofs-core merkle/.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import poseidon, sha256
from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.inclusion import HashRows, InclusionPaths
from cuzk.filecoin.sectors import SectorShape

#: Gives the nodes of a row with these indices: int64[*grid] to uint64[*grid, 4].
TakeNodes = Callable[[NDArray[np.integer]], Fr]


class Tree(Protocol):
    """What proofs need of a tree."""

    @property
    def root(self) -> Fr:
        """The root, uint64[4]."""
        ...

    def nodes_at(self, height: int) -> Fr:
        """Return all nodes at a height above the leaves, Fr[n]."""
        ...

    def open(self, leaves: NDArray[np.integer]) -> InclusionPaths:
        """Return the inclusion paths of the leaves with these indices, of any shape [*grid]."""
        ...


@dataclass(frozen=True)
class MerkleTree:
    """All rows of a tree: `rows[0]` are the leaves, the last is the root alone; each uint64[n, 4]."""

    arities: tuple[int, ...]
    rows: tuple[Fr, ...]

    @classmethod
    def build(cls, leaves: Fr, arities: Sequence[int], hash_rows: HashRows) -> "MerkleTree":
        """Hash the leaves up to the root; `arities` go from the leaves to the root and multiply to their number."""
        if len(leaves) != np.prod(arities, dtype=np.uint64):
            raise InputError(f"a tree of arities {tuple(arities)} does not have {len(leaves)} leaves")
        rows = [leaves]
        for arity in arities:
            rows.append(hash_rows(rows[-1].reshape(-1, arity, 4)))
        return cls(tuple(arities), tuple(rows))

    @property
    def root(self) -> Fr:
        """The root, uint64[4]."""
        root: Fr = self.rows[-1][0]
        return root

    def nodes_at(self, height: int) -> Fr:
        """Return all nodes at a height above the leaves, Fr[n]."""
        return self.rows[height]

    def open(self, leaves: NDArray[np.integer]) -> InclusionPaths:
        """Return the inclusion paths of the leaves with these indices, of any shape [*grid]."""
        return open_rows(self.arities, [row.__getitem__ for row in self.rows], leaves)


def open_rows(arities: Sequence[int], take: Sequence[TakeNodes], leaves: NDArray[np.integer]) -> InclusionPaths:
    """Return the paths of leaves [*grid] in a tree; `take` gives nodes of each of its rows, from the leaves up."""
    siblings, positions = [], []
    nodes = leaves.astype(np.int64)
    for arity, row in zip(arities, take[:-1], strict=True):
        parents, position = np.divmod(nodes, arity)
        others = np.arange(arity - 1)
        others = others + (others >= position[..., np.newaxis])
        siblings.append(row(parents[..., np.newaxis] * arity + others))
        positions.append(position.astype(np.uint8))
        nodes = parents
    return InclusionPaths(take[-1](nodes), take[0](leaves), tuple(siblings), np.stack(positions, axis=-1))


def replica_tree(shape: SectorShape, nodes: Fr, threads: int = 1) -> MerkleTree:
    """Return a sector's Poseidon tree over its nodes (tree R-last over a replica): Fr[shape.nodes] to all rows."""
    return MerkleTree.build(nodes, shape.path_arities, lambda rows: poseidon.hash(rows, threads))


def data_tree(shape: SectorShape, nodes: Fr, threads: int = 1) -> MerkleTree:
    """Return a sector's binary SHA-256 tree over its unsealed nodes (tree D): Fr[shape.nodes] to all rows."""
    return MerkleTree.build(nodes, data_arities(shape), lambda rows: sha256.hash_nodes(rows, threads))


def data_arities(shape: SectorShape) -> tuple[int, ...]:
    """Return the arities of a sector's tree D, from the leaves to the root."""
    return (2,) * (shape.nodes.bit_length() - 1)
