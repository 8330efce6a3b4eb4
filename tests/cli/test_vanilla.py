"""`cuzk vanilla`: requests made, shown and checked."""

import base64
import json
from pathlib import Path

import pytest

from tests.cli.runner import cuzk
from tests.filecoin.post.fixtures import WINDOW_2K, WINNING_2K, request


def test_a_generated_request_holds(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    made = cuzk("vanilla", "generate", "wpost-4k", "--sector", 3, "--sector", 8, "--seed", "s", "--out", path, "--json")
    assert made.code == 0
    assert [sector["number"] for sector in made.json["sectors"]] == [3, 8]
    checked = cuzk("vanilla", "verify", path, "--json")
    assert checked.code == 0
    assert checked.json == {"valid": True, "circuit": "wpost-4k", "reason": None}


def test_a_request_may_go_to_standard_output(tmp_path: Path) -> None:
    arguments = ["vanilla", "generate", "winning-2k", "--randomness", "00" * 32]
    first, second = cuzk(*arguments), cuzk(*arguments)
    assert first.out == second.out
    assert json.loads(first.out)["priority"] == "CRITICAL"


def test_a_name_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("cuzk.filecoin.post.entry.PostEntry.development_request")
    outcome = cuzk("vanilla", "generate", "wpost-2k", "--out", tmp_path)
    assert (outcome.code, outcome.err) == (2, f"cuzk: cannot write {tmp_path}: Is a directory\n")


def test_inspection_shows_what_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(request(WINNING_2K).to_json())
    shown = cuzk("vanilla", "inspect", path, "--json")
    assert shown.code == 0
    assert shown.json["kind"] == "winning-post"
    assert shown.json["public_inputs"] == [132]
    (sector,) = shown.json["sectors"]
    assert sector["comm_r"] == WINNING_2K.meta["comm_r"][0]
    text = cuzk("vanilla", "inspect", path)
    assert sector["comm_r"] in text.out
    assert "winning-2k" in text.out


def test_a_changed_path_is_no_and_a_malformed_request_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    fields = json.loads(request(WINDOW_2K).to_json())
    payload = bytearray(base64.b64decode(fields["vanillaProofs"][1]))
    payload[200] ^= 1
    fields["vanillaProofs"][1] = base64.b64encode(payload).decode()
    path.write_text(json.dumps(fields))
    answer = cuzk("vanilla", "verify", path)
    assert answer.code == 1
    assert "sector 2, challenge 0: the path from leaf" in answer.out
    fields["vanillaProofs"][1] = base64.b64encode(payload[:-1]).decode()
    path.write_text(json.dumps(fields))
    answer = cuzk("vanilla", "verify", path)
    assert answer.code == 2
    assert "vanilla_proofs[1] (sector 2): comm_r_last: the bytes end here" in answer.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["verify", "/nonexistent.json"], "/nonexistent.json"),
        (["generate", "wpost-3k"], "unknown circuit id"),
        (["generate", "wpost-2k", "--registered-proof", "8"], "expected one of wpost-2k, got StackedDrgWindow32GiBV1"),
        (["generate", "winning-2k", "--sector", "1", "--sector", "2"], "expected exactly one for winning-2k"),
        (["generate", "wpost-2k", "--partition", str(1 << 32)], "'--partition'"),
        (["generate", "wpost-2k", "--randomness", "00"], "--randomness: expected 32 bytes"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], sentence: str) -> None:
    answer = cuzk("vanilla", *arguments)
    assert answer.code == 2
    assert sentence in answer.err
