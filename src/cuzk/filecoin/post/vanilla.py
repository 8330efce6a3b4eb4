"""The vanilla proofs of a PoSt partition as arrays, one row a sector.

WinningPoSt is seen as its circuit sees it: 66 "sectors" with one challenge each, all of them the same sector.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.inclusion import InclusionPaths
from cuzk.filecoin.post.config import PostConfig


@dataclass(frozen=True)
class VanillaPost:
    """Vanilla proofs of s sectors with c challenges each; field elements are uint64[..., 4], canonical.

    A path has one step for each arity of `config.shape.path_arities`, from leaf to root: the arity − 1 siblings in
    order, and the position among them of the node that comes from below.
    """

    config: PostConfig
    numbers: NDArray[np.uint64]  # [s]
    comm_r: Fr  # [s, 4]
    comm_c: Fr  # [s, 4]
    comm_r_last: Fr  # [s, 4]
    roots: Fr  # [s, c, 4]
    leaves: Fr  # [s, c, 4]
    siblings: tuple[Fr, ...]  # a step: [s, c, arity - 1, 4]
    positions: NDArray[np.uint8]  # [s, c, steps]

    @property
    def sectors(self) -> int:
        """Number of sectors s: at most `config.sectors`."""
        return len(self.numbers)

    @property
    def paths(self) -> InclusionPaths:
        """The inclusion paths, on the grid [s, c]."""
        return InclusionPaths(self.roots, self.leaves, self.siblings, self.positions)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return self.paths.nbytes + sum(
            array.nbytes for array in (self.numbers, self.comm_r, self.comm_c, self.comm_r_last)
        )

    def place(self, sector: int, challenge: int | None = None) -> str:
        """Name a sector, and one of its challenges, by the numbers that a person knows them by."""
        where = f"sector {self.numbers[sector]}"
        if challenge is None:
            return where
        return f"{where}, challenge {sector if self.config.kind == 'winning' else challenge}"
