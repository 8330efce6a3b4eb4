"""Transforms and the quotient, against their definitions and against bellperson's h."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk import _native
from cuzk.algebra import fr
from cuzk.algebra.domain import ntt, quotient
from cuzk.errors import InputError
from tests.conftest import data_path
from tests.reference import ntt as reference
from tests.reference.field import R, edge_elements, elements

pytestmark = pytest.mark.usefixtures("each_isa")

KINDS = [(inverse, coset) for inverse in (False, True) for coset in (False, True)]


def random_elements(n: int, seed: int = 0) -> list[int]:
    generator = random.Random(seed * 64 + n)
    return [generator.randrange(R) for _ in range(n)]


def vectors(max_log2: int) -> st.SearchStrategy[list[int]]:
    sizes = st.integers(0, max_log2).map(lambda k: 1 << k)
    return sizes.flatmap(lambda n: st.lists(elements(R), min_size=n, max_size=n))


@pytest.mark.parametrize(("inverse", "coset"), KINDS)
@given(values=vectors(6))
def test_ntt_is_its_definition(values: list[int], inverse: bool, coset: bool) -> None:
    array = fr.from_ints(values)
    ntt(array, inverse=inverse, coset=coset)
    assert fr.to_ints(array) == reference.ntt(values, inverse=inverse, coset=coset)


@pytest.mark.parametrize(("inverse", "coset"), KINDS)
@pytest.mark.parametrize("log2_size", [7, 8, 9])
def test_larger_ntt_is_its_definition(log2_size: int, inverse: bool, coset: bool) -> None:
    values = (edge_elements(R) + random_elements(1 << log2_size))[: 1 << log2_size]
    array = fr.from_ints(values)
    ntt(array, inverse=inverse, coset=coset, threads=2)
    assert fr.to_ints(array) == reference.ntt(values, inverse=inverse, coset=coset)


@pytest.mark.parametrize("coset", [False, True])
@pytest.mark.parametrize("log2_size", range(10, 17))
def test_large_ntt_evaluates_and_returns(log2_size: int, coset: bool) -> None:
    n = 1 << log2_size
    coefficients = np.zeros((n, 4), dtype=np.uint64)
    sparse = {0: R - 1, 1: 5, n // 2 - 1: R // 2, n // 2: 11, n - 1: R - 2}
    for index, value in sparse.items():
        coefficients[index] = fr.from_ints([value])[0]
    values = coefficients.copy()
    ntt(values, coset=coset, threads=2)
    root, shift = reference.root_of_unity(n), 7 if coset else 1
    for k in (0, 1, 2, 3, n // 2 - 1, n // 2, n // 2 + 1, n - 1, 3 * n // 7):
        point = shift * pow(root, k, R)
        assert fr.to_ints(values[k : k + 1]) == [sum(v * pow(point, i, R) for i, v in sparse.items()) % R]
    ntt(values, inverse=True, coset=coset, threads=2)
    assert np.array_equal(values, coefficients)


@pytest.mark.parametrize("log2_size", [9, 10, 11, 12, 13])
def test_three_passes_give_the_bytes_of_two(log2_size: int) -> None:
    """Above 2^22 a transform takes a third pass over memory; small blocks make it so here."""
    n = 1 << log2_size
    a, b = fr.from_ints(random_elements(n, 7)), fr.from_ints(random_elements(n, 8))
    for inverse, coset in KINDS:
        two, three = a.copy(), a.copy()
        ntt(two, inverse=inverse, coset=coset)
        _native.ntt(three, inverse, coset, threads=2, max_log2_slots=4)
        assert np.array_equal(two, three)
    two, three = a.copy(), a.copy()
    quotient(two, b.copy())
    _native.quotient(three, b.copy(), threads=2, max_log2_slots=4)
    assert np.array_equal(two, three)


@pytest.mark.parametrize("log2_size", [0, 3, 6, 11, 12])
def test_threads_do_not_change_bytes(log2_size: int) -> None:
    n = 1 << log2_size
    a, b = fr.from_ints(random_elements(n, 1)), fr.from_ints(random_elements(n, 2))
    results = []
    for threads in (1, 2, 3):
        transformed, x, y = a.copy(), a.copy(), b.copy()
        ntt(transformed, coset=True, threads=threads)
        results.append(transformed.tobytes() + quotient(x, y, threads=threads).tobytes())
    assert results[0] == results[1] == results[2]


@given(data=st.data())
def test_quotient_is_its_definition(data: st.DataObject) -> None:
    a = data.draw(vectors(5))
    b = data.draw(st.lists(elements(R), min_size=len(a), max_size=len(a)))
    x = fr.from_ints(a)
    h = quotient(x, fr.from_ints(b))
    assert fr.to_ints(h) == reference.quotient(a, b)
    assert np.shares_memory(h, x) or len(h) == 0
    assert fr.to_ints(x)[-1] == 0


@pytest.mark.parametrize("log2_size", [6, 7, 8])
def test_larger_quotient_is_its_definition(log2_size: int) -> None:
    n = 1 << log2_size
    a, b = (edge_elements(R) + random_elements(n, 3))[:n], random_elements(n, 4)
    assert fr.to_ints(quotient(fr.from_ints(a), fr.from_ints(b), threads=2)) == reference.quotient(a, b)


@pytest.mark.parametrize("log2_size", [11, 13, 14])
def test_large_quotient_satisfies_its_equation(log2_size: int) -> None:
    """At a random point, A * B = low + X^n * h, where low + h is the cyclic product."""
    n, threads = 1 << log2_size, 2
    a, b = fr.from_ints(random_elements(n, 5)), fr.from_ints(random_elements(n, 6))
    polynomials = []
    for vector in (a, b, fr.mul(a, b)):
        ntt(vector_copy := vector.copy(), inverse=True, threads=threads)
        polynomials.append(fr.to_ints(vector_copy))
    h = [*fr.to_ints(quotient(a, b, threads=threads)), 0]
    point = 0x1234567890ABCDEF << 190
    left, right, cyclic, upper = (reference.evaluate(p, point) for p in (*polynomials, h))
    assert left * right % R == (cyclic - upper + pow(point, n, R) * upper) % R


@pytest.mark.parametrize("name", ["quirk", "chain16", "chain300"])
@pytest.mark.parametrize("threads", [1, 2])
def test_quotient_equals_bellpersons(name: str, threads: int) -> None:
    evaluations = fr.from_bytes(data_path(f"groth16/{name}/abc-evals.bin").read_bytes()).reshape(3, -1, 4)
    expected = data_path(f"groth16/{name}/h-coeffs.bin").read_bytes()
    domain = len(expected) // 32 + 1
    a, b = np.zeros((2, domain, 4), dtype=np.uint64)
    a[: evaluations.shape[1]], b[: evaluations.shape[1]] = evaluations[0], evaluations[1]
    assert fr.to_bytes(quotient(a, b, threads=threads)) == expected


@pytest.mark.parametrize("size", [0, 3, 6, 12, 1000])
def test_only_powers_of_two(size: int) -> None:
    values = np.zeros((size, 4), dtype=np.uint64)
    with pytest.raises(InputError, match="power of two"):
        ntt(values)
    with pytest.raises(InputError, match="power of two"):
        quotient(values, values.copy())


@pytest.mark.parametrize("threads", [1, 3])
def test_a_value_that_is_not_canonical_is_named_and_nothing_changes(threads: int) -> None:
    values = fr.from_ints(random_elements(64))
    values[50] = np.frombuffer(R.to_bytes(32, "little"), dtype=np.uint64)
    values[51] = 2**64 - 1
    before = values.copy()
    with pytest.raises(InputError, match=r"values\[50\] is not below"):
        ntt(values, threads=threads)
    with pytest.raises(InputError, match=r"b\[50\] is not below"):
        quotient(fr.from_ints(random_elements(64)), values, threads=threads)
    assert np.array_equal(values, before)


def test_wrong_arrays_are_refused() -> None:
    good = fr.from_ints(random_elements(8))
    with pytest.raises(InputError, match="expected uint64"):
        ntt(good.astype(np.int64))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected uint64"):
        ntt(good.reshape(-1))
    with pytest.raises(InputError, match="C-contiguous"):
        ntt(np.asfortranarray(good))
    with pytest.raises(InputError, match="threads"):
        ntt(good, threads=0)
    with pytest.raises(InputError, match="one length"):
        quotient(good.copy(), fr.from_ints([1] * 4))
    with pytest.raises(InputError, match="same array"):
        quotient(good, good)
    read_only = good.copy()
    read_only.flags.writeable = False
    with pytest.raises(InputError, match="read-only"):
        ntt(read_only)
