import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import py_arkworks_bls12381 as arkworks
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cuzk.algebra import bitmap
from cuzk.algebra.group import G1, G2, Group
from cuzk.algebra.prepared import PreparedPoints
from cuzk.algebra.scalars import PackedScalars
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
SCALARS = st.one_of(st.sampled_from(EDGE_SCALARS), st.integers(0, curve.R - 1))


def arkworks_msm(group: Group, bases: NDArray[np.uint8], scalars: list[int]) -> bytes:
    kind = arkworks.G1Point if group is G1 else arkworks.G2Point
    points = [kind.from_compressed_bytes_unchecked(row.tobytes()) for row in group.compress(bases)]
    factors = [arkworks.Scalar.from_le_bytes(value.to_bytes(32, "little")) for value in scalars]
    return bytes(kind.multiexp_unchecked(points, factors).to_compressed_bytes())


@GROUPS
@pytest.mark.parametrize("count", [0, 1, 2, 3, 31, 100])
def test_agrees_with_the_reference(group: Group, count: int) -> None:
    scalars = random_scalars(count, seed=count)
    bases = random_points(group, 100)[:count]
    expected = curve.msm(scalars, to_points(bases) if count else [])
    for threads in (1, 2, 3):
        assert group.msm(bases, fr(scalars), threads=threads).tobytes() == curve.encode(expected, group.point_size)


@GROUPS
@pytest.mark.parametrize("log2_count", [8, 11, 13])
def test_agrees_with_arkworks(group: Group, log2_count: int) -> None:
    count = (1 << log2_count) - 3
    scalars = random_scalars(count, seed=count)
    bases = group.fixed_base(group.generator, fr(random_scalars(count, seed=count + 1)), threads=2)
    sums = [group.msm(bases, fr(scalars), threads=threads) for threads in (1, 2, 3)]
    assert group.compress(sums[0]).tobytes() == arkworks_msm(group, bases, scalars)
    assert all((other == sums[0]).all() for other in sums)


@GROUPS
@settings(max_examples=25)
@given(data=st.data())
def test_adversarial_inputs(group: Group, data: st.DataObject) -> None:
    """Few distinct points (equal, opposite, infinite, off the subgroup) and scalars that share digits."""
    p, q = to_points(random_points(group, 2))
    pool = [None, p, q, curve.neg(p), curve.add(p, p), to_points(off_subgroup_points(group)[:1])[0]]
    terms = data.draw(st.lists(st.tuples(SCALARS, st.integers(0, 5)), max_size=40))
    scalars = [scalar for scalar, _ in terms]
    bases = to_array(group, [pool[index] for _, index in terms])
    weights = [sum(scalar for scalar, index in terms if index == i) for i in range(6)]
    expected = curve.encode(curve.msm(weights, pool), group.point_size)
    assert group.msm(bases, fr(scalars), threads=1).tobytes() == expected
    assert group.msm(bases, PackedScalars.pack(fr(scalars)), threads=2).tobytes() == expected


@GROUPS
@pytest.mark.parametrize("scalar", [1, 2, curve.R - 1, 0x1234567890ABCDEF1234567890ABCDEF])
def test_many_equal_terms_and_their_opposites(group: Group, scalar: int) -> None:
    count = 700
    p = to_points(random_points(group, 1))[0]
    equal = to_array(group, [p] * count)
    expected = curve.encode(curve.mul(scalar * count % curve.R, p), group.point_size)
    assert group.msm(equal, fr([scalar] * count), threads=2).tobytes() == expected
    opposite = to_array(group, [p, curve.neg(p)] * count)
    assert (group.msm(opposite, fr([scalar] * 2 * count)) == group.identity).all()
    assert (group.msm(equal, fr([scalar, curve.R - scalar] * (count // 2))) == group.identity).all()


@GROUPS
@settings(max_examples=20)
@given(terms=st.lists(st.tuples(SCALARS, st.booleans(), st.booleans()), max_size=150), threads=st.integers(1, 3))
def test_density_selects_scalars(group: Group, terms: list[tuple[int, bool, bool]], threads: int) -> None:
    scalars = [scalar for scalar, _, _ in terms]
    density = bitmap.pack([counts for _, counts, _ in terms])
    selected = [scalar for scalar, counts, _ in terms if counts]
    bases = random_points(group, 150)[: len(selected)]
    expected = group.msm(bases, fr(selected))
    assert (group.msm(bases, fr(scalars), density, threads) == expected).all()
    # In the packed form, any element may be held as a value, 0 and 1 too.
    wide = [scalar > 1 or kept for scalar, _, kept in terms]
    packed = PackedScalars(
        len(terms),
        bitmap.pack(wide),
        bitmap.pack([scalar == 1 and not w for scalar, w in zip(scalars, wide, strict=True)]),
        fr([scalar for scalar, w in zip(scalars, wide, strict=True) if w]),
    )
    assert (group.msm(bases, packed, density, threads) == expected).all()


@GROUPS
def test_sum_of_bases_alone(group: Group) -> None:
    count = 2000
    logarithms = random_scalars(count, seed=9)
    bits = [value % 3 == 0 for value in logarithms]
    bases = group.fixed_base(group.generator, fr(logarithms), threads=2)
    packed = PackedScalars(count, bitmap.zeros(count), bitmap.pack(bits), fr([]))
    total = sum(value for value, bit in zip(logarithms, bits, strict=True) if bit) % curve.R
    expected = group.mul(group.generator, fr([total])[0])
    for threads in (1, 2, 3):
        assert (group.msm(bases, packed, threads=threads) == expected).all()


def test_bases_may_be_read_only_and_memory_mapped(tmp_path: object) -> None:
    path = tmp_path / "bases"  # type: ignore[operator]
    bases = random_points(G1, 31)
    path.write_bytes(bytes(5) + bases.tobytes())
    mapped = np.memmap(path, dtype=np.uint8, mode="r", offset=5).reshape(-1, 96)
    scalars = fr(random_scalars(31, seed=3))
    assert (G1.msm(mapped, scalars) == G1.msm(bases, scalars)).all()


def test_refusals() -> None:
    bases, scalars = random_points(G1, 3), fr([5, 6, 7])
    with pytest.raises(InputError, match="expected 3 bases, one for each scalar that counts, got 2"):
        G1.msm(bases[:2], scalars)
    with pytest.raises(InputError, match="expected 2 bases"):
        G1.msm(bases, scalars, bitmap.pack([True, False, True]))
    with pytest.raises(InputError, match="density: expected"):
        G1.msm(bases, scalars, bitmap.zeros(65))
    with pytest.raises(InputError, match="density: has bits set beyond"):
        G1.msm(bases, scalars, bitmap.pack([True] * 4))
    with pytest.raises(InputError, match="scalar 1 is not below"):
        G1.msm(bases, fr([5, curve.R, curve.R]))
    with pytest.raises(InputError, match=r"expected uint8\[n, 192\]"):
        G2.msm(bases, scalars)
    with pytest.raises(InputError, match="got one dimension"):
        G1.msm(bases[0], scalars[:1])
    with pytest.raises(InputError, match="Fr"):
        G1.msm(bases, scalars[0])


def test_plain_field_arithmetic_gives_the_same_bytes() -> None:
    """Processors without ADX multiply by the portable code; it is chosen when the module is loaded."""
    program = """
import numpy as np
from cuzk.algebra.group import G1, G2
scalars = np.arange(1, 401, dtype=np.uint64).reshape(100, 4) << np.uint64(45)
for group in (G1, G2):
    print(group.msm(group.fixed_base(group.generator, scalars), scalars).tobytes().hex())
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "CUZK_ADX": adx}, capture_output=True, check=True
        )
        for adx in ("0", "1")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout) == 2 * (96 + 192) + 2


@GROUPS
@settings(max_examples=15)
@given(
    terms=st.lists(st.tuples(SCALARS, st.booleans()), max_size=60),
    multiples=st.sampled_from([1, 2, 5, 16, 64]),
    threads=st.integers(1, 3),
)
def test_prepared_bases_give_the_same(
    group: Group, terms: list[tuple[int, bool]], multiples: int, threads: int
) -> None:
    scalars = fr([scalar for scalar, _ in terms])
    density = bitmap.pack([counts for _, counts in terms])
    bases = random_points(group, 60)[: len(terms)]
    prepared = group.prepare(bases, multiples=multiples, threads=threads)
    expected = group.msm(bases, scalars)
    assert (len(prepared), prepared.multiples) == (len(terms), multiples)
    assert (group.msm(prepared, scalars, threads=threads) == expected).all()
    packed = PackedScalars.pack(scalars)
    assert (group.msm(prepared, packed, threads=threads) == expected).all()
    count = sum(counts for _, counts in terms)
    expected = group.msm(bases[:count], scalars, density)
    assert (group.msm(prepared[:count], scalars, density, threads) == expected).all()


@GROUPS
def test_many_prepared_bases(group: Group) -> None:
    """As many as are taken in several chunks, most of them equal, and some of their opposites."""
    count = 140_000
    pool = random_points(group, 60)
    bases = np.concatenate([pool, group.neg(pool)])[np.arange(count) % 120]
    scalars = fr([1, 2, curve.R - 1, 0x1234567890ABCDEF1234567890ABCDEF, 12345] * (count // 5))
    expected = group.mul(bases[:600], scalars[:600])  # 600 terms are a period of both
    whole, rest = divmod(count, 600)
    total = group.identity
    for point, times in zip(expected, [whole + 1] * rest + [whole] * (600 - rest), strict=True):
        total = group.add(total, group.mul(point, fr([times])[0]))
    assert (group.msm(bases, scalars, threads=2) == total).all()
    assert (group.msm(group.prepare(bases, threads=2), scalars, threads=3) == total).all()


@GROUPS
def test_more_terms_than_are_read_in_place(group: Group) -> None:
    """Many scalars, as they come and around the corners of the hexagon that their two parts fill (eisenstein.cpp)."""
    count, square = (1 << 16) + 77, (0xD201000000010000**2 - 1)
    corners = [
        (eighth * square // 8 + near) * square + (other * square // 8) + far
        for eighth in range(9)
        for other in range(9)
        for near in (-1, 0, 1)
        for far in (-1, 0, 1)
    ]
    scalars = [value % curve.R for value in corners] + EDGE_SCALARS + random_scalars(count, seed=8)
    scalars = scalars[:count]
    logarithms = random_scalars(count, seed=7)
    bases = group.fixed_base(group.generator, fr(logarithms), threads=2)
    total = sum(scalar * value for scalar, value in zip(scalars, logarithms, strict=True)) % curve.R
    expected = group.mul(group.generator, fr([total])[0])
    for threads in (1, 3):
        assert (group.msm(bases, fr(scalars), threads=threads) == expected).all()


@GROUPS
@pytest.mark.parametrize("value", [2, (1 << 128) - 1, curve.R - 2])
def test_many_terms_with_one_scalar(group: Group, value: int) -> None:
    """All of them go to one bucket of each digit; and so do pairs whose sum is infinity."""
    count = (1 << 16) + 4
    pool = random_points(group, 8)
    bases = np.tile(pool, (count // 8 + 1, 1))[:count]
    expected = group.identity
    for i, point in enumerate(pool):
        expected = group.add(expected, group.mul(point, fr([value * len(range(i, count, 8)) % curve.R])[0]))
    assert (group.msm(bases, fr([value] * count), threads=2) == expected).all()
    bases[1::2] = group.neg(bases[::2])
    assert (group.msm(bases, fr([value] * count)) == group.identity).all()


def test_prepared_bases_may_be_mapped(tmp_path: Path) -> None:
    bases, scalars = random_points(G1, 31), fr(random_scalars(31, seed=3))
    shape = G1.prepared_shape(31, 4)
    mapped = np.memmap(tmp_path / "prepared", dtype=np.uint8, mode="w+", offset=64, shape=shape)
    prepared = G1.prepare(bases, multiples=4, out=mapped)
    mapped.flush()
    again = np.memmap(tmp_path / "prepared", dtype=np.uint8, mode="r", offset=64, shape=shape)
    view = PreparedPoints("G1", prepared.layout, again, prepared.spacing)
    assert (G1.msm(view[:20], scalars[:20]) == G1.msm(bases[:20], scalars[:20])).all()


def test_refusals_of_prepared_bases() -> None:
    bases, scalars = random_points(G1, 3), fr([5, 6, 7])
    prepared = G1.prepare(bases, multiples=2)
    with pytest.raises(InputError, match="expected the layout"):
        G2.msm(prepared, scalars)
    with pytest.raises(InputError, match="expected 3 bases"):
        G1.msm(prepared[:2], scalars)
    with pytest.raises(InputError, match="do not cover a scalar"):
        G1.msm(PreparedPoints("G1", prepared.layout, prepared.data, 16), scalars)
    for spacing in (131, 254):  # of which no width of a window is a divisor
        with pytest.raises(InputError, match="no window divides it"):
            G1.msm(PreparedPoints("G1", prepared.layout, prepared.data, spacing), scalars)
    with pytest.raises(InputError, match="bytes each"):
        G1.msm(PreparedPoints("G1", prepared.layout, prepared.data[:, :, :64].copy(), prepared.spacing), scalars)
    shifted = np.zeros(prepared.data.size + 65, dtype=np.uint8)
    start = -shifted.ctypes.data % 64 + 1
    with pytest.raises(InputError, match="must start at a multiple of"):
        G1.prepare(bases, multiples=2, out=shifted[start : start + prepared.data.size].reshape(prepared.data.shape))
    with pytest.raises(InputError, match="point 1: it is infinity"):
        G1.prepare(np.stack([bases[0], G1.identity]))
    with pytest.raises(InputError, match="expected 1 to 64 multiples"):
        G1.prepare(bases, multiples=0)
