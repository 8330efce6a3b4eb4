"""`cuzk groth16` and `cuzk params`, over the fixtures' files."""

import json
from pathlib import Path

import pytest

from tests.cli.runner import Outcome, cuzk
from tests.conftest import data_path
from tests.groth16.fixtures import fixture

QUIRK = fixture("quirk").folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the parameters that `groth16 setup` makes from the fixtures' toxic waste."""
    path = tmp_path_factory.mktemp("groth16")
    waste = path / "waste.json"
    waste.write_text(json.dumps(fixture("quirk").meta["toxic_waste"]))
    outcome = cuzk("groth16", "setup", "--r1cs", QUIRK / "r1cs.bin", "--out", path / "q.params", "--toxic-waste", waste)
    assert outcome.code == 0, outcome.err
    assert "warning" in outcome.err
    return path


def prove(folder: Path, *more: object) -> Outcome:
    files = ("--r1cs", QUIRK / "r1cs.bin", "--witness", QUIRK / "witness.bin", "--params", folder / "q.params")
    return cuzk("groth16", "prove", *files, *more)


def test_setup_writes_bellpersons_bytes(folder: Path) -> None:
    assert (folder / "q.params").read_bytes() == fixture("quirk").bytes("params.bin")
    assert (folder / "q.vk").read_bytes() == fixture("quirk").bytes("vk.bin")


def test_prove_with_r_and_s_writes_bellpersons_bytes(folder: Path) -> None:
    blinding = fixture("quirk").meta["proofs"][1]
    outcome = prove(folder, "--r", blinding["r_le"], "--s", blinding["s_le"], "--out", folder / "fixed.bin", "--json")
    assert outcome.code == 0
    assert "warning: r or s was given" in outcome.err
    assert (folder / "fixed.bin").read_bytes() == fixture("quirk").bytes("proof-1.bin")
    assert outcome.json["proof"] == blinding["proof_hex"]
    assert outcome.json["domain"] == 16


def test_fresh_proofs_verify_and_a_changed_input_does_not(folder: Path) -> None:
    proof, public = folder / "fresh.bin", folder / "public.bin"
    outcome = prove(folder, "--out", proof, "--public", public, "--check", "subgroup")
    assert outcome.code == 0
    assert not outcome.err
    assert public.read_bytes() == fixture("quirk").bytes("public-inputs.bin")
    arguments = ("groth16", "verify", "--vk", folder / "q.vk", "--proof", proof, "--public")
    assert cuzk(*arguments, public).code == 0
    changed = bytearray(public.read_bytes())
    changed[4] ^= 1
    (folder / "changed.bin").write_bytes(changed)
    outcome = cuzk(*arguments, folder / "changed.bin", "--json")
    assert outcome.code == 1
    assert outcome.json == {"valid": False, "proofs": 1, "reason": "proof 0: the pairing equation does not hold"}


def test_several_partitions_are_verified(folder: Path) -> None:
    three = folder / "three.bin"
    three.write_bytes(b"".join(fixture("quirk").bytes(f"proof-{number}.bin") for number in range(3)))
    public = folder / "three-public.bin"
    public.write_bytes(fixture("quirk").bytes("public-inputs.bin") * 3)
    # q.vk.missing.vk does not exist, but the head of a .params file is a key
    outcome = cuzk("groth16", "verify", "--vk", folder / "q.vk", "--proof", three, "--public", public)
    assert (outcome.code, outcome.out) == (0, "valid\n")
    outcome = cuzk(
        "groth16", "verify", "--vk", folder / "q.vk", "--proof", three, "--public", QUIRK / "public-inputs.bin"
    )
    assert outcome.code == 2
    assert "3 proofs for the public inputs of 1 partitions" in outcome.err


def test_a_witness_that_does_not_satisfy_is_a_no(folder: Path) -> None:
    witness = bytearray(fixture("quirk").bytes("witness.bin"))
    witness[-1 - 31] ^= 1
    (folder / "wrong.bin").write_bytes(witness)
    outcome = prove(folder, "--witness", folder / "wrong.bin")
    assert outcome.code == 1
    assert "the witness does not satisfy row" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--params", QUIRK / "vk.bin"), "is not a parameter file"),
        (("--params", fixture("chain16").folder / "params.bin"), "belong to another circuit"),
        (("--witness", QUIRK / "vk.bin"), "is not a witness file"),
        (("--r1cs", QUIRK / "vk.bin"), "is not an R1CS file"),
        (("--r1cs", "missing"), "cannot read missing"),
        (("--r", "00"), "--r: expected 32 bytes"),
        (("--s", "ff" * 32), "--s: expected a scalar below the group order"),
        (("--threads", "0"), "--threads"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(folder: Path, arguments: tuple[object, ...], sentence: str) -> None:
    outcome = prove(folder, *arguments)
    assert outcome.code == 2
    assert sentence in outcome.err
    assert not outcome.out


def test_a_name_that_cannot_be_written_is_refused_before_the_work_and_nothing_is_left(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("cuzk.cli.groth16.prove")
    outcome = prove(folder, "--out", tmp_path / "proof.bin", "--public", tmp_path)
    assert (outcome.code, outcome.err) == (2, f"cuzk: cannot write {tmp_path}: Is a directory\n")
    assert not list(tmp_path.iterdir())


def test_inspect_shows_the_counts(folder: Path) -> None:
    outcome = cuzk("params", "inspect", folder / "q.params", "--json")
    assert outcome.code == 0
    assert outcome.json["points"] == fixture("quirk").meta["lens"]
    assert outcome.json["domain"] == 16
    assert outcome.json["unsafe"] is True
    text = cuzk("params", "inspect", folder / "q.vk").out
    assert "verifying key" in text
    assert "unsafe" in text


def test_check_says_whether_a_file_is_good(folder: Path, tmp_path: Path) -> None:
    outcome = cuzk("params", "check", folder / "q.params", "--json")
    assert outcome.code == 0
    assert outcome.json["good"]
    damaged = tmp_path / "q.params"
    data = bytearray((folder / "q.params").read_bytes())
    data[-1] ^= 1
    damaged.write_bytes(data)
    outcome = cuzk("params", "check", damaged)
    assert outcome.code == 1
    assert outcome.out.startswith(f"{damaged} is not a parameter file: b_g2: ")
    (tmp_path / "parameters.json").write_bytes((folder / "parameters.json").read_bytes())
    outcome = cuzk("params", "check", damaged, "--json")
    assert outcome.code == 1
    assert "the manifest has" in outcome.json["reason"]
    damaged.write_bytes(data[:-1])
    assert cuzk("params", "check", damaged).code == 2


def test_check_of_filecoins_own_keys() -> None:
    for path in sorted(data_path("params").glob("*.vk")):
        # these names are the network's, these files are not: the digest differs
        outcome = cuzk("params", "check", path, "--json")
        assert outcome.json["expected_digest"] not in (None, outcome.json["digest"])
        assert outcome.code == 1
