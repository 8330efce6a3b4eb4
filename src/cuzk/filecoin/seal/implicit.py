"""Merkle trees over more leaves than memory holds: leaves that repeat, except where they are known to be others.

A row of such a tree repeats too, so that a tree over 2^30 leaves is a few thousand hashes. Development sectors of 32
GiB are made of them: whoever verifies a proof cannot tell, since only what is opened is seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.inclusion import HashRows, InclusionPaths
from cuzk.filecoin.seal.tree import open_rows

_NO_NODES = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class RepeatedRow:
    """A row of nodes: node i is `values[i // repeat]`, unless i is among `known`, which is sorted."""

    values: Fr  # [m, 4]
    repeat: int
    known: NDArray[np.int64]  # [k]
    exceptions: Fr  # [k, 4]

    @property
    def length(self) -> int:
        """Number of nodes."""
        return len(self.values) * self.repeat

    def take(self, indices: NDArray[np.integer]) -> Fr:
        """Return the nodes with these indices, uint64[*indices.shape, 4]."""
        nodes: Fr = self.values[indices // self.repeat]
        if len(self.known):
            at = np.minimum(np.searchsorted(self.known, indices), len(self.known) - 1)
            found = self.known[at] == indices
            nodes[found] = self.exceptions[at[found]]
        return nodes

    def above(self, arity: int, hash_rows: HashRows) -> "RepeatedRow":
        """Return the row of the parents of these nodes; their arity and `repeat` are powers of two."""
        inside = min(self.repeat, arity)
        values = hash_rows(np.repeat(self.values, inside, axis=0).reshape(-1, arity, 4))
        parents = np.unique(self.known // arity)
        exceptions = self.exceptions
        if len(parents):
            exceptions = hash_rows(self.take(parents[:, np.newaxis] * arity + np.arange(arity)))
        return RepeatedRow(values, self.repeat // inside, parents, exceptions)


@dataclass(frozen=True)
class ImplicitTree:
    """A tree whose rows repeat; it opens leaves as a MerkleTree does."""

    arities: tuple[int, ...]
    rows: tuple[RepeatedRow, ...]

    @classmethod
    def build(
        cls,
        arities: Sequence[int],
        values: Fr,
        hash_rows: HashRows,
        known: NDArray[np.int64] = _NO_NODES,
        exceptions: Fr | None = None,
    ) -> "ImplicitTree":
        """Hash up leaves that are the `values`, Fr[m], in m equal ranges, except those that are `known`.

        `known` are leaf indices in ascending order, `exceptions`, Fr[k], their leaves.
        """
        leaves = int(np.prod(arities, dtype=np.uint64))
        repeat, rest = divmod(leaves, len(values))
        if rest or (len(known) and not 0 <= known[0] <= known[-1] < leaves):
            raise InputError(f"a tree of arities {tuple(arities)} does not have leaves like these")
        empty = np.zeros((0, 4), dtype=np.uint64)
        rows = [RepeatedRow(values, repeat, known, empty if exceptions is None else exceptions)]
        for arity in arities:
            rows.append(rows[-1].above(arity, hash_rows))
        return cls(tuple(arities), tuple(rows))

    @property
    def root(self) -> Fr:
        """The root, uint64[4]."""
        root: Fr = self.nodes_at(len(self.arities))[0]
        return root

    def nodes_at(self, height: int) -> Fr:
        """Return all nodes at a height above the leaves, Fr[n]: for heights at which there are few."""
        row = self.rows[height]
        return row.take(np.arange(row.length))

    def open(self, leaves: NDArray[np.integer]) -> InclusionPaths:
        """Return the inclusion paths of the leaves with these indices, of any shape [*grid]."""
        return open_rows(self.arities, [row.take for row in self.rows], leaves)
