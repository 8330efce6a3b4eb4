"""Arithmetic in Fp against plain integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk import _native
from cuzk.algebra import fp
from cuzk.errors import InputError
from tests.reference.field import P, edge_elements, elements


@given(
    pairs=st.lists(st.tuples(elements(P), elements(P)), max_size=40),
    threads=st.sampled_from([1, 2, 3]),
)
def test_arithmetic_is_integers_modulo_p(pairs: list[tuple[int, int]], threads: int) -> None:
    a, b = fp.from_ints(x for x, _ in pairs), fp.from_ints(y for _, y in pairs)
    assert fp.to_ints(fp.add(a, b, threads)) == [(x + y) % P for x, y in pairs]
    assert fp.to_ints(fp.sub(a, b, threads)) == [(x - y) % P for x, y in pairs]
    assert fp.to_ints(fp.mul(a, b, threads)) == [x * y % P for x, y in pairs]


def test_all_pairs_of_edge_elements() -> None:
    edges = edge_elements(P)
    pairs = [(x, y) for x in edges for y in edges]
    a, b = fp.from_ints(x for x, _ in pairs), fp.from_ints(y for _, y in pairs)
    assert fp.to_ints(fp.add(a, b)) == [(x + y) % P for x, y in pairs]
    assert fp.to_ints(fp.sub(a, b)) == [(x - y) % P for x, y in pairs]
    assert fp.to_ints(fp.mul(a, b)) == [x * y % P for x, y in pairs]


@pytest.mark.usefixtures("each_isa")
@pytest.mark.parametrize("times", [0, 1, 2, 1000])
def test_powers_side_by_side(times: int) -> None:
    powers = np.empty((32, 6), dtype=np.uint64)
    _native.fp_powers(powers, times)
    numbers = [int.from_bytes(words.tobytes(), "little") for words in powers]
    assert [number % P for number in numbers] == [pow(i + 2, times + 1, P) for i in range(32)]


@given(values=st.lists(elements(P).filter(bool), max_size=20))
def test_inverse(values: list[int]) -> None:
    assert fp.to_ints(fp.inverse(fp.from_ints(values))) == [pow(x, -1, P) for x in values]


@given(values=st.lists(elements(P), max_size=20))
def test_bytes_and_ints_go_round(values: list[int]) -> None:
    data = b"".join(value.to_bytes(48, "little") for value in values)
    assert fp.to_ints(fp.from_bytes(data)) == values
    assert fp.to_bytes(fp.from_ints(values)) == data


@pytest.mark.parametrize("integer", [P, P + 1, (1 << 384) - 1])
def test_values_that_are_not_canonical_are_refused(integer: int) -> None:
    data = bytes(48) + integer.to_bytes(48, "little")
    with pytest.raises(InputError, match=r"fp\[1\] is not below"):
        fp.from_bytes(data)
    with pytest.raises(InputError, match=r"a\[1\] is not below"):
        fp.mul(np.frombuffer(data, dtype=np.uint64).reshape(-1, 6), fp.from_ints([1, 1]))
    with pytest.raises(InputError, match="multiple of 48"):
        fp.from_bytes(bytes(47))
