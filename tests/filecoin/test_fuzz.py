"""Fuzzes the parsers of this room; CUZK_FUZZ_SECONDS sets how long each is fuzzed (default 10)."""

import contextlib
import os
import random
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from cuzk.errors import InputError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.parameters.manifest import read_manifest
from cuzk.filecoin.porep.codec import encode as encode_porep
from cuzk.filecoin.porep.codec import wrap
from cuzk.filecoin.porep.job import decode_request as decode_porep
from cuzk.filecoin.post.codec import decode, encode
from cuzk.filecoin.registered import seal_proof
from cuzk.filecoin.request import Request, parse_request
from cuzk.filecoin.update.codec import decode as decode_update
from cuzk.filecoin.update.codec import encode as encode_update
from tests.filecoin.porep.fixtures import S1 as POREP_S1
from tests.filecoin.post.fixtures import WINDOW_2K, WINDOW_32K, WINNING_2K, request
from tests.filecoin.update.fixtures import S1 as UPDATE_S1
from tests.filecoin.update.fixtures import SHAPES_S1 as UPDATE_32K

SECONDS = float(os.environ.get("CUZK_FUZZ_SECONDS", "10"))
#: Small inputs pay for error messages and the interpreter's own bookkeeping.
ALLOWANCE = 1 << 20


def mutated(seed: bytes, dice: random.Random) -> bytes:
    """Change a few places: flip, overwrite, insert, cut, repeat, end early."""
    data = bytearray(seed)
    for _ in range(dice.choice((1, 1, 1, 2, 4, 16))):
        at, length = dice.randrange(len(data) + 1), dice.choice((1, 1, 4, 8, 32, 100))
        match dice.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 1:
                data[at : at + length] = dice.choice((b"\xff", b"\0", b"9", b"[", b'"')) * length
            case 2:
                data[at:at] = dice.randbytes(length)
            case 3:
                del data[at : at + length]
            case 4:
                data[at:at] = data[dice.randrange(len(data) + 1) :][:length]
            case _:
                del data[dice.randrange(len(data) + 1) :]
    return bytes(data)


def fuzz(seeds: list[bytes], parse: Callable[[bytes], object]) -> int:
    """Parse mutated seeds; only InputError may come out, and memory stays within four times the input."""
    dice, count, end = random.Random(2026), 0, time.monotonic() + SECONDS
    tracemalloc.start()
    try:
        while time.monotonic() < end:
            data = mutated(dice.choice(seeds), dice)
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            with contextlib.suppress(InputError):
                parse(data)
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before <= 4 * len(data) + ALLOWANCE
            count += 1
    finally:
        tracemalloc.stop()
    return count


@pytest.mark.full
@pytest.mark.timeout(0)
@pytest.mark.parametrize("case", [WINNING_2K, WINDOW_2K, WINDOW_32K], ids=str)
def test_vanilla_proofs(case) -> None:
    def parse(data: bytes) -> None:
        assert encode(decode(case.config, [data])) == [data]

    assert fuzz(case.payloads, parse) > 100


@pytest.mark.full
@pytest.mark.timeout(0)
def test_porep_payloads() -> None:
    def parse(data: bytes) -> None:
        job = decode_porep(seal_proof(5), Request(Kind.POREP, 5, vanilla_proof=data))
        assert encode_porep(job.proof, job.statement, job.vanilla)

    inner = POREP_S1.phase1_out
    assert fuzz([inner, wrap(1, 2048, inner)], parse) > 100


@pytest.mark.full
@pytest.mark.timeout(0)
@pytest.mark.parametrize("case", [UPDATE_S1, UPDATE_32K], ids=str)
def test_update_payloads(case) -> None:
    others = case.payloads[1:]

    def parse(data: bytes) -> None:
        payloads = [data, *others]
        assert encode_update(decode_update(case.config, payloads)) == payloads

    assert fuzz(case.payloads[:1], parse) > 100


@pytest.mark.full
@pytest.mark.timeout(0)
def test_request_files() -> None:
    seeds = [request(case).to_json().encode() for case in (WINDOW_2K, WINNING_2K)]
    assert fuzz([*seeds, b'{"proofKind":4,"randomness":"AAAA","vanillaProofs":["AA=="]}'], parse_request) > 100


@pytest.mark.full
@pytest.mark.timeout(0)
def test_manifests(tmp_path: Path) -> None:
    path = tmp_path / "parameters.json"
    entry = b'"v28-a.params":{"cid":"QmA","digest":"' + b"0" * 32 + b'","sector_size":2048,"unsafe":true}'

    def parse(data: bytes) -> None:
        path.write_bytes(data)
        read_manifest(path)

    assert fuzz([b"{" + entry + b"," + entry.replace(b"-a.", b"-b.") + b"}"], parse) > 100
