"""fr32 padding against Filecoin's vector, and against bits counted one by one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.errors import InputError
from cuzk.filecoin.seal import fr32
from cuzk.filecoin.sectors import shape_of_slug
from tests.conftest import data_path


def test_filecoins_vector() -> None:
    known = json.loads(data_path("vectors/misc.json").read_text())
    raw, padded = bytes.fromhex(known["fr32_raw_hex"]), bytes.fromhex(known["fr32_padded_hex"])
    assert fr32.pad(raw) == padded
    assert fr32.unpad(padded) == raw


@settings(max_examples=20)
@given(st.integers(0, 5), st.randoms(use_true_random=False))
def test_bits_move_by_two_for_every_254(quads: int, dice) -> None:
    data = dice.randbytes(127 * quads)
    number = int.from_bytes(data, "little")
    expected = b"".join((number >> 254 * node & ((1 << 254) - 1)).to_bytes(32, "little") for node in range(4 * quads))
    assert fr32.pad(data) == expected
    assert fr32.unpad(expected) == data


def test_chunks_join() -> None:
    data = bytes(range(256)) * 127 * 40
    assert fr32.unpad(fr32.pad(data)) == data
    assert fr32.pad(data)[:4096] == fr32.pad(data[:4064])


def test_a_sector_is_filled_with_zeros() -> None:
    shape = shape_of_slug("2k")
    assert fr32.capacity(shape) == 2032
    nodes = fr32.stage(shape, b"\xff" * 127)
    assert nodes[:4].astype("<u8").tobytes() == (b"\xff" * 31 + b"\x3f") * 4
    assert not nodes[4:].any()
    with pytest.raises(InputError, match="data: expected at most 2032 bytes for 2KiB, got 2033"):
        fr32.stage(shape, bytes(2033))


def test_bad_lengths_and_bits_are_refused() -> None:
    with pytest.raises(InputError, match="data: expected a multiple of 127 bytes, got 128"):
        fr32.pad(bytes(128))
    with pytest.raises(InputError, match="padded data: expected a multiple of 128 bytes, got 127"):
        fr32.unpad(bytes(127))
    with pytest.raises(InputError, match="expected the two top bits of node 5 to be zero"):
        fr32.unpad(bytes(6 * 32 - 1) + b"\x40" + bytes(64))
