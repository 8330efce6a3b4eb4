"""What a verifier computes, by arkworks: independent of this package's own kernels, so that it checks them too."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

from cuzk.errors import InputError

__all__ = ["combination", "product_is_one"]

_FP_SIZE = 48
_INFINITY = 0x40
_Point = TypeVar("_Point")


def combination(points: NDArray[np.uint8], scalars: Sequence[int]) -> NDArray[np.uint8]:
    """Return the sum of scalar_i * P_i in G1 as one point, uint8[96], for P = uint8[n, 96] uncompressed.

    Scalars are integers from 0 up to the group order; the points must be in the subgroup.
    """
    _check_points(points, 96, "points")
    if len(points) != len(scalars):
        raise InputError(f"combination: got {len(points)} points and {len(scalars)} scalars")
    total = G1Point.multiexp_unchecked(
        _g1_points(points, "points"), [Scalar.from_le_bytes(scalar.to_bytes(32, "little")) for scalar in scalars]
    )
    result = np.frombuffer(total.to_xy_bytes_be(), dtype=np.uint8).copy()
    if total == G1Point.identity():
        result[0] = _INFINITY
    return result


def product_is_one(g1_points: NDArray[np.uint8], g2_points: NDArray[np.uint8]) -> bool:
    """Return whether the product of e(P_i, Q_i) is 1, for P = uint8[n, 96] and Q = uint8[n, 192] uncompressed.

    The points must be in the subgroups (`group.check`); here a point off the curve or a coordinate not below p is
    refused. The empty product is 1.
    """
    _check_points(g1_points, 96, "g1_points")
    _check_points(g2_points, 192, "g2_points")
    if len(g1_points) != len(g2_points):
        raise InputError(f"product_is_one: got {len(g1_points)} points of G1 and {len(g2_points)} of G2")
    # arkworks takes x and y big-endian without flags, the real part of an Fp2 element first; ours, last.
    g2_real_first = np.ascontiguousarray(g2_points).reshape(-1, 2, 2, _FP_SIZE)[:, :, ::-1].reshape(-1, 192)
    infinity = [bool(points[0] & _INFINITY) for points in g2_points]
    right = [
        _parse(point.tobytes(), infinity[i], G2Point.from_xy_bytes_unchecked_be, f"g2_points[{i}]")
        for i, point in enumerate(g2_real_first)
    ]
    return GT.pairing_check(_g1_points(g1_points, "g1_points"), right)


def _check_points(points: NDArray[np.uint8], size: int, name: str) -> None:
    if points.dtype != np.uint8 or points.ndim != 2 or points.shape[1] != size:
        raise InputError(f"{name}: expected uint8[n, {size}], got {points.dtype}{list(points.shape)}")


def _g1_points(points: NDArray[np.uint8], name: str) -> list[G1Point]:
    return [
        _parse(point.tobytes(), bool(point[0] & _INFINITY), G1Point.from_xy_bytes_unchecked_be, f"{name}[{i}]")
        for i, point in enumerate(points)
    ]


def _parse(data: bytes, infinity: bool, read: Callable[[bytes], _Point], name: str) -> _Point:
    # arkworks writes infinity as zeros
    try:
        return read(bytes(len(data)) if infinity else data)
    except ValueError as error:
        raise InputError(f"{name}: not a point of the curve ({error})") from error
