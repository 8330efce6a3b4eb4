from collections.abc import Callable

import numpy as np
import py_arkworks_bls12381 as arkworks
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuzk.algebra.arrays import MAX_THREADS
from cuzk.algebra.group import G1, G2, Group
from cuzk.errors import InputError
from tests.algebra.points import (
    EDGE_SCALARS,
    fr,
    off_subgroup_points,
    random_points,
    random_scalars,
    to_array,
    to_points,
)
from tests.reference import curve

pytestmark = pytest.mark.usefixtures("each_isa")
GROUPS = pytest.mark.parametrize("group", [G1, G2], ids=["G1", "G2"])


def special_points(group: Group) -> list[curve.Point]:
    p, q = to_points(random_points(group, 2))
    return [None, p, q, curve.neg(p), curve.add(p, p), curve.decode(group.generator_bytes)]


@GROUPS
def test_generator_is_the_standard_one(group: Group) -> None:
    theirs = (arkworks.G1Point() if group is G1 else arkworks.G2Point()).to_compressed_bytes()
    assert group.compress(group.generator).tobytes() == bytes(theirs)
    group.check(group.generator)
    group.check(group.identity, infinity=True)


@GROUPS
def test_addition_is_complete(group: Group) -> None:
    points = special_points(group)
    pairs = [(p, q) for p in points for q in points]
    sums = group.add(to_array(group, [p for p, _ in pairs]), to_array(group, [q for _, q in pairs]), threads=3)
    assert to_points(sums) == [curve.add(p, q) for p, q in pairs]


@GROUPS
def test_a_single_point_is_added_to_each(group: Group) -> None:
    points = random_points(group, 5)
    expected = [curve.add(p, to_points(points[0])[0]) for p in to_points(points)]
    assert to_points(group.add(points, points[0])) == expected
    assert to_points(group.add(points[0], points)) == expected
    assert group.add(points[0], points[1]).shape == (group.point_size,)


@GROUPS
def test_negation(group: Group) -> None:
    points = special_points(group)
    assert to_points(group.neg(to_array(group, points))) == [curve.neg(p) for p in points]


@GROUPS
def test_multiplication(group: Group) -> None:
    scalars = EDGE_SCALARS + random_scalars(3, seed=1)
    for point in special_points(group)[:2]:
        products = group.mul(to_array(group, [point] * len(scalars)), fr(scalars), threads=2)
        assert to_points(products) == [curve.mul(scalar, point) for scalar in scalars]


@GROUPS
@pytest.mark.parametrize("count", [0, 1, 7, 300])
def test_fixed_base(group: Group, count: int) -> None:
    scalars = (EDGE_SCALARS + random_scalars(300, seed=2))[:count]
    base = random_points(group, 1)[0]
    products = group.fixed_base(base, fr(scalars))
    assert (products == group.mul(np.tile(base, (count, 1)), fr(scalars))).all()
    assert all((group.fixed_base(base, fr(scalars), threads) == products).all() for threads in (2, 3))
    assert to_points(products[:20]) == [curve.mul(scalar, to_points(base)[0]) for scalar in scalars[:20]] or count == 0


@GROUPS
def test_fixed_base_of_many_scalars(group: Group) -> None:
    """Enough for wide windows and several blocks, over a base outside the subgroup as well."""
    scalars = fr((EDGE_SCALARS + random_scalars(9000, seed=4))[:9001])
    for base in (group.generator, off_subgroup_points(group)[0]):
        products = group.fixed_base(base, scalars, threads=2)
        sample = [*range(20), 4095, 8191, 8192, 9000]
        assert (products[sample] == group.mul(np.tile(base, (len(sample), 1)), scalars[sample])).all()


@pytest.mark.parametrize(
    ("group", "logarithm"),
    [
        (G1, 0x37F0114702812F328BA40219778E0302232FEFEE7A051A5138BA9534B2BACDD5),
        (G2, 0x73039FB8B4AFD68D6D74E5A9C6F7724457B0BB94B3FE1D91347027C3DB5889BA),
    ],
    ids=["G1", "G2"],
)
def test_fixed_base_adds_to_the_opposite_of_a_base_with_the_least_y(group: Group, logarithm: int) -> None:
    """Such a base has y / 2^208 below 10^-5 p, so that 3 p - y is the most there is to subtract in the next addition.

    Every scalar's lowest digit is -1, and that of one more window negative, whichever the width of windows.
    """
    scalars = [
        (1 << 254) - (digit << width * window) - 1
        for width in (10, 11, 12, 13)
        for window in (1, 2, 3, 4)
        for digit in range(1, min(1 << (width - 1), 1024))
    ]
    base = group.mul(group.generator, fr([logarithm])[0])
    expected = group.fixed_base(group.generator, fr([scalar * logarithm % curve.R for scalar in scalars]))
    assert (group.fixed_base(base, fr(scalars)) == expected).all()


@pytest.mark.parametrize("count", [1, 40])
def test_fixed_base_of_small_order(count: int) -> None:
    point = to_array(G1, [(curve.Fp(0), curve.Fp(2))])[0]  # 2 P = -P: of order three
    scalars = fr((EDGE_SCALARS + random_scalars(40, seed=5))[:count])
    assert (G1.fixed_base(point, scalars) == G1.mul(np.tile(point, (count, 1)), scalars)).all()


@GROUPS
def test_fixed_base_of_infinity(group: Group) -> None:
    assert (group.fixed_base(group.identity, fr([0, 1, 5])) == group.identity).all()


@GROUPS
def test_compression(group: Group) -> None:
    points = special_points(group) + to_points(random_points(group, 20))
    array = to_array(group, points)
    compressed = group.compress(array, threads=2)
    assert [row.tobytes() for row in compressed] == [curve.compress(p, group.point_size) for p in points]
    assert (group.decompress(compressed, threads=3) == array).all()
    assert group.decompress(compressed[1]).shape == (group.point_size,)


def test_fp2_square_roots_of_every_kind() -> None:
    # x for which y^2 lies in Fp do not occur by chance; these do, times a twist: y^2 = x^3 + 4 + 4u with x^3 = -4u + k.
    points = off_subgroup_points(G2)
    assert all(curve.is_on_curve(p) for p in to_points(points))
    assert (G2.decompress(G2.compress(points), subgroup=False) == points).all()


@GROUPS
def test_check_names_the_first_bad_point(group: Group) -> None:
    good = np.tile(group.generator, (50, 1))
    group.check(good, threads=2)
    off_curve = good.copy()
    off_curve[[31, 40], -1] ^= 1
    with pytest.raises(InputError, match=f"{group.name} point 31: it is not on the curve"):
        group.check(off_curve, threads=3)
    outside = good.copy()
    outside[49] = off_subgroup_points(group)[0]
    group.check(outside, subgroup=False)
    with pytest.raises(InputError, match=f"{group.name} point 49: it is not in the subgroup"):
        group.check(outside)
    infinite = good.copy()
    infinite[3] = group.identity
    with pytest.raises(InputError, match="point 3: it is infinity"):
        group.check(infinite)
    group.check(infinite, infinity=True)


@GROUPS
def test_fast_subgroup_check_agrees_with_multiplication_by_r(group: Group) -> None:
    cofactor_part = [curve.mul(curve.R, p) for p in to_points(off_subgroup_points(group)[:3])]  # in no part of order r
    mixed = [curve.add(p, to_points(random_points(group, 1))[0]) for p in cofactor_part]
    for point in [*cofactor_part, *mixed, *to_points(random_points(group, 3))]:
        inside = curve.is_in_subgroup(point)
        array = to_array(group, [point])
        if inside:
            group.check(array)
        else:
            with pytest.raises(InputError, match="subgroup"):
                group.check(array)
    assert not any(curve.is_in_subgroup(p) for p in cofactor_part)


@GROUPS
def test_decompress_refuses(group: Group) -> None:
    good = group.compress(group.generator)
    size = group.compressed_size

    def with_head(head: int, rest: bytes) -> np.ndarray:
        return np.frombuffer(bytes([head]) + rest, dtype=np.uint8)

    rest = good.tobytes()[1:]
    modulus = curve.P.to_bytes(48, "big")
    cases = [
        (with_head(good[0] & 0x7F, rest), "not flagged as compressed"),
        (with_head(0xC0, rest), "infinity but has other bits"),
        (with_head(0xE0, bytes(size - 1)), "infinity but has other bits"),
        (with_head(modulus[0] | 0x80, modulus[1:] + bytes(size - 48)), "not below the field's modulus"),
    ]
    for data, message in cases:
        with pytest.raises(InputError, match=f"{group.name} point 1: .*{message}"):
            group.decompress(np.stack([good, data]))
    with pytest.raises(InputError, match="subgroup"):
        group.decompress(group.compress(off_subgroup_points(group)))
    off = 0
    for x in range(40):
        data = np.zeros(size, dtype=np.uint8)
        data[0], data[-1] = 0x80, x
        try:
            group.decompress(data, subgroup=False)
        except InputError as error:
            assert "not on the curve" in str(error)  # noqa: PT017
            off += 1
    assert 5 < off < 35


@GROUPS
def test_every_function_refuses_malformed_points(group: Group) -> None:
    good = group.generator
    modulus = np.frombuffer(curve.P.to_bytes(48, "big"), dtype=np.uint8)
    bad_x, bad_y, flagged, signed, infinity, zero = (good.copy() for _ in range(6))
    bad_x[:48] = modulus
    bad_y[-48:] = modulus
    flagged[0] |= 0x80
    signed[0] |= 0x20
    infinity[0] |= 0x40
    zero[:] = 0
    one = fr([1])
    for bad in (bad_x, bad_y, flagged, signed, infinity, zero):
        rows = np.stack([good, bad])
        for call in (
            lambda rows=rows: group.add(rows, good),
            lambda rows=rows: group.add(good, rows),
            lambda rows=rows: group.neg(rows),
            lambda rows=rows: group.mul(rows, fr([2, 3])),
            lambda rows=rows: group.compress(rows),
            lambda rows=rows: group.check(rows),
            lambda rows=rows: group.msm(rows, fr([2, 3])),
            lambda rows=rows: group.msm(rows, fr([1, 1])),
        ):
            with pytest.raises(InputError, match=f"{group.name} point 1: "):
                call()
        with pytest.raises(InputError, match=f"{group.name} point 0: "):
            group.fixed_base(bad, one)


@GROUPS
def test_shapes_are_checked(group: Group) -> None:
    point, scalar = group.generator, fr([1])
    with pytest.raises(InputError, match=r"expected uint8\[n, "):
        group.check(np.zeros((2, 95), dtype=np.uint8))
    with pytest.raises(InputError, match="got int64"):
        group.neg(np.zeros((2, group.point_size), dtype=np.int64))
    with pytest.raises(InputError, match="got bytes"):
        group.neg(point.tobytes())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="differ in length"):
        group.add(np.stack([point] * 2), np.stack([point] * 3))
    with pytest.raises(InputError, match="do not go with"):
        group.mul(np.stack([point] * 2), scalar)
    with pytest.raises(InputError, match=r"scalars: expected uint64\[n, 4\]"):
        group.fixed_base(point, np.zeros((1, 3), dtype=np.uint64))
    for call in (
        lambda: group.fixed_base(point, fr([1, curve.R])),
        lambda: group.mul(np.stack([point] * 2), fr([1, (1 << 256) - 1])),
    ):
        with pytest.raises(InputError, match=r"scalars\[1\] is not below"):
            call()
    with pytest.raises(InputError, match="one point"):
        group.fixed_base(np.stack([point]), scalar)
    with pytest.raises(InputError, match=r"expected uint8\[n, "):
        group.decompress(point)


@settings(max_examples=50)
@given(st.binary(min_size=96, max_size=96), st.sampled_from([0x00, 0x40, 0x80, 0xC0, 0xA0, 0xE0]))
def test_arbitrary_bytes_are_refused_or_mean_one_point(data: bytes, flags: int) -> None:
    raw = np.frombuffer(bytes([data[0] & 0x1F | flags]) + data[1:], dtype=np.uint8)
    try:
        point = G1.neg(G1.neg(raw))
    except InputError:
        pass
    else:
        assert (point == raw).all()
    for group, size in ((G1, 48), (G2, 96)):
        try:
            point = group.decompress(raw[:size], subgroup=False)
        except InputError:
            continue
        assert curve.is_on_curve(to_points(point)[0])
        assert (group.compress(point) == raw[:size]).all()


@GROUPS
@pytest.mark.parametrize("threads", [0, -1, MAX_THREADS + 1])
def test_a_number_of_threads_that_cannot_be_is_refused(group: Group, threads: int) -> None:
    points, scalars = np.tile(group.generator, (2, 1)), fr([1, 2])
    calls: list[Callable[[], object]] = [
        lambda: group.add(points, points, threads),
        lambda: group.mul(points, scalars, threads),
        lambda: group.fixed_base(group.generator, scalars, threads),
        lambda: group.msm(points, scalars, threads=threads),
        lambda: group.compress(points, threads),
        lambda: group.decompress(group.compress(points), threads=threads),
        lambda: group.check(points, threads=threads),
    ]
    for call in calls:
        with pytest.raises(InputError, match=f"threads: expected 1 to 1024, got {threads}"):
            call()
