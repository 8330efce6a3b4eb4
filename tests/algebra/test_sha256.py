"""SHA-256 against hashlib: every engine of this CPU, every padding, every number of messages around the lanes."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.algebra import sha256
from cuzk.errors import InputError


def expected(messages: np.ndarray) -> list[bytes]:
    return [hashlib.sha256(message.tobytes()).digest() for message in messages]


def drawn(count: int, length: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, length), dtype=np.uint8)


@pytest.mark.parametrize("engine", sha256.engines())
@pytest.mark.parametrize("length", [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1248])
def test_paddings_and_lanes(engine: str, length: int) -> None:
    for count in (0, 1, 2, 3, 7, 8, 9, 17):
        messages = drawn(count, length)
        digests = sha256.hash(messages, 1, engine)
        assert [digest.tobytes() for digest in digests] == expected(messages)


@settings(max_examples=30)
@given(st.integers(0, 40), st.integers(0, 300), st.integers(1, 5), st.integers(0, 1 << 30))
def test_any_number_and_length(count: int, length: int, threads: int, seed: int) -> None:
    messages = drawn(count, length, seed)
    for engine in sha256.engines():
        assert [digest.tobytes() for digest in sha256.hash(messages, threads, engine)] == expected(messages)


def test_nodes_lose_two_bits() -> None:
    rows = np.random.default_rng(2).integers(0, 1 << 63, (50, 2, 4), dtype=np.uint64)
    nodes = sha256.hash_nodes(rows)
    for row, node in zip(rows, nodes, strict=True):
        digest = hashlib.sha256(row.astype("<u8").tobytes()).digest()
        assert node.astype("<u8").tobytes() == digest[:31] + bytes([digest[31] & 0x3F])
    with pytest.raises(InputError, match=r"preimages: expected uint64\[n, k, 4\], got uint64\[50, 4\]"):
        sha256.hash_nodes(nodes)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="no engine named abacus"):
        sha256.hash(drawn(1, 1), engine="abacus")
    with pytest.raises(InputError, match="messages: expected uint8"):
        sha256.hash(np.zeros((1, 4), dtype=np.uint64))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threads"):
        sha256.hash(drawn(1, 1), threads=0)
