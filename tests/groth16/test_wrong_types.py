"""Wrong Python types get a sentence, an InputError, from whatever sets up, proves and verifies."""

from pathlib import Path
from typing import Any

import pytest

from cuzk.devices import CpuDevice
from cuzk.errors import InputError
from cuzk.groth16 import Assignment, Parameters, Proof, prove, setup, verify, verify_batch
from tests.groth16.fixtures import Fixture, fixture


@pytest.fixture(scope="module")
def case() -> Fixture:
    return fixture("quirk")


@pytest.fixture(scope="module")
def parameters(case: Fixture) -> Parameters:
    return case.parameters()


@pytest.fixture(scope="module")
def proof(case: Fixture) -> Proof:
    return Proof.parse(case.bytes("proof-0.bin"))


def test_verify(case: Fixture, parameters: Parameters, proof: Proof) -> None:
    key, public = parameters.verifying_key, case.public_inputs
    assert verify(key, public, proof)
    bad: Any
    for bad in (parameters, "c.vk", None):
        sentence = f"key: expected VerifyingKey, got {type(bad).__name__}; that of parameters is .verifying_key"
        with pytest.raises(InputError, match=sentence):
            verify(bad, public, proof)
    for bad in (case.bytes("proof-0.bin"), None, public):
        sentence = f"proof: expected Proof, got {type(bad).__name__}; Proof.parse reads one from bytes"
        with pytest.raises(InputError, match=sentence):
            verify(key, public, bad)
        with pytest.raises(InputError, match=sentence):
            verify_batch(key, [(public, bad)])
    for bad in ([25, 3], None, 5, proof):
        with pytest.raises(InputError, match=rf"public inputs: expected uint64\[n, 4\], got {type(bad).__name__}"):
            verify(key, bad, proof)
    for bad in ([proof], [5]):
        with pytest.raises(InputError, match="a batch: expected pairs of public inputs and a Proof"):
            verify_batch(key, bad)


def test_prove(case: Fixture, parameters: Parameters) -> None:
    device, density = CpuDevice(1), case.circuit.density
    good: dict[str, Any] = {
        "device": device,
        "parameters": parameters,
        "density": density,
        "assignment": case.assignment(),
    }
    for name, bad, hint in (
        ("device", parameters, "CpuDevice() is one"),
        ("parameters", "c.params", "Parameters.open reads them from a file"),
        ("density", case.circuit, "that of a circuit is .density"),
        ("assignment", (case.inputs, case.aux), "Assignment.from_witness makes one"),
    ):
        with pytest.raises(InputError) as refused:
            prove(**good | {name: bad})
        assert str(refused.value) == (
            f"{name}: expected {name.capitalize()}, got {type(bad).__name__}; {hint}"  # the classes have these names
        )
    for name in ("r", "s"):
        with pytest.raises(InputError, match=f"{name}: expected int, got float"):
            prove(**good, **{name: 1.5})


def test_setup(case: Fixture, tmp_path: Path) -> None:
    path = tmp_path / "c.params"
    bad: Any
    for bad in (print, "c.r1cs", None):
        with pytest.raises(InputError, match=r"circuit: expected Circuit, got \w+; CompiledCircuit.trace makes one"):
            setup(bad, path)
    for name, bad, kind in (("toxic_waste", 5, "ToxicWaste"), ("threads", None, "int"), ("threads", "2", "int")):
        with pytest.raises(InputError, match=f"{name}: expected {kind}, got {type(bad).__name__}"):
            setup(case.circuit, path, **{name: bad})
    assert not list(tmp_path.iterdir())


def test_proofs_and_witnesses(case: Fixture) -> None:
    bad: Any
    for bad in ("00" * 192, None, 5):
        with pytest.raises(InputError, match=f"a proof: expected bytes, got {type(bad).__name__}"):
            Proof.parse(bad)
    for bad in (None, [1, 2], 5):
        for inputs, aux, what in ((bad, case.aux, "inputs"), (case.inputs, bad, "aux")):
            with pytest.raises(InputError, match=rf"{what}: expected uint64\[n, 4\], got {type(bad).__name__}"):
                Assignment.from_witness(case.circuit, inputs, aux)
