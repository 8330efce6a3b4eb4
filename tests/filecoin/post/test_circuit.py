"""FallbackPoSt against Filecoin's own circuits: counts, densities, digests, whole rows, names, witnesses."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cuzk.algebra import fr
from cuzk.filecoin.post.circuit import fallback_post, witness_data
from cuzk.filecoin.post.codec import decode
from cuzk.filecoin.post.config import PostConfig, window_config, winning_config
from cuzk.filecoin.sectors import SectorShape, shape_of_slug
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.r1cs_file import read_r1cs
from cuzk.groth16.witness_file import read_witness
from cuzk.r1cs import CompiledCircuit
from cuzk.r1cs.digest import encode_rows, r1cs_digests
from cuzk.r1cs.synthesis import Synthesizer
from tests.conftest import data_path, find_data
from tests.filecoin.child import run_cuzk
from tests.filecoin.circuit_counts import counts
from tests.filecoin.witnesses import witness_digest

from . import fixtures
from .fixtures import PostFixture


@cache
def compiled(config: PostConfig) -> CompiledCircuit:
    return CompiledCircuit.trace(config.circuit_id, lambda cs: fallback_post(cs, config))


@cache
def synthesizer(config: PostConfig) -> Synthesizer:
    return Synthesizer(compiled(config))


def config_of(name: str) -> PostConfig:
    """Return the circuit that a file of `r1cs/` is about."""
    kind, size, *rest = name.split("-")
    shape = shape_of_slug(size)
    return winning_config(shape) if kind == "winning" else window_config(shape, 2 if rest == ["2sectors"] else None)


@pytest.mark.parametrize(
    "name",
    [f"{kind}-{size}" for kind in ("winning", "window") for size in ("2k", "4k", "32k", "8m")]
    + ["winning-32g", "window-32g-2sectors"],
)
def test_circuit_equals_filecoins(name: str) -> None:
    expected = json.loads(data_path(f"r1cs/{name}.json").read_text())
    circuit = compiled(config_of(name))
    assert counts(circuit) == {key: expected[key] for key in counts(circuit)}
    assert r1cs_digests(circuit) == (expected["r1cs_sha256"], expected["r1cs_sha256_with_input_rows"])


@pytest.mark.parametrize("name", ["winning-64g", "window-64g-2sectors"])
def test_counts_of_64_gib_equal_filecoins(name: str) -> None:
    expected = json.loads(data_path("r1cs/large-counts.json").read_text())[name]
    circuit = compiled(config_of(name))
    assert counts(circuit) == {key: expected[key] for key in counts(circuit)}


@pytest.mark.parametrize(
    ("sub", "top", "sectors", "inputs", "rows"),
    [(0, 0, 3, 19, 16_869), (4, 0, 3, 19, 22_674), (4, 2, 3, 19, 27_384), (0, 0, 2, 13, 11_246)],
)
def test_rows_of_small_trees_equal_filecoins_tests(sub: int, top: int, sectors: int, inputs: int, rows: int) -> None:
    """fallback_circuit.rs: base trees of 64 leaves, five challenges a sector."""
    shape = SectorShape(2048 * max(1, sub) * max(1, top), "2k", 8, sub, top)
    circuit = CompiledCircuit.trace("test", lambda cs: fallback_post(cs, PostConfig("wpost", shape, sectors, 5)))
    assert (circuit.num_inputs, circuit.num_constraints) == (inputs, rows)


def test_rows_of_32_gib_equal_filecoins_test() -> None:
    """fallback_circuit.rs: five sectors of 32 GiB."""
    assert compiled(window_config(shape_of_slug("32g"), sectors=5)).num_constraints == 266_665


@pytest.mark.full
@pytest.mark.parametrize(("size", "rows"), [("32g", 125_279_217), ("64g", 129_887_900)])
def test_a_whole_window_post_is_counted_in_seconds_and_little_memory(size: str, rows: int, tmp_path: Path) -> None:
    shown = run_cuzk("circuits", "show", f"wpost-{size}", cache=tmp_path)
    assert shown.cpu_seconds < 20
    assert shown.peak_bytes < 1 << 30
    assert shown.answer["constraints"] == rows
    assert shown.answer["compiled_bytes"] < 20 << 20


@pytest.mark.parametrize("name", ["winning-2k", "window-2k"])
def test_rows_and_densities_equal_the_whole_matrices(name: str) -> None:
    flat = read_r1cs(data_path(f"r1cs/{name}.r1cs"))
    circuit = compiled(config_of(name))
    (rows,) = flat.row_blocks()
    for block in circuit.row_blocks():
        assert encode_rows(circuit, block) == encode_rows(flat, rows, block.start, block.start + len(block.a))
    for field in ("a_aux", "b_inputs", "b_aux"):
        np.testing.assert_array_equal(getattr(circuit.density, field), getattr(flat.density, field))


@pytest.mark.parametrize("name", ["winning-2k", "window-2k"])
def test_rows_have_filecoins_names(name: str) -> None:
    circuit = compiled(config_of(name))
    lines = data_path(f"r1cs/{name}.first2000.txt").read_text().splitlines()
    names = [line.split(" ", 1)[1] for line in lines if line.startswith("#")]
    assert len(names) == 2000
    assert [circuit.row_name(row) for row in range(2000)] == names


def expected_witness_digest(fixture: PostFixture) -> str:
    if find_data(f"{fixture.folder}/det.json"):
        witness = json.loads(data_path(f"{fixture.folder}/det.json").read_text())["witness"][fixture.partition]
        return str(witness["sha256_inputs_then_aux_le32"])
    return str(fixture.meta["witness_sha256_inputs_then_aux_le32"])


@pytest.mark.usefixtures("each_isa")
@pytest.mark.parametrize("fixture", fixtures.ALL, ids=str)
def test_witness_equals_filecoins(fixture: PostFixture) -> None:
    data = witness_data(decode(fixture.config, fixture.payloads))
    assignment = synthesizer(fixture.config).run(data, threads=2)
    assert witness_digest(assignment) == expected_witness_digest(fixture)
    assert fr.to_ints(assignment.inputs[1:]) == fixture.public_inputs


@pytest.mark.parametrize("fixture", [fixtures.WINNING_2K, fixtures.WINDOW_2K, fixtures.WINDOW_2K_PADDED], ids=str)
def test_witness_and_evaluations_equal_the_whole_file(fixture: PostFixture) -> None:
    inputs, aux = read_witness(data_path(f"{fixture.folder}/witness-{fixture.partition}.bin"))
    circuit = compiled(fixture.config)
    assignment = synthesizer(fixture.config).run(witness_data(decode(fixture.config, fixture.payloads)))
    np.testing.assert_array_equal(assignment.inputs, inputs)
    np.testing.assert_array_equal(assignment.aux.dense(), aux)
    expected = Assignment.from_witness(circuit, inputs, aux)
    for got, want in zip(assignment.evaluations, expected.evaluations, strict=True):
        np.testing.assert_array_equal(got, want)
