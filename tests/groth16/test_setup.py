"""Setup: fresh parameters work and are marked unsafe; circuits and secrets that cannot be are refused."""

import dataclasses
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuzk.algebra import bitmap, fr
from cuzk.devices import CpuDevice
from cuzk.errors import FormatError, InputError
from cuzk.filecoin.parameters.manifest import file_digest, read_manifest
from cuzk.groth16 import Assignment, FlatCircuit, Parameters, RowBlock, ToxicWaste, prove, setup, verify
from cuzk.groth16.r1cs_file import parse_r1cs
from cuzk.groth16.synthetic import boolean_heavy, dense_chain
from tests.full_disk import file_size_limit
from tests.groth16.fixtures import fixture
from tests.groth16.test_r1cs_file import encode


@pytest.mark.parametrize("make", [dense_chain, boolean_heavy])
def test_fresh_parameters_prove_and_verify(make, tmp_path: Path) -> None:
    case = make(6)
    calls: list[tuple[int, int]] = []
    parameters = setup(case.circuit, tmp_path / "c.params", threads=2, progress=lambda *call: calls.append(call))
    total = sum(len(points) for points in parameters.vectors.values())
    assert calls[-1] == (total, total)
    again = Parameters.open(tmp_path / "c.params")  # every point is checked
    assignment = Assignment.from_witness(case.circuit, case.inputs, case.aux)
    proof = prove(CpuDevice(1), again, case.circuit.density, assignment)
    assert verify(again.verifying_key, case.inputs[1:], proof)


def test_two_setups_differ(tmp_path: Path) -> None:
    circuit = dense_chain(3).circuit
    for name in ("a", "b"):
        setup(circuit, tmp_path / f"{name}.params")
    assert (tmp_path / "a.params").read_bytes() != (tmp_path / "b.params").read_bytes()


def test_files_are_marked_unsafe_in_the_manifest(tmp_path: Path) -> None:
    for name in ("one", "two"):
        setup(dense_chain(3).circuit, tmp_path / f"{name}.params", sector_size=2048)
    manifest = read_manifest(tmp_path / "parameters.json")
    assert sorted(manifest) == ["one.params", "one.vk", "two.params", "two.vk"]
    for name, entry in manifest.items():
        assert entry.unsafe
        assert entry.sector_size == 2048
        assert entry.digest == file_digest(tmp_path / name)


REPEATED = """
import sys
from pathlib import Path
from cuzk.groth16 import setup
from cuzk.groth16.synthetic import dense_chain
for _ in range(int(sys.argv[2])):
    setup(dense_chain(3).circuit, Path(sys.argv[1]))
"""


def _setup_in_a_process(path: Path, times: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", REPEATED, path, str(times)])


def test_two_processes_that_make_the_same_file_leave_one_set(tmp_path: Path) -> None:
    path = tmp_path / "c.params"
    processes = [_setup_in_a_process(path, 20) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    manifest = read_manifest(tmp_path / "parameters.json")
    assert {name: entry.digest for name, entry in manifest.items()} == {
        name: file_digest(tmp_path / name) for name in ("c.params", "c.vk")
    }
    key = (tmp_path / "c.vk").read_bytes()
    assert path.read_bytes()[: len(key)] == key
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.params", "c.vk", "parameters.json"]


def test_nothing_takes_its_name_while_another_publishes(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        process = _setup_in_a_process(tmp_path / "c.params", 1)
        while not list(tmp_path.glob(".c.vk.*")):
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.5)  # it would be done by now if it did not wait
        assert not (tmp_path / "c.params").exists()
        assert process.poll() is None
    finally:
        os.close(folder)
    assert process.wait() == 0
    assert sorted(read_manifest(tmp_path / "parameters.json")) == ["c.params", "c.vk"]


def test_a_file_of_a_trusted_setup_is_never_replaced(tmp_path: Path) -> None:
    manifest = {"c.vk": {"cid": "Qm", "digest": "0" * 32, "sector_size": 2048}}
    (tmp_path / "parameters.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"has c.vk as a file of a trusted setup"):
        setup(dense_chain(3).circuit, tmp_path / "c.params")
    setup(dense_chain(3).circuit, tmp_path / "d.params")
    assert json.loads((tmp_path / "parameters.json").read_text())["c.vk"] == manifest["c.vk"]


@pytest.mark.parametrize("name", ["c.vk", "c", "ü.params", ".params"])
def test_other_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"parameters are named \*.params"):
        setup(dense_chain(3).circuit, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_unconstrained_aux_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    circuit = parse_r1cs(encode(1, 3, [1], [([(1, 0, 0)], [(0, 0, 0)], [(1, 2, 0)])]))
    with pytest.raises(InputError, match="aux 1 is in no row"):
        setup(circuit, tmp_path / "c.params")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("limit", "refused"), [(1000, "c.params"), (12_000, "c.params"), (200_000, "parameters.json")], ids=str
)
def test_a_full_disk_is_told_with_the_file_that_has_no_room_and_changes_nothing(
    limit: int, refused: str, tmp_path: Path
) -> None:
    manifest = {f"{number}.params": {"cid": "Qm", "digest": "0" * 32, "sector_size": 0} for number in range(2000)}
    (tmp_path / "parameters.json").write_text(json.dumps(manifest))
    setup(dense_chain(5).circuit, tmp_path / "c.params")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with file_size_limit(limit), pytest.raises(InputError, match=rf"cannot write .*/{refused}: File too large"):
        setup(dense_chain(6).circuit, tmp_path / "c.params")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_densities_that_are_not_those_of_the_rows_are_refused(tmp_path: Path) -> None:
    circuit = dense_chain(4).circuit
    density = dataclasses.replace(circuit.density, b_aux=bitmap.zeros(circuit.num_aux))
    with pytest.raises(InputError, match="densities of this circuit do not agree with its rows in B"):
        setup(dataclasses.replace(circuit, density=density), tmp_path / "c.params")


class InBlocks:
    """A circuit that yields its rows one by one."""

    def __init__(self, whole: FlatCircuit, rows: list[tuple[list, list, list]], coefficients: list[int]) -> None:
        self.num_inputs, self.num_aux, self.domain = whole.num_inputs, whole.num_aux, whole.domain
        self.num_constraints, self.density = whole.num_constraints, whole.density
        self._rows, self._coefficients = rows, coefficients

    def row_blocks(self) -> Iterator[RowBlock]:
        for start, row in enumerate(self._rows):
            part = parse_r1cs(encode(self.num_inputs, self.num_aux, self._coefficients, [row]))
            yield RowBlock(start, part.a, part.b, part.c)


def test_rows_in_blocks_make_the_same_parameters(tmp_path: Path) -> None:
    rows = [
        ([(1, 0, 0)], [(1, 0, 0), (0, 0, 1)], [(1, 1, 0)]),
        ([(1, 1, 1)], [(1, 0, 0)], [(1, 2, 0)]),
        ([(1, 2, 0), (1, 0, 1)], [(0, 0, 0)], [(0, 1, 0)]),
    ]
    coefficients = [1, 9]
    whole = parse_r1cs(encode(2, 3, coefficients, rows))
    waste = fixture("quirk").toxic_waste()
    for name, circuit in (("whole", whole), ("blocks", InBlocks(whole, rows, coefficients))):
        setup(circuit, tmp_path / f"{name}.params", toxic_waste=waste)
    assert (tmp_path / "whole.params").read_bytes() == (tmp_path / "blocks.params").read_bytes()


def test_tau_in_the_domain_is_refused(tmp_path: Path) -> None:
    waste = dataclasses.replace(fixture("quirk").toxic_waste(), tau=fr.root_of_unity(4))
    with pytest.raises(InputError, match="root of unity"):
        setup(dense_chain(4).circuit, tmp_path / "c.params", toxic_waste=waste)


def test_toxic_waste_is_checked_and_never_shown() -> None:
    good = fixture("quirk").meta["toxic_waste"]
    waste = ToxicWaste.parse(json.dumps(good).encode())
    assert repr(waste) == "ToxicWaste()"
    for change, complaint in (
        ({"alpha_le": "00" * 32}, "alpha must be a non-zero scalar"),
        ({"tau_le": "ff" * 32}, "tau must be"),
        ({"beta_le": "00"}, "beta_le has 1 bytes, expected 32"),
        ({"beta_le": "zz"}, "beta_le is not hexadecimal"),
        ({"g1_uncompressed": "40" + "00" * 95}, "g1: "),
        ({"g2_uncompressed": "11" * 192}, "g2: "),
        ({"more": "x"}, "unknown field"),
    ):
        with pytest.raises(InputError, match=complaint):
            ToxicWaste.parse(json.dumps(good | change).encode())
    with pytest.raises(FormatError):
        ToxicWaste.parse(b"[]")
