import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk.algebra import bitmap
from cuzk.errors import InputError


@given(st.lists(st.booleans(), max_size=200))
def test_pack_and_unpack_follow_the_definition(bools: list[bool]) -> None:
    packed = bitmap.pack(bools)
    assert [bool(int(packed[i >> 6]) >> (i & 63) & 1) for i in range(len(bools))] == bools
    assert bitmap.unpack(packed, len(bools)).tolist() == bools
    assert bitmap.popcount(packed) == sum(bools)
    bitmap.check(packed, len(bools))


def test_zeros() -> None:
    assert bitmap.zeros(0).shape == (0,)
    assert bitmap.zeros(65).tolist() == [0, 0]
    with pytest.raises(InputError, match="negative"):
        bitmap.zeros(-1)


@pytest.mark.parametrize(
    ("words", "n", "message"),
    [
        (np.zeros(2, dtype=np.uint64), 64, r"expected uint64\[1\]"),
        (np.zeros(1, dtype=np.int64), 64, "got int64"),
        ([0], 64, "got list"),
        (np.array([1 << 63], dtype=np.uint64), 63, "beyond its length of 63"),
    ],
)
def test_check_refuses(words: object, n: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bitmap.check(words, n)  # type: ignore[arg-type]


def test_pack_refuses_two_dimensions() -> None:
    with pytest.raises(InputError, match="one dimension"):
        bitmap.pack(np.zeros((2, 2), dtype=bool))


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(InputError, match="must not be negative, got -1"):
        bitmap.check(bitmap.zeros(0), -1)


def test_unpack_reads_a_strided_bitmap() -> None:
    words = np.array([1, 7, 2, 7], dtype=np.uint64)[::2]
    assert np.flatnonzero(bitmap.unpack(words, 128)).tolist() == [0, 65]
