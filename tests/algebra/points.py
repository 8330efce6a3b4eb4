"""Arrays of scalars and points for the tests of this folder."""

import random
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra.group import Group
from tests.reference import curve

EDGE_SCALARS = [0, 1, 2, 3, curve.R - 1, curve.R - 2, (curve.R - 1) // 2, 1 << 254, (1 << 128) - 1, 1 << 64, 1 << 16]


def fr(integers: list[int]) -> NDArray[np.uint64]:
    """Fr[n] from integers, not reduced: values of 2^256 and more do not fit."""
    data = b"".join(value.to_bytes(32, "little") for value in integers)
    return np.frombuffer(data, dtype="<u8").reshape(-1, 4).astype(np.uint64)


def random_scalars(count: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.randrange(curve.R) for _ in range(count)]


def to_array(group: Group, points: list[curve.Point]) -> NDArray[np.uint8]:
    data = b"".join(curve.encode(point, group.point_size) for point in points)
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, group.point_size)


def to_points(array: NDArray[np.uint8]) -> list[curve.Point]:
    return [curve.decode(row.tobytes()) for row in np.atleast_2d(array)]


@cache
def random_points(group: Group, count: int) -> NDArray[np.uint8]:
    """Points of the subgroup with random logarithms, from the reference for a few and by sums of those beyond."""
    base = curve.decode(group.generator_bytes)
    points = [curve.mul(scalar, base) for scalar in random_scalars(min(count, 16), seed=count)]
    while len(points) < count:
        points.append(curve.add(points[-1], points[-7]))
    array = to_array(group, points)
    array.setflags(write=False)
    return array


@cache
def off_subgroup_points(group: Group) -> NDArray[np.uint8]:
    """Points on the curve but outside the subgroup: decompressed from small x."""
    found = []
    for x in range(1, 60):
        data = np.zeros(group.compressed_size, dtype=np.uint8)
        data[0], data[-1] = 0x80, x
        try:
            found.append(group.decompress(data, subgroup=False))
        except ValueError:
            continue
    return np.stack(found)
