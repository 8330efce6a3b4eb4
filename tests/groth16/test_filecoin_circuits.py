"""Filecoin's own 2 KiB PoSt circuits: their parameter files and proofs, byte for byte."""

import hashlib
import json
from pathlib import Path

import pytest

from cuzk.devices import CpuDevice
from cuzk.groth16 import Assignment, Check, FlatCircuit, Parameters, Proof, ToxicWaste, prove, setup, verify
from cuzk.groth16.r1cs_file import read_r1cs
from cuzk.groth16.witness_file import read_public_inputs, read_witness
from tests.conftest import data_path

THREADS = 2
CASES = {
    "window": (
        "r1cs/window-2k.r1cs",
        "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-0170db1f",
        [("window/a-v1_2-s1s2", 0), ("window/c-v1-s1s2s3", 0), ("window/c-v1-s1s2s3", 1)],
    ),
    "winning": (
        "r1cs/winning-2k.r1cs",
        "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-3ea05428",
        [("winning/s1", 0)],
    ),
}
# WinningPoSt's circuit and witness are too large to commit, and it takes half a minute.
names = pytest.mark.parametrize("name", ["window", pytest.param("winning", marks=pytest.mark.full)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("params")


def made(name: str, folder: Path) -> tuple[FlatCircuit, Path]:
    """Set the circuit up once for the module."""
    circuit = read_r1cs(data_path(CASES[name][0]))
    path = folder / f"{name}.params"
    if not path.exists():
        waste = ToxicWaste.read(data_path("params/toxic-waste.json"))
        setup(circuit, path, toxic_waste=waste, threads=THREADS)
    return circuit, path


@names
def test_setup_makes_filecoins_parameter_file(name: str, folder: Path) -> None:
    _, path = made(name, folder)
    manifest = json.loads(data_path("params/params-sha256.json").read_text())
    (expected,) = (entry for key, entry in manifest.items() if CASES[name][1] in key)
    assert path.stat().st_size == expected["bytes"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == expected["sha256"]
    assert hashlib.sha256(path.with_suffix(".vk").read_bytes()).hexdigest() == expected["vk_sha256"]


@names
def test_proofs_equal_filecoins(name: str, folder: Path) -> None:
    circuit, path = made(name, folder)
    parameters = Parameters.open(path, check=Check.STRUCTURE)
    for request, partition in CASES[name][2]:
        det = json.loads(data_path(f"{request}/det.json").read_text())
        r, s = (int.from_bytes(bytes.fromhex(det[key][partition]), "little") for key in ("r_le", "s_le"))
        for file, blinding in (("proof-fixed-rs.bin", {"r": r, "s": s}), ("proof-rs-zero.bin", {"r": 0, "s": 0})):
            inputs, aux = read_witness(data_path(f"{request}/witness-{partition}.bin"))
            assignment = Assignment.from_witness(circuit, inputs, aux, threads=THREADS)
            proof = prove(
                CpuDevice(THREADS), parameters, circuit.density, assignment, **blinding, threads=THREADS
            ).to_bytes()
            expected = data_path(f"{request}/{file}").read_bytes()[192 * partition : 192 * (partition + 1)]
            assert proof == expected, (request, file)


@names
def test_fresh_proofs_verify(name: str, folder: Path) -> None:
    circuit, path = made(name, folder)
    parameters = Parameters.open(path, check=Check.STRUCTURE)
    request, partition = CASES[name][2][-1]
    inputs, aux = read_witness(data_path(f"{request}/witness-{partition}.bin"))
    public_inputs = read_public_inputs(data_path(f"{request}/public-inputs.bin"))[partition]
    assignment = Assignment.from_witness(circuit, inputs, aux, threads=THREADS)
    proof = prove(CpuDevice(THREADS), parameters, circuit.density, assignment, threads=THREADS)
    assert verify(parameters.verifying_key, public_inputs, Proof.parse(proof.to_bytes()))
    changed = public_inputs.copy()
    changed[-1, 0] += 1
    assert not verify(parameters.verifying_key, changed, proof)
