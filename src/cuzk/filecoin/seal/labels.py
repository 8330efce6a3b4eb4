"""The labels of a sector: layers of a hash chain that takes long to compute and cannot be computed in parallel.

Source: rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/create_label/single.rs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.filecoin.commitments import Fr, check_length
from cuzk.filecoin.porep.graph import StackedGraph

#: How many nodes' parents are computed at once.
_CHUNK = 1 << 14


@dataclass(frozen=True)
class Labels:
    """The labels of some nodes, or of all, in every layer."""

    nodes: NDArray[np.int64]  # [k], ascending
    values: Fr  # [layers, k, 4]

    def of(self, nodes: NDArray[np.integer]) -> Fr:
        """Return the labels of nodes [*grid] that are among these: uint64[layers, *grid, 4]."""
        labels: Fr = self.values[:, np.searchsorted(self.nodes, nodes)]
        return labels


def create_labels(graph: StackedGraph, replica_id: bytes, layers: int) -> Labels:
    """Return the labels of all nodes.

    label = SHA-256(replica_id ‖ u32 BE layer ‖ u64 BE node ‖ 20 zeros ‖ 37 labels of parents), its two top bits
    cleared; layers count from 1, and the parents' labels are repeated in order until there are 37.
    """
    check_length("replica_id", replica_id)
    identity = np.frombuffer(replica_id, dtype=np.uint8)[np.newaxis]
    labels = np.empty((layers, graph.nodes, 32), dtype=np.uint8)
    parents = [
        graph.parents(np.arange(first, min(first + _CHUNK, graph.nodes))) for first in range(0, graph.nodes, _CHUNK)
    ]
    for layer in range(layers):
        previous = labels[layer - 1] if layer else None
        for number, chunk in enumerate(parents):
            _native.stacked_labels(identity, layer + 1, number * _CHUNK, chunk, previous, labels[layer])
    return Labels(np.arange(graph.nodes), labels.view("<u8").astype(np.uint64, copy=False))
