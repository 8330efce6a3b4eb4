"""Parameters and proofs of PoRep and sector updates, byte for byte those of Filecoin's own software."""

import hashlib
import json
from pathlib import Path

import pytest

from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.registry import entry
from cuzk.filecoin.request import Request
from tests.cli.runner import cuzk
from tests.conftest import data_path
from tests.filecoin.porep import fixtures as porep
from tests.filecoin.update import fixtures as update


def porep_request() -> Request:
    return Request(
        Kind.POREP,
        registered_proof=porep.S1.proof.number,
        sector_size=porep.S1.proof.shape.size,
        vanilla_proof=data_path("porep/s1/c1-wrapper.json").read_bytes(),
    )


CASES = {"snap-2k": ("update/s1", update.S1.request), "porep-2k": ("porep/s1", porep_request)}


@pytest.mark.parametrize("circuit_id", ["snap-2k", pytest.param("porep-2k", marks=pytest.mark.full)])
def test_synthesis_gives_filecoins_witness(circuit_id: str, tmp_path: Path) -> None:
    folder, request = CASES[circuit_id]
    path = tmp_path / "request.json"
    path.write_text(request().to_json())
    made = cuzk("synthesize", path, "--digest", "--json")
    assert made.code == 0, made.err
    determined = json.loads(data_path(f"{folder}/det.json").read_text())
    (partition,) = made.json["partitions"]
    assert partition["sha256"] == determined["witness"][0]["sha256_inputs_then_aux_le32"]


@pytest.mark.full
@pytest.mark.timeout(0)
@pytest.mark.parametrize("circuit_id", CASES)
def test_parameters_and_proofs_equal_filecoins(circuit_id: str, tmp_path: Path) -> None:
    folder, request = CASES[circuit_id]
    path, parameters = tmp_path / "request.json", tmp_path / "made.params"
    path.write_text(request().to_json())
    waste = data_path("params/toxic-waste.json")
    made = cuzk("params", "generate", circuit_id, "--toxic-waste", waste, "--out", parameters, "--json")
    assert made.code == 0, made.err
    expected = json.loads(data_path("params/params-sha256.json").read_text())
    with parameters.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    assert digest == expected[f"{entry(circuit_id).parameter_stem}.params"]["sha256"]

    determined = json.loads(data_path(f"{folder}/det.json").read_text())
    for name, r, s in (
        ("proof-fixed-rs.bin", determined["r_le"][0], determined["s_le"][0]),
        ("proof-rs-zero.bin", "00" * 32, "00" * 32),
    ):
        out = tmp_path / name
        made = cuzk("prove", path, "--params", parameters, "--r", r, "--s", s, "--out", out, "--json")
        assert made.code == 0, made.err
        assert out.read_bytes() == data_path(f"{folder}/{name}").read_bytes()
