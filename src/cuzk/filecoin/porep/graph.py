"""The graph of StackedDRG: which labels the label of a node is made of.

Every node has six base parents, earlier nodes of its own layer (a depth-robust graph, sampled by buckets of distances),
and eight expander parents, any nodes of the layer before (Chung's construction over a Feistel permutation). Both depend
on porep_id alone. Source: rust-fil-proofs, storage-proofs-core/src/drgraph.rs and crypto/{mod,feistel}.rs,
storage-proofs-porep/src/stacked/vanilla/graph.rs.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import InputError
from cuzk.filecoin.porep.chacha import blocks
from cuzk.filecoin.porep.config import BASE_DEGREE, EXPANSION_DEGREE
from cuzk.filecoin.versions import ApiVersion

Nodes = NDArray[np.int64]

DEGREE = BASE_DEGREE + EXPANSION_DEGREE

_FEISTEL_ROUNDS = 3
#: Distances are drawn in a graph in which every node is five, so that each has one edge of its own.
_SPLIT = BASE_DEGREE - 1


class StackedGraph:
    """The parents of the nodes of one porep_id, computed for those asked about."""

    def __init__(self, nodes: int, porep_id: bytes, version: ApiVersion) -> None:
        if len(porep_id) != 32:
            raise InputError(f"porep_id: expected 32 bytes, got {len(porep_id)}")
        self.nodes = nodes
        self._version = version
        seed = hashlib.sha256(b"Filecoin_DRSample" + porep_id).digest()[:28]
        self._drg_seed = np.frombuffer(seed, dtype="<u4").astype(np.uint32)
        keys = hashlib.sha256(b"Filecoin_Feistel" + porep_id).digest()
        self._expander = _Permutation(nodes * EXPANSION_DEGREE, np.frombuffer(keys, dtype="<u8")[:_FEISTEL_ROUNDS])

    def parents(self, nodes: Nodes) -> NDArray[np.uint32]:
        """Return the parents of n nodes, uint32[n, 14]: six base parents, then eight expander parents."""
        outside = (nodes < 0) | (nodes >= self.nodes)
        if outside.any():
            raise InputError(f"node: expected 0 to {self.nodes - 1}, got {nodes[outside.argmax()]}")
        return np.concatenate([self._base_parents(nodes), self._expander_parents(nodes)], axis=1)

    def _base_parents(self, nodes: Nodes) -> NDArray[np.uint32]:
        parents = np.zeros((len(nodes), BASE_DEGREE), dtype=np.int64)
        drawn = nodes >= 2  # nodes 0 and 1 have node 0 six times
        node = nodes[drawn][:, np.newaxis]
        first, second = np.split(self._draw(nodes[drawn]).reshape(-1, _SPLIT, 2), 2, axis=2)
        split_node = node * _SPLIT
        buckets = np.ceil(np.log2(split_node.astype(np.float64))).astype(np.uint64)
        bucket = first[..., 0] % buckets + np.uint64(1)
        farthest = np.minimum(split_node, np.int64(1) << bucket.astype(np.int64))
        nearest = np.maximum(2, farthest >> 1)
        distance = nearest + (second[..., 0] % (farthest - nearest + 1).astype(np.uint64)).astype(np.int64)
        sampled = (split_node - distance) // _SPLIT
        sampled = np.where(sampled == node, node - 1, sampled)
        # The predecessor is always a parent. From API version 1.1 on it comes first, so that no hashing can begin
        # before it is there.
        order = (sampled, node - 1) if self._version is ApiVersion.V1_0 else (node - 1, sampled)
        parents[drawn] = np.concatenate(order, axis=1)
        return parents.astype(np.uint32)

    def _draw(self, nodes: Nodes) -> NDArray[np.uint64]:
        """Return the first ten 64-bit numbers of each node's ChaCha8 generator, seeded with its number."""
        keys = np.empty((len(nodes), 8), dtype=np.uint32)
        keys[:, :7] = self._drg_seed
        keys[:, 7] = nodes
        streams = []
        for counter in range(2):
            counters = np.zeros((len(nodes), 4), dtype=np.uint32)
            counters[:, 0] = counter
            streams.append(blocks(keys, counters, rounds=8))
        words = np.concatenate(streams, axis=1)[:, : 4 * _SPLIT].astype(np.uint64)
        return words[:, 0::2] | words[:, 1::2] << np.uint64(32)

    def _expander_parents(self, nodes: Nodes) -> NDArray[np.uint32]:
        edges = nodes[:, np.newaxis] * EXPANSION_DEGREE + np.arange(EXPANSION_DEGREE)
        permuted = self._expander(edges.reshape(-1).astype(np.uint64)).reshape(edges.shape)
        if self._version is ApiVersion.V1_0:
            permuted &= np.uint64(0xFFFF_FFFF)  # version 1.0 cut the number to 32 bits, which 32 GiB sectors exceed
        return (permuted // np.uint64(EXPANSION_DEGREE)).astype(np.uint32)


class _Permutation:
    """A permutation of [0, size): a Feistel network over an even number of bits, walked until it lands inside.

    A round depends on half of the bits only, so its values are kept in a table, filled as they are needed.
    """

    def __init__(self, size: int, keys: NDArray[np.uint64]) -> None:
        self._size = size
        self._half_bits = 1
        while 4**self._half_bits < size:
            self._half_bits += 1
        self._keys = [int(key) for key in keys]
        self._tables = np.zeros((len(keys), 1 << self._half_bits), dtype=np.uint64)
        self._known = np.zeros(self._tables.shape, dtype=bool)

    def __call__(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        values = self._encode(values)
        while True:
            outside = np.flatnonzero(values >= self._size)
            if not len(outside):
                return values
            values[outside] = self._encode(values[outside])

    def _encode(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        bits = np.uint64(self._half_bits)
        left, right = values >> bits, values & np.uint64((1 << self._half_bits) - 1)
        for number in range(len(self._keys)):
            left, right = right, left ^ self._round(number, right)
        return left << bits | right

    def _round(self, number: int, right: NDArray[np.uint64]) -> NDArray[np.uint64]:
        table, known = self._tables[number], self._known[number]
        missing = np.unique(right[~known[right]])
        if len(missing):
            key, mask = self._keys[number].to_bytes(8, "big"), (1 << self._half_bits) - 1
            table[missing] = [
                int.from_bytes(hashlib.blake2b(value.to_bytes(8, "big") + key).digest()[:8], "big") & mask
                for value in missing.tolist()
            ]
            known[missing] = True
        values: NDArray[np.uint64] = table[right]
        return values
