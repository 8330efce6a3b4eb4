"""Sparse rows times a vector and transposed, against sums over their entries."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk.algebra import fr
from cuzk.algebra.sparse import SparseRows, accumulate_transposed
from cuzk.errors import InputError
from tests.reference.field import R, elements

COEFFICIENTS = [1, R - 1, 0, 2, R // 3]


@dataclass(frozen=True)
class Entry:
    column: int
    coefficient: int  # index into COEFFICIENTS


def matrix_of(rows: list[list[Entry]]) -> SparseRows:
    entries = [entry for row in rows for entry in row]
    return SparseRows(
        row_ptr=np.cumsum([0, *map(len, rows)], dtype=np.uint64),
        cols=np.array([entry.column for entry in entries], dtype=np.uint32),
        coeff=np.array([entry.coefficient for entry in entries], dtype=np.uint32),
        table=fr.from_ints(COEFFICIENTS),
    )


@st.composite
def matrices(draw: st.DrawFn) -> tuple[int, list[list[Entry]]]:
    columns = draw(st.integers(1, 6))
    entry = st.builds(Entry, st.integers(0, columns - 1), st.integers(0, len(COEFFICIENTS) - 1))
    return columns, draw(st.lists(st.lists(entry, max_size=5), max_size=12))


@given(matrix=matrices(), data=st.data(), threads=st.sampled_from([1, 2, 3]))
def test_times_is_the_sum_over_entries(
    matrix: tuple[int, list[list[Entry]]], data: st.DataObject, threads: int
) -> None:
    columns, rows = matrix
    z = data.draw(st.lists(elements(R), min_size=columns, max_size=columns))
    product = matrix_of(rows).times(fr.from_ints(z), threads)
    assert fr.to_ints(product) == [sum(COEFFICIENTS[e.coefficient] * z[e.column] for e in row) % R for row in rows]


@given(matrix=matrices(), data=st.data(), threads=st.sampled_from([1, 2, 3]))
def test_transposed_adds_into_out(matrix: tuple[int, list[list[Entry]]], data: st.DataObject, threads: int) -> None:
    columns, rows = matrix
    weights = data.draw(st.lists(elements(R), min_size=len(rows), max_size=len(rows)))
    expected = data.draw(st.lists(elements(R), min_size=columns, max_size=columns))
    out = fr.from_ints(expected)
    accumulate_transposed(matrix_of(rows), fr.from_ints(weights), out, threads=threads)
    for row, weight in zip(rows, weights, strict=True):
        for entry in row:
            expected[entry.column] += COEFFICIENTS[entry.coefficient] * weight
    assert fr.to_ints(out) == [value % R for value in expected]


def test_one_long_row_among_many() -> None:
    rows = [[Entry(0, 3)]] * 50 + [[Entry(i % 7, 4) for i in range(1000)]] + [[]] * 50
    matrix, z = matrix_of(rows), fr.from_ints(range(7))
    products = [matrix.times(z, threads) for threads in (1, 2, 3, 200)]
    assert all(np.array_equal(product, products[0]) for product in products)
    assert len(matrix) == 101
    assert fr.to_ints(products[0])[50] == sum(i % 7 * COEFFICIENTS[4] for i in range(1000)) % R


GOOD = matrix_of([[Entry(0, 0), Entry(2, 1)], [Entry(1, 3)]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row_ptr": np.array([1, 2, 3], dtype=np.uint64)}, "does not begin with 0"),
        ({"row_ptr": np.array([0, 2, 2], dtype=np.uint64)}, "does not end with the number of entries"),
        ({"row_ptr": np.array([0, 2**63, 3], dtype=np.uint64)}, "row_ptr falls after row 1"),
        ({"cols": np.array([0, 3, 1], dtype=np.uint32)}, r"cols\[1\] is 3, but there are 3 columns"),
        ({"coeff": np.array([0, 1, 5], dtype=np.uint32)}, r"coeff\[2\] is 5, but the table has 5 entries"),
        ({"table": np.full((5, 4), 2**64 - 1, dtype=np.uint64)}, r"table\[0\] is not below"),
    ],
)
def test_broken_matrices_are_refused(change: dict[str, object], message: str) -> None:
    matrix = replace(GOOD, **change)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        matrix.times(fr.from_ints([1, 2, 3]))
    with pytest.raises(InputError, match=message):
        accumulate_transposed(matrix, fr.from_ints([1, 2]), fr.from_ints([1, 2, 3]))


def test_wrong_types_and_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="row_ptr: expected uint64"):
        replace(GOOD, row_ptr=np.array([0, 2, 3], dtype=np.int64))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="row_ptr: expected one entry more than rows"):
        replace(GOOD, row_ptr=np.array([], dtype=np.uint64))
    with pytest.raises(InputError, match=r"coeff: expected uint32\[3\]"):
        replace(GOOD, coeff=np.array([0], dtype=np.uint32))
    with pytest.raises(InputError, match=r"weights: expected uint64\[2, 4\]"):
        accumulate_transposed(GOOD, fr.from_ints([1]), fr.from_ints([1, 2, 3]))


def test_values_that_are_not_canonical_are_refused() -> None:
    bad = fr.from_ints([1, 2, 3])
    bad[2] = 2**64 - 1
    with pytest.raises(InputError, match=r"z\[2\] is not below"):
        GOOD.times(bad)
    with pytest.raises(InputError, match=r"out\[2\] is not below"):
        accumulate_transposed(GOOD, fr.from_ints([1, 2]), bad)
    with pytest.raises(InputError, match=r"weights\[1\] is not below"):
        accumulate_transposed(GOOD, bad[1:], fr.from_ints([1, 2, 3]))
