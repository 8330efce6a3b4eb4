"""Arithmetic in Fr against plain integers and arkworks."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from py_arkworks_bls12381 import Scalar

from cuzk import _native
from cuzk.algebra import fr
from cuzk.errors import InputError
from tests.reference.field import R, edge_elements, elements

pytestmark = pytest.mark.usefixtures("each_isa")


def scalar(value: int) -> Scalar:
    return Scalar.from_le_bytes(value.to_bytes(32, "little"))


PAIRS = st.lists(st.tuples(elements(R), elements(R)), max_size=40)


@given(pairs=PAIRS, threads=st.sampled_from([1, 2, 3]))
def test_arithmetic_is_integers_modulo_r(pairs: list[tuple[int, int]], threads: int) -> None:
    a, b = fr.from_ints(x for x, _ in pairs), fr.from_ints(y for _, y in pairs)
    assert fr.to_ints(fr.add(a, b, threads)) == [(x + y) % R for x, y in pairs]
    assert fr.to_ints(fr.sub(a, b, threads)) == [(x - y) % R for x, y in pairs]
    assert fr.to_ints(fr.mul(a, b, threads)) == [x * y % R for x, y in pairs]


def test_all_pairs_of_edge_elements() -> None:
    edges = edge_elements(R)
    pairs = [(x, y) for x in edges for y in edges]
    a, b = fr.from_ints(x for x, _ in pairs), fr.from_ints(y for _, y in pairs)
    assert fr.to_ints(fr.add(a, b)) == [(x + y) % R for x, y in pairs]
    assert fr.to_ints(fr.sub(a, b)) == [(x - y) % R for x, y in pairs]
    assert fr.to_ints(fr.mul(a, b)) == [x * y % R for x, y in pairs]


def test_multiplication_agrees_with_arkworks() -> None:
    generator = random.Random(1)
    pairs = [(generator.randrange(R), generator.randrange(R)) for _ in range(100)]
    products = fr.mul(fr.from_ints(x for x, _ in pairs), fr.from_ints(y for _, y in pairs))
    expected = [
        Scalar.from_le_bytes(x.to_bytes(32, "little")) * Scalar.from_le_bytes(y.to_bytes(32, "little"))
        for x, y in pairs
    ]
    assert fr.to_ints(products) == [int.from_bytes(product.to_le_bytes(), "little") for product in expected]


@given(pairs=PAIRS, times=st.integers(0, 20))
def test_repeated_multiplication_is_a_power(pairs: list[tuple[int, int]], times: int) -> None:
    products = fr.from_ints(x for x, _ in pairs)
    _native.fr_mul_repeated(products, fr.from_ints(y for _, y in pairs), times)
    assert fr.to_ints(products) == [x * pow(y, times, R) % R for x, y in pairs]


@given(values=st.lists(elements(R).filter(bool), max_size=40), threads=st.sampled_from([1, 2, 3]))
def test_inverse(values: list[int], threads: int) -> None:
    assert fr.to_ints(fr.inverse(fr.from_ints(values), threads)) == [pow(x, -1, R) for x in values]


def test_inverse_of_several_batches_does_not_depend_on_threads() -> None:
    generator = random.Random(2)
    values = fr.from_ints(generator.randrange(1, R) for _ in range(2500))
    inverses = fr.inverse(values)
    assert fr.to_ints(fr.mul(values, inverses)) == [1] * 2500
    assert np.array_equal(fr.inverse(values, 2), inverses)
    assert np.array_equal(fr.inverse(values, 3), inverses)


def test_zero_has_no_inverse() -> None:
    values = np.ones((3000, 4), dtype=np.uint64)
    values[2999] = 0
    with pytest.raises(InputError, match=r"a\[2999\] is zero"):
        fr.inverse(values, 2)


@given(values=st.lists(elements(R), max_size=20))
def test_bytes_and_ints_go_round(values: list[int]) -> None:
    array = fr.from_ints(values)
    data = b"".join(value.to_bytes(32, "little") for value in values)
    assert fr.to_ints(array) == values
    assert fr.to_bytes(array) == data
    assert np.array_equal(fr.from_bytes(data), array)
    assert fr.from_bytes(data).flags.writeable


@pytest.mark.parametrize("integer", [-1, R, R + 1, 1 << 256])
def test_integers_outside_the_field_are_refused(integer: int) -> None:
    with pytest.raises(InputError, match="element 1 is"):
        fr.from_ints([0, integer])


@pytest.mark.parametrize("bad", [1.5, None, "1", b"1", np.uint64(1)])
def test_what_is_no_integer_is_refused(bad: Any) -> None:
    with pytest.raises(InputError, match=f"fr: element 1: expected int, got {type(bad).__name__}"):
        fr.from_ints([0, bad])


@pytest.mark.parametrize("bad", [5, 1.5, None])
def test_what_has_no_integers_is_refused(bad: Any) -> None:
    with pytest.raises(InputError, match=f"fr: integers: expected Iterable, got {type(bad).__name__}"):
        fr.from_ints(bad)


@pytest.mark.parametrize("integer", [R, R + 1, (1 << 256) - 1])
def test_values_that_are_not_canonical_are_refused(integer: int) -> None:
    data = bytes(64) + integer.to_bytes(32, "little")
    with pytest.raises(InputError, match=r"fr\[2\] is not below"):
        fr.from_bytes(data)
    bad, good = np.frombuffer(data, dtype=np.uint64).reshape(-1, 4), np.ones((3, 4), dtype=np.uint64)
    for operation in (fr.add, fr.sub, fr.mul):
        with pytest.raises(InputError, match=r"a\[2\] is not below"):
            operation(bad, good)
        with pytest.raises(InputError, match=r"b\[2\] is not below"):
            operation(good, bad, 3)
    with pytest.raises(InputError, match=r"a\[2\] is not below"):
        fr.inverse(bad)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(InputError, match="multiple of 32 bytes, got 33"):
        fr.from_bytes(bytes(33))
    good = fr.from_ints([1, 2])
    with pytest.raises(InputError, match=r"b: expected uint64\[2, 4\], got uint64\[1, 4\]"):
        fr.mul(good, good[:1])
    with pytest.raises(InputError, match=r"a: expected uint64\[n, 4\], got uint64\[2, 3\]"):
        fr.mul(good[:, :3], good[:, :3])
    with pytest.raises(InputError, match="threads"):
        fr.mul(good, good, 0)


@pytest.mark.parametrize("log2_size", [0, 1, 2, 17, 32])
def test_roots_of_unity(log2_size: int) -> None:
    root = fr.root_of_unity(log2_size)
    assert pow(root, 1 << log2_size, R) == 1
    assert log2_size == 0 or pow(root, 1 << (log2_size - 1), R) == R - 1
    assert root == pow(fr.root_of_unity(32), 1 << (32 - log2_size), R)


@pytest.mark.parametrize("log2_size", [-1, 33])
def test_roots_of_unity_end_at_2_to_the_32(log2_size: int) -> None:
    with pytest.raises(InputError, match="from 0 to 32"):
        fr.root_of_unity(log2_size)
