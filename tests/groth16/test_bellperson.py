"""Byte for byte what bellperson makes, on its own small circuits: files, setup, evaluations, h and proofs."""

import io
from pathlib import Path

import numpy as np
import pytest

from cuzk.algebra import bitmap, fr
from cuzk.algebra.domain import quotient
from cuzk.devices import CpuDevice
from cuzk.groth16 import Parameters, Proof, VerifyingKey, prove, prove_finish, prove_start, setup, verify
from tests.groth16.fixtures import NAMES, fixture

pytestmark = pytest.mark.parametrize("name", NAMES)


def test_parameters_are_written_again_as_they_were_read(name: str) -> None:
    written = io.BytesIO()
    fixture(name).parameters().write(written)
    assert written.getvalue() == fixture(name).bytes("params.bin")


def test_verifying_key_is_written_again_as_it_was_read(name: str) -> None:
    data = fixture(name).bytes("vk.bin")
    assert VerifyingKey.parse(data).to_bytes() == data
    assert fixture(name).parameters().verifying_key.to_bytes() == data


def test_circuit_has_bellpersons_counts(name: str) -> None:
    case = fixture(name)
    circuit, meta = case.circuit, case.meta
    a_in, a_aux, b_in, b_aux = meta["density_a_in_a_aux_b_in_b_aux"]
    assert (circuit.num_inputs, circuit.num_aux) == (meta["num_inputs_incl_one"], meta["num_aux"])
    assert circuit.num_constraints == meta["num_constraints"]
    assert circuit.domain == meta["lens"]["h"] + 1
    assert circuit.num_inputs == a_in
    assert bitmap.popcount(circuit.density.a_aux) == a_aux
    assert bitmap.popcount(circuit.density.b_inputs) == b_in
    assert bitmap.popcount(circuit.density.b_aux) == b_aux


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_setup_from_known_toxic_waste_makes_the_same_file(name: str, threads: int, tmp_path: Path) -> None:
    case = fixture(name)
    path = tmp_path / "made.params"
    setup(case.circuit, path, toxic_waste=case.toxic_waste(), threads=threads)
    assert path.read_bytes() == case.bytes("params.bin")
    assert path.with_suffix(".vk").read_bytes() == case.bytes("vk.bin")


def test_evaluations_and_quotient_equal_bellpersons(name: str) -> None:
    case = fixture(name)
    assignment = case.assignment()
    assignment.check_satisfies(case.circuit)
    a, b = assignment.take_evaluations()
    evaluations = fr.from_bytes(case.bytes("abc-evals.bin")).reshape(3, -1, 4)
    rows = evaluations.shape[1]
    assert np.array_equal(a[:rows], evaluations[0])
    assert np.array_equal(b[:rows], evaluations[1])
    assert not a[rows:].any()
    assert not b[rows:].any()
    assert fr.to_bytes(quotient(a, b)) == case.bytes("h-coeffs.bin")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_proofs_with_known_r_and_s_are_identical(name: str, number: int) -> None:
    case = fixture(name)
    proof = prove(
        CpuDevice(2), case.parameters(), case.circuit.density, case.assignment(), **case.blinding(number), threads=2
    )
    assert proof.to_bytes() == case.bytes(f"proof-{number}.bin")


def test_fresh_proofs_differ_and_verify(name: str) -> None:
    case = fixture(name)
    proofs = [
        prove_finish(prove_start(CpuDevice(1), case.parameters(), case.circuit.density, case.assignment()))
        for _ in range(2)
    ]
    assert proofs[0].to_bytes() != proofs[1].to_bytes()
    key = VerifyingKey.parse(case.bytes("vk.bin"))
    for proof in proofs:
        assert verify(key, case.public_inputs, Proof.parse(proof.to_bytes()))


def test_a_changed_public_input_does_not_verify(name: str) -> None:
    case = fixture(name)
    key, proof = VerifyingKey.parse(case.bytes("vk.bin")), Proof.parse(case.bytes("proof-1.bin"))
    assert verify(key, case.public_inputs, proof)
    for place in range(len(case.public_inputs)):
        changed = case.public_inputs.copy()
        changed[place, 0] ^= np.uint64(1)
        assert not verify(key, changed, proof)


def test_parameters_of_the_manifest_fit_the_circuit(name: str) -> None:
    case = fixture(name)
    parameters: Parameters = case.parameters()
    circuit = case.circuit
    parameters.check_fits(circuit.num_inputs, circuit.num_aux, circuit.domain, circuit.density)
    counts = {key: len(points) for key, points in parameters.vectors.items()}
    assert counts | {"ic": parameters.verifying_key.num_inputs} == case.meta["lens"]
