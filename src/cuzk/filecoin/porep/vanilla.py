"""The vanilla proofs of a PoRep as arrays: all partitions and challenges together.

Source: rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/params.rs (`Proof`, `ReplicaColumnProof`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.inclusion import InclusionPaths
from cuzk.filecoin.porep.config import BASE_DEGREE, EXPANSION_DEGREE, PorepConfig

#: Labels that are hashed into a label: those of the parents, repeated in order.
LABEL_PARENTS = 37

#: The columns that a challenge opens, in the order of their axis: the challenged node's own, then its parents'.
COLUMN_NAMES = (
    "c_x",
    *(f"drg parent {number}" for number in range(BASE_DEGREE)),
    *(f"exp parent {number}" for number in range(EXPANSION_DEGREE)),
)
COLUMNS = len(COLUMN_NAMES)


@dataclass(frozen=True)
class LabelProofs:
    """What labels are computed from, on any grid; elements are uint64[..., 4], canonical."""

    parents: Fr  # [*grid, 37, 4]
    layers: NDArray[np.uint32]  # [*grid], from 1
    nodes: NDArray[np.uint64]  # [*grid]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return self.parents.nbytes + self.layers.nbytes + self.nodes.nbytes


@dataclass(frozen=True)
class VanillaPorep:
    """Vanilla proofs of p partitions with c challenges each, over `config.layers` layers l of labels.

    The k-th of the 15 columns of a challenge is COLUMN_NAMES[k]'s: the challenged node's own (c_x), its six base
    parents', its eight expander parents'. Paths are described at InclusionPaths; a path's leaf in tree C is the hash of
    its column. The 37 parents of a label are, in order and repeated: the base parents' labels of the same layer, then
    (from the second layer on) the expander parents' of the layer before.
    """

    config: PorepConfig
    data: InclusionPaths  # grid [p, c]: in tree D, binary, nodes hashed by SHA-256
    replica: InclusionPaths  # grid [p, c]: in tree R-last
    columns: InclusionPaths  # grid [p, c, 15]: in tree C
    column_rows: Fr  # [p, c, 15, l, 4]: a node's labels, one a layer
    column_nodes: NDArray[np.uint32]  # [p, c, 15]: whose column it claims to be
    labels: LabelProofs  # grid [p, c, l]: of the challenged node
    encoding: LabelProofs  # grid [p, c]: of its last label once more, which is the key of its encoding

    @property
    def partitions(self) -> int:
        """Number of partitions p."""
        return len(self.data.roots)

    @property
    def comm_c(self) -> Fr:
        """The root of tree C that each partition states first, uint64[p, 4]."""
        roots: Fr = self.columns.roots[:, 0, 0]
        return roots

    @property
    def comm_r_last(self) -> Fr:
        """The root of tree R-last that each partition states first, uint64[p, 4]."""
        roots: Fr = self.replica.roots[:, 0]
        return roots

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        parts = (self.data, self.replica, self.columns, self.labels, self.encoding)
        return self.column_rows.nbytes + self.column_nodes.nbytes + sum(part.nbytes for part in parts)


def label_sources(layers: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where the parents of a challenged node's labels are: column and row (layer), each [layers, 37].

    `vanilla.column_rows[:, :, column, row]` is what `vanilla.labels.parents` must be.
    """
    base, expander = np.arange(1, 1 + BASE_DEGREE), np.arange(1 + BASE_DEGREE, COLUMNS)
    columns = np.empty((layers, LABEL_PARENTS), dtype=np.intp)
    columns[:1] = np.resize(base, LABEL_PARENTS)
    columns[1:] = np.resize(np.concatenate([base, expander]), LABEL_PARENTS)
    own_layer = np.arange(layers)[:, np.newaxis]
    return columns, np.where(columns > BASE_DEGREE, own_layer - 1, own_layer)


def place_of(partition: int, challenge: int, column: int | None = None) -> str:
    """Name a challenge, or one of its columns, as error messages do."""
    where = f"partition {partition}, challenge {challenge}"
    return where if column is None else f"{where}, {COLUMN_NAMES[column]}"
