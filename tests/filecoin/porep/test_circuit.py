"""StackedDRG against Filecoin's own circuits: counts, densities, digests, names, witnesses."""

import json
import lzma
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.porep.circuit import stacked_porep
from cuzk.filecoin.porep.config import PorepConfig, porep_config
from cuzk.filecoin.porep.entry import porep_family
from cuzk.filecoin.porep.job import PorepJob
from cuzk.filecoin.sectors import SectorShape, shape_of_slug
from cuzk.groth16.assignment import Assignment
from cuzk.r1cs import CompiledCircuit
from cuzk.r1cs.bisect import first_difference
from cuzk.r1cs.digest import r1cs_digests
from cuzk.r1cs.satisfied import check_satisfied
from cuzk.r1cs.synthesis import Synthesizer
from tests.conftest import data_path
from tests.filecoin.child import run_cuzk
from tests.filecoin.circuit_counts import counts
from tests.filecoin.witnesses import witness_digest

from .fixtures import S1, S5, SHAPES_S1, SHAPES_S2, PorepFixture, job_of


@cache
def compiled(config: PorepConfig) -> CompiledCircuit:
    return CompiledCircuit.trace(config.circuit_id, lambda cs: stacked_porep(cs, config))


def synthesized(job: PorepJob) -> Assignment:
    return Synthesizer(compiled(job.config)).run(job.witness_data(0), threads=2)


@pytest.mark.parametrize("slug", ["2k", *(pytest.param(slug, marks=pytest.mark.full) for slug in ("4k", "32k", "8m"))])
def test_circuit_equals_filecoins(slug: str) -> None:
    expected = json.loads(data_path(f"r1cs/porep-{slug}.json").read_text())
    circuit = compiled(porep_config(shape_of_slug(slug)))
    assert counts(circuit) == {key: expected[key] for key in counts(circuit)}
    assert r1cs_digests(circuit) == (expected["r1cs_sha256"], expected["r1cs_sha256_with_input_rows"])


@pytest.mark.full
def test_counts_of_32_gib_equal_filecoins() -> None:
    expected = json.loads(data_path("r1cs/large-counts.json").read_text())["porep-32g"]
    circuit = compiled(porep_config(shape_of_slug("32g")))
    assert counts(circuit) == {key: expected[key] for key in counts(circuit)}


@pytest.mark.full
def test_32_gib_is_counted_and_digested_in_seconds_and_little_memory(tmp_path: Path) -> None:
    """Filecoin's own digest of these 130 million rows was not recorded: the one here keeps them as they are."""
    shown = run_cuzk("circuits", "show", "porep-32g", cache=tmp_path)
    assert (shown.cpu_seconds < 20, shown.peak_bytes < 1 << 30) == (True, True)
    assert shown.answer["compiled_bytes"] <= 100 << 20
    digest = run_cuzk("circuits", "digest", "porep-32g", cache=tmp_path)
    assert (digest.cpu_seconds < 180, digest.peak_bytes < 2 << 30) == (True, True)
    assert digest.answer["r1cs_sha256"] == "4157258ad41311aff990d4e88959b324316eb296f7890934f9424e53a62f3e56"


@pytest.mark.full
@pytest.mark.parametrize(("sub", "top", "rows"), [(0, 0, 1_199_620), (4, 0, 1_296_576), (4, 2, 1_346_982)])
def test_rows_of_small_trees_equal_filecoins_tests(sub: int, top: int, rows: int) -> None:
    """stacked_circuit.rs: base trees of 8 leaves, one challenge."""
    shape = SectorShape(256 * max(1, sub) * max(1, top), "2k", 8, sub, top)
    circuit = compiled(PorepConfig(shape, layers=2, challenges=1, partitions=1, non_interactive_partitions=1))
    assert (circuit.num_inputs, circuit.num_constraints) == (22, rows)


@pytest.mark.full
def test_rows_have_filecoins_names() -> None:
    circuit = compiled(porep_config(shape_of_slug("2k")))
    assert first_difference(circuit, rows=data_path("r1cs/porep-2k.first2000.txt")) is None


def test_witness_equals_filecoins() -> None:
    expected = json.loads(data_path("porep/s1/det.json").read_text())["witness"][0]["sha256_inputs_then_aux_le32"]
    job = job_of(S1)
    assignment = synthesized(job)
    assert witness_digest(assignment) == expected
    np.testing.assert_array_equal(assignment.inputs[1:], job.public_inputs(0))
    with pytest.raises(InputError, match="partition: expected 0 to 0, got 1"):
        job.witness_data(1)


@pytest.mark.full
@pytest.mark.parametrize("fixture", [S5, SHAPES_S1, SHAPES_S2], ids=str)
def test_witnesses_of_other_sectors_equal_filecoins(fixture: PorepFixture) -> None:
    assignment = synthesized(job_of(fixture))
    np.testing.assert_array_equal(assignment.inputs[1:], fixture.public_inputs)
    if fixture is SHAPES_S1:  # the others' witnesses were not recorded
        expected = json.loads(data_path(f"{fixture.folder}/witness.json").read_text())["sha256_inputs_then_aux_le32"]
        assert witness_digest(assignment) == expected


@pytest.mark.full
@pytest.mark.parametrize("number", [10, 15], ids=["synthetic", "non-interactive"])
def test_the_last_partition_of_other_forms_satisfies_the_circuit(number: int) -> None:
    """Filecoin has one circuit for all of them (niporep-2k is porep-2k); a partition of each is a witness of it."""
    entry = porep_family().entries["porep-2k"]
    order = DevelopmentOrder(b"seed", randomness=bytes(range(32)), registered_proof=number)
    job = entry.decode(entry.development_request(order))
    last = job.partitions - 1
    circuit = compiled(job.config)
    assignment = Synthesizer(circuit).run(job.witness_data(last), threads=2)
    np.testing.assert_array_equal(assignment.inputs[1:], job.public_inputs(last))
    check_satisfied(circuit, assignment, threads=2)


@pytest.mark.full
def test_witness_and_evaluations_are_right_to_the_last_row() -> None:
    raw = lzma.decompress(data_path("porep/s1/witness-0.bin.xz").read_bytes())
    job = job_of(S1)
    assignment = synthesized(job)
    circuit = compiled(job.config)
    expected = np.frombuffer(raw[24:], dtype="<u8").reshape(-1, 4)
    np.testing.assert_array_equal(assignment.z, expected)
    check_satisfied(circuit, assignment, threads=2)
