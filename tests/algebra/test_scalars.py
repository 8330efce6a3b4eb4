import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk.algebra import bitmap
from cuzk.algebra.scalars import PackedScalars
from cuzk.errors import InputError
from tests.algebra.points import EDGE_SCALARS, fr
from tests.reference.curve import R


@given(st.lists(st.one_of(st.sampled_from(EDGE_SCALARS), st.integers(0, R - 1)), max_size=150))
def test_pack_is_the_inverse_of_dense(integers: list[int]) -> None:
    dense = fr(integers)
    packed = PackedScalars.pack(dense)
    assert len(packed) == len(integers)
    assert len(packed.values) == sum(value > 1 for value in integers)
    assert (packed.dense() == dense).all()


def test_wide_elements_may_be_zero_or_one() -> None:
    values = fr([0, 1])
    packed = PackedScalars(3, bitmap.pack([True, False, True]), bitmap.pack([False, True, False]), values)
    assert (packed.dense() == fr([0, 1, 1])).all()


def test_counts_and_shapes_are_checked() -> None:
    wide, bit = bitmap.pack([True, False]), bitmap.pack([False, True])
    with pytest.raises(InputError, match="one row for each wide element"):
        PackedScalars(2, wide, bit, fr([5, 6]))
    with pytest.raises(InputError, match="wide: expected"):
        PackedScalars(65, wide, bit, fr([5]))
    with pytest.raises(InputError, match="bit: has bits set beyond"):
        PackedScalars(1, wide, bit, fr([5]))
    with pytest.raises(InputError, match=r"expected uint64\[n, 4\]"):
        PackedScalars.pack(np.zeros((2, 3), dtype=np.uint64))
