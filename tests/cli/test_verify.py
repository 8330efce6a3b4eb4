"""`cuzk verify`: the network's own proof verifies, and nothing else does."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runner import Outcome, cuzk
from tests.conftest import data_path

# The network's own proof, which is not ours to commit; the other case was made by Filecoin's software.
GENUINE = "filecoin-mainnet/winningpost_2kib.json"
WINNING_VK = (
    "params/v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
    "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e.vk"
)


def fixture_case() -> dict[str, Any]:
    meta = json.loads(data_path("winning/s1/meta.json").read_text())
    return {
        "vk": data_path(WINNING_VK),
        "proof": data_path("winning/s1/proof.bin").read_bytes().hex(),
        "randomness": meta["randomness"],
        "sector-number": meta["sector_ids"][0],
        "comm-r": meta["comm_r"][0],
        "sector-size": "2KiB",
    }


def genuine_case() -> dict[str, Any]:
    case = json.loads(data_path(GENUINE).read_text())
    return {
        "vk": data_path("filecoin-mainnet/winning_2kib.vk"),
        "proof": case["proof_bytes_hex"],
        "randomness": case["randomness_hex"],
        "sector-number": case["sector_number"],
        "comm-r": case["comm_r_hex"],
        "sector-size": case["sector_size"],
    }


CASES = pytest.mark.parametrize("case", [fixture_case, genuine_case])


def verify(options: dict[str, Any], *flags: str) -> Outcome:
    arguments = [item for name, value in options.items() for item in (f"--{name}", value)]
    return cuzk("verify", "--kind", "winning-post", *arguments, *flags)


@CASES
def test_the_proof_verifies(case, tmp_path: Path) -> None:
    options = case()
    outcome = verify(options)
    assert (outcome.code, outcome.out) == (0, "valid\n")
    outcome = verify(options, "--json")
    assert outcome.json == {"valid": True, "kind": "winning-post", "public_inputs": 132, "reason": None}
    file = tmp_path / "proof.bin"
    file.write_bytes(bytes.fromhex(options["proof"]))
    assert verify(options | {"proof": file}).code == 0


@CASES
@pytest.mark.parametrize(
    "change",
    [
        {"sector-number": 8},
        {"randomness": "2b" + "07" * 31},
        {"comm-r": "01" + "00" * 31},
        {"sector-size": "8MiB"},
    ],
)
def test_another_statement_does_not(case, change: dict[str, Any]) -> None:
    outcome = verify(case() | change)
    assert (outcome.code, outcome.out) == (1, "not valid: the pairing equation does not hold\n")


def check_flipped_bits(options: dict[str, Any], bits: list[int]) -> None:
    proof = bytes.fromhex(options["proof"])
    for bit in bits:
        flipped = bytearray(proof)
        flipped[bit >> 3] ^= 1 << (bit & 7)
        outcome = verify(options | {"proof": flipped.hex()}, "--json")
        assert outcome.code == 1, f"bit {bit}"
        assert outcome.json["valid"] is False
        assert outcome.json["reason"]


@CASES
def test_flipped_bits_do_not(case) -> None:
    check_flipped_bits(case(), random.Random(5).sample(range(8 * 192), 24))


@pytest.mark.full
def test_no_proof_with_any_one_bit_flipped_does() -> None:
    check_flipped_bits(genuine_case(), list(range(8 * 192)))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"proof": "00" * 191}, "--proof: expected 192 bytes"),
        ({"proof": "00" * 384}, "--proof: a winning-post proof has 192 bytes, this has 384"),
        ({"proof": "zz"}, "--proof: neither a file nor hexadecimal: 'zz'"),
        ({"proof": "x" * 9999}, "--proof: neither a file nor hexadecimal"),
        ({"proof": ""}, "--proof:"),
        ({"randomness": "2a"}, "--randomness: expected 32 bytes"),
        ({"comm-r": "g" * 64}, "--comm-r: expected hexadecimal"),
        ({"comm-r": "ff" * 32}, "comm_r"),
        ({"sector-size": "3KiB"}, "sector size"),
        ({"vk": "missing.vk"}, "cannot read missing.vk"),
        ({"sector-number": -1}, "--sector-number"),
        ({"sector-number": 1 << 64}, "--sector-number"),
        ({"sector-number": "seven"}, "--sector-number"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(change: dict[str, Any], sentence: str) -> None:
    outcome = verify(fixture_case() | change)
    assert outcome.code == 2
    assert sentence in outcome.err
    assert not outcome.out


def test_malformed_keys_are_refused(tmp_path: Path) -> None:
    data = data_path(WINNING_VK).read_bytes()
    path = tmp_path / "bad.vk"
    for bad in (b"", data[:-1], data + b"\0", data[:96] + bytes(96) + data[192:], b"\xff" * len(data)):
        path.write_bytes(bad)
        outcome = verify(fixture_case() | {"vk": path})
        assert outcome.code == 2
        assert "bad.vk is not a verifying key" in outcome.err
