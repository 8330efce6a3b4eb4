"""The names of parameter files against those that exist."""

import json

import pytest

from cuzk.filecoin.parameters.manifest import network_manifest
from cuzk.filecoin.parameters.names import CircuitConfig, parameter_stem
from cuzk.filecoin.porep.config import porep_config
from cuzk.filecoin.post.config import window_config, winning_config
from cuzk.filecoin.registered import POST_PROOFS, SEAL_PROOFS, UPDATE_PROOFS
from cuzk.filecoin.sectors import SHAPES, shape_of_slug
from cuzk.filecoin.update.config import update_config
from tests.conftest import data_path

CONFIGS: list[CircuitConfig] = [
    make(shape) for shape in SHAPES for make in (porep_config, update_config, window_config, winning_config)
]
# EmptySectorUpdatePoseidon: its parameters were made, but no registered proof uses that circuit.
UNUSED = "v28-empty-sector-update-poseidon-"


def test_every_name_of_the_network_is_computed() -> None:
    computed = {f"{parameter_stem(config)}.{extension}" for config in CONFIGS for extension in ("params", "vk")}
    network = {name for name in network_manifest() if not name.startswith(UNUSED)}
    assert network <= computed
    assert len(network) == 2 * 4 * 5


def test_the_network_has_parameters_for_every_registered_proof() -> None:
    stems = {config.circuit_id: parameter_stem(config) for config in CONFIGS}
    for proof in (*SEAL_PROOFS, *POST_PROOFS, *UPDATE_PROOFS):
        name = f"{stems[proof.circuit_id]}.params"
        entry = network_manifest().get(name)
        if proof.number >= 1000:
            assert entry is None
        else:
            assert entry is not None
            assert entry.sector_size == proof.shape.size


def test_names_of_sizes_without_network_parameters() -> None:
    made = json.loads(data_path("params/params-sha256.json").read_text())
    computed = {f"{parameter_stem(config)}.params" for config in CONFIGS}
    assert set(made) <= computed


@pytest.mark.parametrize(("kind", "config"), [("window", window_config), ("winning", winning_config)])
def test_identifiers_of_compound_trees(kind: str, config) -> None:
    meta = json.loads(data_path(f"shapes/32k/{kind}/meta.json").read_text())
    assert parameter_stem(config(shape_of_slug("32k"))) == f"v28-{meta['cache_identifier']}"
