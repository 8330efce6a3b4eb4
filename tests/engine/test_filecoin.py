"""Filecoin's registry as the engine knows it; proofs through it are made in tests/server/test_end_to_end.py."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from cuzk.engine.checks import FileChecks
from cuzk.engine.filecoin import registry
from cuzk.engine.payloads import PreparedReader, pack_prepared
from cuzk.errors import InputError
from cuzk.filecoin.registry import decode, entry
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.unsafe_manifest import publishing
from tests.engine.loop import in_loop
from tests.filecoin.post.fixtures import WINDOW_2K, WINNING_2K, request

CIRCUIT = "wpost-2k"


def test_a_request_becomes_an_assignment_of_the_size_that_was_reserved() -> None:
    known = registry(Path("/nowhere"))
    prepared = known.prepare(request(WINDOW_2K))
    reader = PreparedReader(memoryview(b"".join(pack_prepared(prepared))))
    job, circuit = reader.job(), known.circuits[reader.circuit_id]
    assert (circuit.circuit_id, circuit.kind, circuit.critical, len(reader)) == (CIRCUIT, "window-post", False, 1)
    assert reader.public_inputs(0) == decode(request(WINDOW_2K)).public_inputs(0).tobytes()
    needs = circuit.needs
    segment = memoryview(bytearray(needs.assignment))
    circuit.compile().synthesize(job, 0, segment, threads=2)
    assignment = Assignment.from_buffer(segment)
    assert assignment.layout.size == needs.assignment
    assert assignment.layout.offsets[4] == needs.assignment - needs.evaluations
    assert assignment.inputs[1:].tobytes() == reader.public_inputs(0)
    assignment.check_satisfies(entry(CIRCUIT).circuit(), threads=2)


def test_needs_grow_with_the_circuit() -> None:
    circuits = registry(Path("/nowhere")).circuits
    small, large = circuits["wpost-2k"].needs, circuits["winning-32g"].needs
    assert small.work < large.work
    assert small.partition < large.partition
    assert large.assignment > 2 * large.evaluations // 3
    assert large.work < 3 * large.partition


def test_bad_requests_are_refused_by_name() -> None:
    known = registry(Path("/nowhere"))
    with pytest.raises(InputError, match=r"^randomness: expected 32 bytes, got 31"):
        known.prepare(replace(request(WINNING_2K), randomness=bytes(31)))


@in_loop
async def test_parameters_are_what_the_manifest_of_their_folder_says(tmp_path: Path) -> None:
    known = registry(tmp_path, dev_params=True).circuits[CIRCUIT]
    name = f"{entry(CIRCUIT).parameter_stem}.params"
    checks = FileChecks(tmp_path / "verified.json")
    with pytest.raises(InputError, match="there is no parameter file"):
        await checks.check(known.parameters)
    with publishing(tmp_path, [name], 2048) as (file,):
        file.write(b"not parameters")
    (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(InputError, match=f"{name}: expected the digest {file.digest}, got "):
        await checks.check(known.parameters)
    (tmp_path / name).write_bytes(b"not parameters")
    await checks.check(known.parameters)
    before = known.parameters.identity
    os.utime(tmp_path / name, ns=(1, 1))
    assert known.parameters.identity != before
    await checks.check(known.parameters)
    with pytest.raises(InputError, match="marked unsafe"):
        registry(tmp_path).circuits[CIRCUIT].parameters.check()
    checks.close()
