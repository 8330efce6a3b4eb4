"""Labels against those of Filecoin's own test, and against a plain reference."""

import hashlib

import numpy as np
import pytest

from cuzk import _native
from cuzk.errors import InputError
from cuzk.filecoin.porep.graph import StackedGraph
from cuzk.filecoin.seal.labels import create_labels
from cuzk.filecoin.versions import ApiVersion

# rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/create_label/multi.rs, test_create_labels: replica_id 09…09,
# eleven layers, the last node's label as four limbs.
KNOWN = [
    (64, 0, ApiVersion.V1_0, [0xD3FAA96B9A0FBA04, 0xEA81A283D106485E, 0xE3D51B9AFA5AC2B3, 0x0462F4F4F1A68D37]),
    (128, 0, ApiVersion.V1_0, [0x7E191E52C4A8DA86, 0x5AE8A1C9E6FAC148, 0xCE239F3B88A894B8, 0x234C00D1DC1D53BE]),
    (64, 123, ApiVersion.V1_1, [0xABB3F38BB70DEFCF, 0x777A2E4D7769119F, 0x3448959D495490BC, 0x06021188C7A71CB5]),
    (128, 123, ApiVersion.V1_1, [0x22AB81CF68C4676D, 0x7A77A82FC7C9C189, 0xC6C03D32C1E42D23, 0x0F777C18CC2C55BD]),
]


@pytest.mark.parametrize(("nodes", "porep_byte", "version", "last"), KNOWN)
def test_the_last_label_is_filecoins(nodes: int, porep_byte: int, version: ApiVersion, last: list[int]) -> None:
    graph = StackedGraph(nodes, bytes([porep_byte]) * 32, version)
    assert create_labels(graph, b"\x09" * 32, 11).values[10, -1].tolist() == last


def test_every_label_equals_the_reference() -> None:
    graph, replica_id = StackedGraph(64, b"\5" * 32, ApiVersion.V1_1), bytes(range(32))
    parents = graph.parents(np.arange(64)).tolist()
    layers: list[list[bytes]] = []
    for layer in (1, 2, 3):
        labels: list[bytes] = []
        for node in range(64):
            base = [labels[parent] for parent in parents[node][:6]] if node else []
            expander = [layers[-1][parent] for parent in parents[node][6:]] if node and layers else []
            repeated = ((base + expander) * 7)[:37]
            prefix = replica_id + layer.to_bytes(4, "big") + node.to_bytes(8, "big") + bytes(20)
            digest = hashlib.sha256(prefix + b"".join(repeated)).digest()
            labels.append(digest[:31] + bytes([digest[31] & 0x3F]))
        layers.append(labels)
    computed = create_labels(graph, replica_id, 3).values
    assert [[label.tobytes() for label in layer] for layer in computed] == layers


def test_the_kernel_refuses_parents_that_are_not_there() -> None:
    identity, labels = np.zeros((1, 32), dtype=np.uint8), np.zeros((4, 32), dtype=np.uint8)
    parents = np.zeros((2, 14), dtype=np.uint32)
    _native.stacked_labels(identity, 1, 1, parents, None, labels)
    for column, value, previous, sentence in (
        (0, 2, None, "a base parent is not an earlier node"),
        (13, 4, labels.copy(), "an expander parent is not a node"),
    ):
        bad = parents.copy()
        bad[1, column] = value
        with pytest.raises(InputError, match=sentence):
            _native.stacked_labels(identity, 2, 1, bad, previous, labels)
    with pytest.raises(InputError, match="parents for more nodes than the layer has"):
        _native.stacked_labels(identity, 1, 3, parents, None, labels)
    with pytest.raises(InputError, match="two layers differ in length"):
        _native.stacked_labels(identity, 2, 1, parents, labels[:3], labels)
