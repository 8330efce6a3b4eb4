"""`cuzk prove`, `verify`, `synthesize` and `params generate` over requests, against Filecoin's own bytes."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cuzk.engine.filecoin import registry
from cuzk.filecoin.parameters.names import parameter_stem
from cuzk.filecoin.parameters.prepared import default_multiples
from tests.cli.runner import cuzk
from tests.conftest import data_path
from tests.filecoin.post.fixtures import (
    WINDOW_2K,
    WINDOW_2K_PADDED,
    WINDOW_2K_V1,
    WINDOW_32K,
    WINNING_2K,
    WINNING_32K,
    PostFixture,
    request,
)


@pytest.fixture(scope="session")
def development(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache folder with development parameters for wpost-2k from the fixtures' toxic waste."""
    cache = tmp_path_factory.mktemp("cache")
    generate("wpost-2k", cache)
    return cache


def generate(circuit_id: str, cache: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUZK_CACHE", str(cache))
        made = cuzk("params", "generate", circuit_id, "--toxic-waste", data_path("params/toxic-waste.json"), "--json")
    assert made.code == 0, made.err
    assert "toxic waste" in made.err
    return made.json


def write_request(case: PostFixture, folder: Path) -> Path:
    path = folder / "request.json"
    path.write_text(request(case).to_json())
    return path


def check_against_filecoins(made: dict[str, Any], case: PostFixture) -> None:
    """Compare generated files with the SHA-256 of those that Filecoin's generator wrote."""
    name = f"{parameter_stem(case.config)}.params"
    expected = json.loads(data_path("params/params-sha256.json").read_text())[name]
    path = Path(made["params"])
    assert path.name == name
    assert path.stat().st_size == expected["bytes"]
    with path.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == expected["sha256"]
    assert hashlib.sha256(path.with_suffix(".vk").read_bytes()).hexdigest() == expected["vk_sha256"]


def test_generated_parameters_are_filecoins(development: Path) -> None:
    path = development / "dev-params" / f"{parameter_stem(WINDOW_2K.config)}.params"
    check_against_filecoins({"params": str(path)}, WINDOW_2K)


FULL_V1 = pytest.param(WINDOW_2K_V1, marks=pytest.mark.full)


def prove_as_filecoin(case: PostFixture, folder: Path) -> None:
    """Prove with the blinding of a fixture, compare the bytes, and verify."""
    facts = data_path(f"{case.folder}/det.json" if (case.config.shape.slug == "2k") else f"{case.folder}/meta.json")
    blinding = [json.loads(facts.read_text())[name] for name in ("r_le", "s_le")]
    r, s = (value[case.partition] if isinstance(value, list) else value for value in blinding)
    path, proof = write_request(case, folder), folder / "proof.bin"
    made = cuzk("prove", path, "--dev-params", "--r", r, "--s", s, "--out", proof, "--json")
    assert made.code == 0, made.err
    expected = data_path(f"{case.folder}/proof-fixed-rs.bin").read_bytes()
    assert proof.read_bytes() == expected[192 * case.partition : 192 * (case.partition + 1)]
    assert cuzk("verify", path, "--proof", proof, "--dev-params").code == 0


def test_prepared_parameters_give_filecoins_proof(
    development: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "dev-params").symlink_to(development / "dev-params")
    (tmp_path / "circuits").symlink_to(development / "circuits")
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))
    circuit = registry(dev_params=True).circuits["wpost-2k"]
    plain = circuit.parameters.size
    made = cuzk("params", "prepare", "wpost-2k", "--dev-params", "--multiples", "2", "--json")
    assert made.code == 0, made.err
    assert made.json["multiples"] == 2
    assert 0 <= circuit.parameters.size - made.json["bytes"] < 1 << 20
    assert plain < circuit.parameters.size
    prove_as_filecoin(WINDOW_2K, tmp_path)
    loaded, size = circuit.parameters.load()
    assert loaded.prepared is not None
    assert size == made.json["bytes"]
    assert not caplog.records

    file = Path(made.json["file"])
    file.write_bytes(file.read_bytes()[:-1])
    prove_as_filecoin(WINDOW_2K, tmp_path)
    assert "holds no prepared points" in caplog.text


def test_what_cannot_be_prepared_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))
    assert "there is no parameter file" in cuzk("params", "prepare", "wpost-2k", "--dev-params").err
    assert cuzk("params", "prepare", "wpost-2k", "--folder", tmp_path).code == 2


def test_multiples_are_kept_where_they_are_small() -> None:
    winning_2k = {"h": 131_071, "l": 91_674, "a": 69_433, "b_g1": 66_793, "b_g2": 66_793}
    assert default_multiples(winning_2k) == 8
    assert default_multiples({name: 4 * count for name, count in winning_2k.items()}) in (2, 4)
    assert default_multiples({name: 1000 * count for name, count in winning_2k.items()}) == 1


@pytest.mark.parametrize("case", [WINDOW_2K, FULL_V1, WINDOW_2K_PADDED], ids=str)
def test_proofs_with_given_blinding_are_filecoins(
    case: PostFixture, development: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(development))
    prove_as_filecoin(case, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("case", [WINNING_2K, WINNING_32K, WINDOW_32K], ids=str)
def test_parameters_and_proofs_of_other_circuits_are_filecoins(
    case: PostFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))
    check_against_filecoins(generate(case.config.circuit_id, tmp_path), case)
    prove_as_filecoin(case, tmp_path)


def test_fresh_proofs_verify_and_stages_are_timed(
    development: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(development))
    path, proof = write_request(WINDOW_2K, tmp_path), tmp_path / "proof.bin"
    made = cuzk("prove", path, "--dev-params", "--out", proof, "--repeat", 2, "--json")
    assert made.code == 0, made.err
    assert made.json["valid"]
    assert len(made.json["runs"]) == 2
    stages = ["decode", "check", "synthesize", "prove_start", "prove_finish", "verify", "total"]
    assert list(made.json["runs"][0]) == stages
    key = data_path(f"params/{parameter_stem(WINDOW_2K.config)}.vk")
    assert cuzk("verify", path, "--proof", proof, "--vk", key).code == 0
    other = write_request(WINDOW_2K_V1, tmp_path)
    answer = cuzk("verify", other, "--proof", proof, "--vk", key)
    assert answer.code == 1
    assert "the pairing equation does not hold" in answer.out


def test_filecoins_own_proofs_verify(tmp_path: Path) -> None:
    for case in (WINNING_2K, WINDOW_2K):
        path = write_request(case, tmp_path)
        key = data_path(f"params/{parameter_stem(case.config)}.vk")
        assert cuzk("verify", path, "--proof", data_path(f"{case.folder}/proof-fixed-rs.bin"), "--vk", key).code == 0
    for case in (WINNING_32K, WINDOW_32K):
        path, folder = write_request(case, tmp_path), case.folder
        assert cuzk("verify", path, "--proof", data_path(f"{folder}/proof.bin"), "--vk", data_path(f"{folder}/vk.bin"))


@pytest.mark.parametrize("case", [WINNING_2K, WINDOW_2K], ids=str)
def test_synthesis_gives_filecoins_witness(case: PostFixture, tmp_path: Path) -> None:
    made = cuzk("synthesize", write_request(case, tmp_path), "--digest", "--repeat", 2, "--json")
    assert made.code == 0, made.err
    determined = json.loads(data_path(f"{case.folder}/det.json").read_text())
    (partition,) = made.json["partitions"]
    assert partition["sha256"] == determined["witness"][0]["sha256_inputs_then_aux_le32"]
    assert partition["inputs"] == determined["witness"][0]["num_inputs"]
    assert len(partition["milliseconds"]) == 2


def test_a_name_that_cannot_be_written_is_refused_before_the_work(
    development: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(development))
    monkeypatch.delattr("cuzk.filecoin.local.LocalProver.prove")
    answer = cuzk("prove", write_request(WINDOW_2K, tmp_path), "--dev-params", "--out", tmp_path)
    assert (answer.code, answer.err) == (2, f"cuzk: cannot write {tmp_path}: Is a directory\n")


def test_parameters_that_are_replaced_are_spoken_of(tmp_path: Path) -> None:
    first, second = (cuzk("params", "generate", "wpost-2k", "--out", tmp_path / "w.params") for _ in range(2))
    assert (first.code, first.err, second.code) == (0, "", 0)
    assert "these replace other parameters of wpost-2k" in second.err


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"randomness": bytes(31)}, "randomness: expected 32 bytes, got 31"),
        ({"vanilla_proofs": (WINDOW_2K.payloads[0], bytes(32) + WINDOW_2K.payloads[1][32:])}, "sector "),
    ],
    ids=["its form", "what it claims"],
)
def test_what_is_wrong_with_a_request_comes_before_missing_parameters(
    change: dict[str, Any], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIL_PROOFS_PARAMETER_CACHE", str(tmp_path))
    path = tmp_path / "request.json"
    path.write_text(replace(request(WINDOW_2K), **change).to_json())
    answer = cuzk("prove", path, "--out", tmp_path / "proof.bin")
    assert (answer.code, answer.err.startswith(f"cuzk: {sentence}")) == (2, True), answer.err


def test_a_wrong_proof_or_name_comes_before_what_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))
    monkeypatch.delattr("cuzk.r1cs.compiled.CompiledCircuit.trace")
    answer = cuzk("params", "generate", "wpost-2k", "--out", tmp_path / "wpost")
    assert (answer.code, "parameters are named *.params" in answer.err) == (2, True), answer.err
    path = write_request(WINDOW_2K, tmp_path)
    for proof, sentence in (("zz", "neither a file nor hexadecimal"), ("00" * 384, "has 192 bytes, this has 384")):
        answer = cuzk("verify", path, "--proof", proof, "--dev-params")
        assert (answer.code, sentence in answer.err) == (2, True), answer.err


def test_missing_parameters_and_bad_options_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUZK_CACHE", str(tmp_path))
    monkeypatch.setenv("FIL_PROOFS_PARAMETER_CACHE", str(tmp_path))
    path = write_request(WINDOW_2K, tmp_path)
    out = tmp_path / "proof.bin"
    answer = cuzk("prove", path, "--out", out)
    assert answer.code == 2
    assert "cuzk params fetch" in answer.err
    assert "cuzk params generate" in cuzk("prove", path, "--out", out, "--dev-params").err
    assert "is not a file" in cuzk("prove", path, "--out", out, "--params", tmp_path / "none").err
    assert not out.exists()
    zero = "00" * 192
    assert "the request says so already" in cuzk("verify", path, "--proof", zero, "--kind", "winning-post").err
    assert "expected a request file, or also --kind" in cuzk("verify", "--proof", zero).err
