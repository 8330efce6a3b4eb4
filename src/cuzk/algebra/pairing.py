"""What a verifier computes, by arkworks: independent of this package's own kernels, so that it checks them too."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

from cuzk.errors import InputError

__all__ = ["arkworks_g1", "arkworks_g2", "combination", "product_is_one"]

_FP_SIZE = 48
_INFINITY = 0x40
_Point = TypeVar("_Point")


def combination(points: NDArray[np.uint8], scalars: Sequence[int]) -> NDArray[np.uint8]:
    """Return the sum of scalar_i * P_i in G1 as one point, uint8[96], for P = uint8[n, 96] uncompressed.

    Scalars are integers from 0 up to the group order; the points must be in the subgroup.
    """
    if len(points) != len(scalars):
        raise InputError(f"combination: got {len(points)} points and {len(scalars)} scalars")
    total = G1Point.multiexp_unchecked(
        arkworks_g1(points), [Scalar.from_le_bytes(scalar.to_bytes(32, "little")) for scalar in scalars]
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
    left, right = arkworks_g1(g1_points), arkworks_g2(g2_points)
    if len(left) != len(right):
        raise InputError(f"product_is_one: got {len(left)} points of G1 and {len(right)} of G2")
    return GT.pairing_check(left, right)


def arkworks_g1(points: NDArray[np.uint8]) -> list[G1Point]:
    """Return uint8[n, 96] as points of arkworks; InputError names the first that is off the curve."""
    _check_points(points, 96, "g1_points")
    return _parse(points, points, G1Point.from_xy_bytes_unchecked_be, "g1_points")


def arkworks_g2(points: NDArray[np.uint8]) -> list[G2Point]:
    """Return uint8[n, 192] as points of arkworks; InputError names the first that is off the curve."""
    _check_points(points, 192, "g2_points")
    # arkworks takes the real part of an Fp2 element first; ours comes last.
    real_first = np.ascontiguousarray(points).reshape(-1, 2, 2, _FP_SIZE)[:, :, ::-1].reshape(-1, 192)
    return _parse(points, real_first, G2Point.from_xy_bytes_unchecked_be, "g2_points")


def _check_points(points: NDArray[np.uint8], size: int, name: str) -> None:
    if points.dtype != np.uint8 or points.ndim != 2 or points.shape[1] != size:
        raise InputError(f"{name}: expected uint8[n, {size}], got {points.dtype}{list(points.shape)}")


def _parse(
    points: NDArray[np.uint8], coordinates: NDArray[np.uint8], read: Callable[[bytes], _Point], name: str
) -> list[_Point]:
    """Read x and y, big-endian without flags; arkworks has zeros for infinity."""
    parsed = []
    for index, (point, xy) in enumerate(zip(points, coordinates, strict=True)):
        try:
            parsed.append(read(bytes(xy.size) if point[0] & _INFINITY else xy.tobytes()))
        except ValueError as error:
            raise InputError(f"{name}[{index}]: not a point of the curve ({error})") from error
    return parsed
