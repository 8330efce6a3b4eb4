"""Parent graphs against Filecoin's published digests of whole graphs, and against what the graph must be."""

import hashlib

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.porep.chacha import blocks
from cuzk.filecoin.porep.graph import StackedGraph
from cuzk.filecoin.registered import seal_proof
from cuzk.filecoin.versions import ApiVersion

# rust-fil-proofs, storage-proofs-porep/parent_cache.json: SHA-256 of all nodes' parents as u32, for seal proofs 0, 5, 1
# and 6.
DIGESTS = {
    0: "3da49221e2ed55371b86d0bf3d6526fcf128af61bed904f966428db1b531750d",
    5: "840057702eea7652cf97e04306c30fe57174714d90de156a25eddd6075c25b97",
    1: "a76604f2f59f2744c7151653bbb1d8596b6b57d295e6fa6c1f0c41d725b502ce",
    6: "03cd13565ded97c240a5f52e54295ad127bd0461b57904cb3a4d79b097bbecab",
}


@pytest.mark.parametrize("number", DIGESTS)
def test_whole_graphs_have_filecoins_digests(number: int) -> None:
    proof = seal_proof(number)
    graph = StackedGraph(proof.shape.nodes, proof.porep_id, proof.version)
    digest = hashlib.sha256()
    for nodes in np.array_split(np.arange(proof.shape.nodes), max(1, proof.shape.nodes >> 14)):
        digest.update(graph.parents(nodes).astype("<u4").tobytes())
    assert digest.hexdigest() == DIGESTS[number]


def test_base_parents_come_before_expander_parents_anywhere() -> None:
    proof = seal_proof(8)
    nodes = np.random.default_rng(1).integers(2, proof.shape.nodes, 300)
    parents = StackedGraph(proof.shape.nodes, proof.porep_id, proof.version).parents(nodes)
    assert (parents[:, 0] == nodes - 1).all()
    assert (parents[:, :6] < nodes[:, np.newaxis]).all()
    assert (parents[:, 6:] < proof.shape.nodes).all()
    assert (parents[:, 6:] >= proof.shape.nodes // 2).any()


def test_version_1_0_puts_the_predecessor_last_and_cuts_expander_parents_short() -> None:
    """Known of the first version: no expander parent lies in the upper half of a 32 GiB sector."""
    proof = seal_proof(3)
    nodes = np.random.default_rng(1).integers(2, proof.shape.nodes, 300)
    parents = StackedGraph(proof.shape.nodes, proof.porep_id, proof.version).parents(nodes)
    assert (parents[:, 5] == nodes - 1).all()
    assert (parents[:, 6:] < proof.shape.nodes // 2).all()


def test_a_node_at_a_time_is_the_same_as_all() -> None:
    graph = StackedGraph(1024, b"\7" * 32, ApiVersion.V1_2)
    together = graph.parents(np.arange(1024))
    again = StackedGraph(1024, b"\7" * 32, ApiVersion.V1_2)
    for node in (1023, 0, 1, 2, 500):
        assert np.array_equal(again.parents(np.array([node]))[0], together[node])
    expanders = together[:, 6:].reshape(-1)
    assert (np.bincount(expanders, minlength=1024) == 8).all()  # a permutation of edges: everybody has eight children


@pytest.mark.parametrize("node", [-1, 64])
def test_a_node_outside_is_refused(node: int) -> None:
    with pytest.raises(InputError, match=f"node: expected 0 to 63, got {node}"):
        StackedGraph(64, bytes(32), ApiVersion.V1_1).parents(np.array([3, node]))


def test_chacha_equals_its_rfc() -> None:
    """RFC 8439, 2.3.2: key 00…1f, counter 1, nonce 000000090000004a00000000."""
    key = np.frombuffer(bytes(range(32)), dtype="<u4").astype(np.uint32)
    counter = np.frombuffer(bytes.fromhex("01000000000000090000004a00000000"), dtype="<u4").astype(np.uint32)
    block = blocks(key[np.newaxis], counter[np.newaxis], rounds=20)[0]
    assert block[:4].tolist() == [0xE4E7F110, 0x15593BD1, 0x1FDD0F50, 0xC47120A3]
    assert block[12:].tolist() == [0xD19C12B5, 0xB94E16DE, 0xE883D0CB, 0x4E3C50A2]
