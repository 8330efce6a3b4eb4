"""EmptySectorUpdate against Filecoin's own circuits: counts, densities, digests, names, witnesses."""

import json
from functools import cache

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.sectors import SectorShape, shape_of_slug
from cuzk.filecoin.update.circuit import sector_update
from cuzk.filecoin.update.codec import decode
from cuzk.filecoin.update.config import UpdateConfig, update_config
from cuzk.filecoin.update.job import UpdateJob
from cuzk.groth16.assignment import Assignment
from cuzk.r1cs import CompiledCircuit
from cuzk.r1cs.bisect import first_difference
from cuzk.r1cs.digest import r1cs_digests
from cuzk.r1cs.satisfied import check_satisfied
from cuzk.r1cs.synthesis import Synthesizer
from tests.conftest import data_path
from tests.filecoin.circuit_counts import counts
from tests.filecoin.witnesses import witness_digest

from .fixtures import S1, SHAPES_S1, UpdateFixture


@cache
def compiled(config: UpdateConfig) -> CompiledCircuit:
    return CompiledCircuit.trace(config.circuit_id, lambda cs: sector_update(cs, config))


def job_of(fixture: UpdateFixture) -> UpdateJob:
    return UpdateJob(fixture.proof, fixture.statement, decode(fixture.config, fixture.payloads))


def synthesized(job: UpdateJob, partition: int = 0) -> Assignment:
    return Synthesizer(compiled(job.config)).run(job.witness_data(partition), threads=2)


@pytest.mark.parametrize("slug", ["2k", *(pytest.param(slug, marks=pytest.mark.full) for slug in ("4k", "32k"))])
def test_circuit_equals_filecoins(slug: str) -> None:
    expected = json.loads(data_path(f"r1cs/update-{slug}.json").read_text())
    circuit = compiled(update_config(shape_of_slug(slug)))
    assert counts(circuit) == {key: expected[key] for key in counts(circuit)}
    assert r1cs_digests(circuit) == (expected["r1cs_sha256"], expected["r1cs_sha256_with_input_rows"])


@pytest.mark.full
@pytest.mark.parametrize("slug", ["8m", "32g"])
def test_counts_of_large_sectors_equal_filecoins(slug: str) -> None:
    expected = json.loads(data_path("r1cs/large-counts.json").read_text())[f"update-{slug}"]
    circuit = compiled(update_config(shape_of_slug(slug)))
    assert counts(circuit) == {key: expected[key] for key in counts(circuit)}


@pytest.mark.full
@pytest.mark.parametrize(
    ("size", "sub", "top", "rows"),
    [
        (1 << 10, 4, 0, 1_248_389),
        (1 << 12, 2, 0, 2_165_109),
        (1 << 13, 4, 0, 2_620_359),
        (1 << 14, 8, 0, 6_300_021),
        (1 << 15, 8, 2, 6_760_091),
    ],
)
def test_rows_of_other_sizes_equal_filecoins_tests(size: int, sub: int, top: int, rows: int) -> None:
    """circuit.rs of storage-proofs-update's tests."""
    assert compiled(update_config(SectorShape(size, "2k", 8, sub, top))).num_constraints == rows


@pytest.mark.full
def test_rows_have_filecoins_names() -> None:
    circuit = compiled(update_config(shape_of_slug("2k")))
    assert first_difference(circuit, rows=data_path("r1cs/update-2k.first2000.txt")) is None


def test_witness_equals_filecoins() -> None:
    expected = json.loads(data_path("update/s1/det.json").read_text())["witness"][0]["sha256_inputs_then_aux_le32"]
    job = job_of(S1)
    assignment = synthesized(job)
    assert witness_digest(assignment) == expected
    np.testing.assert_array_equal(assignment.inputs[1:], job.public_inputs(0))
    with pytest.raises(InputError, match="partition: expected 0 to 0, got 1"):
        job.witness_data(1)


@pytest.mark.full
def test_every_evaluation_is_right() -> None:
    job = job_of(S1)
    check_satisfied(compiled(job.config), synthesized(job), threads=2)


@pytest.mark.full
@pytest.mark.parametrize("partition", [0, 1])
def test_witnesses_of_two_partitions_equal_filecoins(partition: int) -> None:
    job = job_of(SHAPES_S1)
    assignment = synthesized(job, partition)
    np.testing.assert_array_equal(assignment.inputs[1:], SHAPES_S1.public_inputs[partition])
    expected = SHAPES_S1.meta["witness"][partition]["sha256_inputs_then_aux_le32"]
    assert witness_digest(assignment) == expected
