"""Request files: proto3 JSON in, the same request out."""

import json
from pathlib import Path

import pytest

from cuzk.errors import FormatError, InputError
from cuzk.filecoin import request
from cuzk.filecoin.kinds import KIND_BY_WIRE, Kind
from cuzk.filecoin.request import Priority, Request, parse_request, read_request
from cuzk.proto import proving_pb2 as pb

REQUEST = Request(
    kind=Kind.WINDOW,
    request_id="wdpost-1000-0-[1 2]",
    registered_proof=10,
    sector_size=2048,
    priority=Priority.HIGH,
    vanilla_proofs=(b"\x00\xff", b""),
    miner_id=(1 << 64) - 1,
    randomness=bytes(32),
    partition_index=3,
)


def test_a_request_survives_both_forms() -> None:
    assert parse_request(REQUEST.to_json()) == REQUEST
    assert Request.from_message(pb.SubmitProofRequest.FromString(REQUEST.to_message().SerializeToString())) == REQUEST


def test_field_names_in_both_spellings() -> None:
    assert parse_request('{"proofKind":"WINNING_POST","sectorSize":"2048"}').sector_size == 2048
    assert parse_request('{"proof_kind":4,"sector_size":2048}').kind is Kind.WINNING


def test_kinds_are_those_of_the_wire() -> None:
    assert {kind.wire: kind.name for kind in Kind} == {1: "POREP", 2: "SNAP", 3: "WINDOW", 4: "WINNING"}
    assert set(KIND_BY_WIRE) == set(pb.ProofKind.values()) - {0}


@pytest.mark.parametrize(
    ("kind", "number", "priority"),
    [
        (4, 0, Priority.CRITICAL),
        (3, 0, Priority.HIGH),
        (1, 0, Priority.NORMAL),
        (2, 0, Priority.NORMAL),
        (4, 1, Priority.LOW),
        (1, 4, Priority.CRITICAL),
        (4, 9, Priority.NORMAL),
    ],
)
def test_priorities_default_by_kind(kind: int, number: int, priority: Priority) -> None:
    assert parse_request(json.dumps({"proofKind": kind, "priority": number})).priority is priority


@pytest.mark.parametrize("kind", [0, 5, -1])
def test_unknown_kinds_are_refused(kind: int) -> None:
    with pytest.raises(InputError, match=rf"proof_kind: expected POREP_SEAL_COMMIT \(1\).*, got {kind}"):
        parse_request(json.dumps({"proofKind": kind}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        b"\xff\xfe",
        '{"proofKind":"WINNING"}',
        '{"proofKind":4,"sectorSize":-1}',
        '{"proofKind":4,"randomness":"*"}',
        '{"proofKind":4,"vanillaProofs":["AAAA","AA=A"]}',
        '{"proofKind":4,"vanilla_proof":"AAAAA"}',
        '{"proofKind":4,"unheardOf":1}',
        '{"proofKind":4,"partitionIndex":4294967296}',
        "[" * 100_000,
    ],
)
def test_malformed_json_is_one_sentence(text: str | bytes) -> None:
    with pytest.raises(FormatError, match="not a SubmitProofRequest in JSON: "):
        parse_request(text)


def test_a_request_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(REQUEST.to_json())
    assert read_request(path) == REQUEST
    path.write_text("{")
    with pytest.raises(FormatError, match=r"request\.json: not a SubmitProofRequest"):
        read_request(path)


def test_a_file_without_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "MAX_REQUEST_FILE_BYTES", 1 << 16)
    with pytest.raises(FormatError, match="/dev/zero is too large: expected at most 65536 bytes"):
        read_request(Path("/dev/zero"))
