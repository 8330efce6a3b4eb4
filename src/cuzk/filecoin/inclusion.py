"""Inclusion paths in Merkle trees, many at once: their shapes, their arrays, and the hashing from leaf to root."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.commitments import Fr, first_not_canonical, not_canonical
from cuzk.filecoin.sectors import SectorShape

#: Hashes n rows of nodes of one arity: uint64[n, arity, 4] to uint64[n, 4].
HashRows = Callable[[Fr], Fr]


@dataclass(frozen=True)
class PathPart:
    """One of the parts that a compound tree's paths are cut into where they travel: base, sub or top."""

    name: str
    arity: int
    steps: int


def replica_path(shape: SectorShape) -> tuple[PathPart, ...]:
    """Return the parts of a path in a sector's Poseidon trees (C and R-last), from leaf to root."""
    joined = [("sub", shape.sub_arity), ("top", shape.top_arity)]
    base = PathPart("base", shape.base_arity, shape.base_height)
    return (base, *(PathPart(name, arity, 1) for name, arity in joined if arity))


def data_path(shape: SectorShape) -> tuple[PathPart, ...]:
    """Return the one part of a path in a sector's binary tree over its data (tree D)."""
    return (PathPart("base", 2, shape.nodes.bit_length() - 1),)


@dataclass(frozen=True)
class InclusionPaths:
    """The paths of a grid of leaves; nodes are canonical field elements, uint64[..., 4].

    A path has one step for each arity from leaf to root: the arity − 1 siblings in order, and the position among them
    of the node that comes from below.
    """

    roots: Fr  # [*grid, 4]
    leaves: Fr  # [*grid, 4]
    siblings: tuple[Fr, ...]  # a step: [*grid, arity - 1, 4]
    positions: NDArray[np.uint8]  # [*grid, steps]

    @property
    def arities(self) -> tuple[int, ...]:
        """Arity of each step, from leaf to root."""
        return tuple(siblings.shape[-2] + 1 for siblings in self.siblings)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        nodes = (self.roots, self.leaves, *self.siblings)
        return self.positions.nbytes + sum(array.nbytes for array in nodes)

    def reshaped(self, *grid: int) -> "InclusionPaths":
        """Return the same paths on a grid of another shape."""
        return InclusionPaths(
            self.roots.reshape(*grid, 4),
            self.leaves.reshape(*grid, 4),
            tuple(siblings.reshape(*grid, *siblings.shape[-2:]) for siblings in self.siblings),
            self.positions.reshape(*grid, -1),
        )

    def check_canonical(self, place: Callable[[tuple[int, ...]], str]) -> None:
        """Raise FormatError for the first node that is not below r; `place` names a point of the grid."""
        depth = self.roots.ndim - 1
        named = [("root of the path", self.roots), ("leaf", self.leaves)]
        named += [(f"path step {number}", siblings) for number, siblings in enumerate(self.siblings)]
        for what, nodes in named:
            where = first_not_canonical(nodes)
            if where is None:
                continue
            sibling = f", sibling {where[depth]}" if len(where) > depth else ""
            raise not_canonical(f"{place(where[:depth])}: {what}{sibling}", nodes[where])

    def leaf_indices(self) -> NDArray[np.uint64]:
        """Return the index of each leaf, uint64[*grid]: positions are its digits, the lowest first."""
        weights = np.cumprod((1, *self.arities[:-1]), dtype=np.uint64)
        return self.positions.astype(np.uint64) @ weights

    def climb(self, hash_rows: HashRows) -> list[Fr]:
        """Return the nodes above the leaves that the paths lead to: one array [*grid, 4] a step, the last the roots."""
        nodes, above = self.leaves.reshape(-1, 4), []
        for step, siblings in enumerate(self.siblings):
            positions = self.positions[..., step].reshape(-1)
            nodes = hash_rows(insert(siblings.reshape(-1, *siblings.shape[-2:]), positions, nodes))
            above.append(nodes.reshape(self.leaves.shape))
        return above


def stack_paths(paths: Sequence[InclusionPaths]) -> InclusionPaths:
    """Stack paths of several trees of one shape along a new first axis of their grids."""
    return InclusionPaths(
        np.stack([each.roots for each in paths]),
        np.stack([each.leaves for each in paths]),
        tuple(np.stack(step) for step in zip(*(each.siblings for each in paths), strict=True)),
        np.stack([each.positions for each in paths]),
    )


def insert(siblings: Fr, positions: NDArray[np.uint8], nodes: Fr) -> Fr:
    """Return [n, arity, 4]: each row's siblings [n, arity - 1, 4] in order, with its node inserted at its position."""
    arity = siblings.shape[1] + 1
    slots = np.arange(arity)
    sources = np.minimum(slots - (slots > positions[:, np.newaxis]), arity - 2)
    rows = np.take_along_axis(siblings, sources[:, :, np.newaxis], axis=1)
    rows[np.arange(len(rows)), positions] = nodes
    return rows
