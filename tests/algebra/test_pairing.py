"""The pairing check: bilinear, strict about its input, and in agreement with a genuine verifying key's points."""

import numpy as np
import pytest
from numpy.typing import NDArray
from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from cuzk.algebra.pairing import combination, product_is_one
from cuzk.errors import InputError

INFINITY_1 = np.frombuffer(bytes([0x40]) + bytes(95), dtype=np.uint8)
INFINITY_2 = np.frombuffer(bytes([0x40]) + bytes(191), dtype=np.uint8)


def g1(scalar: int) -> NDArray[np.uint8]:
    return np.frombuffer((G1Point() * Scalar(scalar)).to_xy_bytes_be(), dtype=np.uint8)


def g2(scalar: int) -> NDArray[np.uint8]:
    data = (G2Point() * Scalar(scalar)).to_xy_bytes_be()
    return np.frombuffer(data[48:96] + data[:48] + data[144:] + data[96:144], dtype=np.uint8)


def negated(point: NDArray[np.uint8]) -> NDArray[np.uint8]:
    p = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
    y = p - int.from_bytes(point[48:].tobytes(), "big")
    return np.concatenate([point[:48], np.frombuffer(y.to_bytes(48, "big"), dtype=np.uint8)])


def test_bilinear() -> None:
    assert product_is_one(np.stack([g1(6), negated(g1(2))]), np.stack([g2(5), g2(15)]))
    assert not product_is_one(np.stack([g1(6), negated(g1(2))]), np.stack([g2(5), g2(14)]))
    assert not product_is_one(g1(1)[None], g2(1)[None])


def test_infinity_is_neutral() -> None:
    assert product_is_one(INFINITY_1[None], g2(3)[None])
    assert product_is_one(g1(3)[None], INFINITY_2[None])
    assert not product_is_one(np.stack([INFINITY_1, g1(1)]), np.stack([g2(1), g2(1)]))


def test_empty_product_is_one() -> None:
    assert product_is_one(np.empty((0, 96), dtype=np.uint8), np.empty((0, 192), dtype=np.uint8))


def test_points_off_the_curve_are_refused() -> None:
    off_1, off_2 = g1(1).copy(), g2(1).copy()
    off_1[95] ^= 1
    off_2[191] ^= 1
    with pytest.raises(InputError, match=r"g1_points\[1\]: not a point"):
        product_is_one(np.stack([g1(1), off_1]), np.stack([g2(1), g2(1)]))
    with pytest.raises(InputError, match=r"g2_points\[0\]: not a point"):
        product_is_one(g1(1)[None], off_2[None])


def test_coordinates_not_below_p_are_refused() -> None:
    p = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
    data = p.to_bytes(48, "big") + (2).to_bytes(48, "big")  # (0, 2) is on the curve, but p is not its 0
    with pytest.raises(InputError, match=r"g1_points\[0\]: not a point"):
        product_is_one(np.frombuffer(data, dtype=np.uint8)[None], g2(1)[None])


def test_shapes_are_checked() -> None:
    with pytest.raises(InputError, match="1 points of G1 and 2 of G2"):
        product_is_one(g1(1)[None], np.stack([g2(1), g2(1)]))
    with pytest.raises(InputError, match="g1_points: expected"):
        product_is_one(g1(1), g2(1)[None])
    with pytest.raises(InputError, match="g2_points: expected"):
        product_is_one(g1(1)[None], g1(1)[None])


def test_a_combination_is_the_sum_of_multiples() -> None:
    points = np.stack([g1(3), g1(5), INFINITY_1, g1(7)])
    assert np.array_equal(combination(points, [2, 4, 9, 0]), g1(26))
    assert np.array_equal(combination(np.stack([g1(2), negated(g1(2))]), [5, 5]), INFINITY_1)
    assert np.array_equal(combination(points[:0], []), INFINITY_1)
    with pytest.raises(InputError, match="4 points and 1 scalars"):
        combination(points, [1])


def test_combination_and_pairing_name_what_is_not_on_the_curve() -> None:
    bad = g1(1).copy()
    bad[95] ^= 1
    with pytest.raises(InputError, match=r"g1_points\[1\]: not a point of the curve"):
        combination(np.stack([g1(1), bad]), [1, 1])
