"""Two synthetic circuits for tests and benchmarks; with their two input rows each fills a domain of 2^k exactly.

*Dense chain*: x ← x·(x + K), one row a step. Every aux is in A and B and no value is a bit: the prover's worst case.
*Boolean-heavy*: three of four rows say that an aux is a bit, the fourth is a step x ← x·(x + K + bits): the mixture
that a PoRep or SnapDeals circuit is made of.

Both have the last x as their one public input.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr
from cuzk.algebra.fr import FrArray
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import InputError
from cuzk.groth16.circuit import FlatCircuit

STEP = 5
_NUM_INPUTS = 2  # ONE and the result
_ONE = 0
_RESULT = 1
_MIN_LOG2 = 3
_MAX_LOG2 = 26
# The coefficient table of both circuits, and the places in it.
_TABLE = fr.from_ints([1, fr.MODULUS - 1, STEP, 2, 4])
_PLUS, _MINUS, _STEP, _TWO, _FOUR = range(5)


@dataclass(frozen=True)
class Synthetic:
    """A circuit with a satisfying witness: `inputs` Fr[2] with ONE first, `aux` Fr[num_aux]."""

    circuit: FlatCircuit
    inputs: FrArray
    aux: FrArray


def dense_chain(log2_size: int, start: int = 3) -> Synthetic:
    """Return the chain of 2^log2_size - 2 steps from x = start. Aux j is x before step j."""
    steps = _rows_of(log2_size)
    x = np.arange(steps) + _NUM_INPUTS
    constant_one = np.full(steps, _ONE)
    circuit = FlatCircuit.from_rows(
        _NUM_INPUTS,
        steps,
        a=_rows((x, _PLUS)),
        b=_rows((constant_one, _STEP), (x, _PLUS)),
        c=_rows((np.append(x[1:], _RESULT), _PLUS)),
    )
    values = [start % fr.MODULUS]
    for _ in range(steps):
        values.append(values[-1] * (values[-1] + STEP) % fr.MODULUS)
    return Synthetic(circuit, fr.from_ints([1, values[-1]]), fr.from_ints(values[:-1]))


def boolean_heavy(log2_size: int, start: int = 3, seed: int = 0) -> Synthetic:
    """Return the circuit of 2^log2_size - 2 rows, with bits drawn from `seed`.

    Rows 4i, 4i + 1, 4i + 2 are (1 - bit)·bit = 0, row 4i + 3 is the step; the aux have the same order: three bits, then
    x before the step. The two rows after the last step are bits too.
    """
    rows = _rows_of(log2_size)
    row = np.arange(rows)
    is_step = row % 4 == 3
    x = row[is_step] + _NUM_INPUTS
    bits = row[~is_step] + _NUM_INPUTS
    # A: 1 - bit, or x.  B: bit, or K + b0 + 2 b1 + 4 b2 + x.  C: nothing, or the next x.
    steps = ((np.full(len(x), _ONE), _STEP), (x - 3, _PLUS), (x - 2, _TWO), (x - 1, _FOUR), (x, _PLUS))
    circuit = FlatCircuit.from_rows(
        _NUM_INPUTS,
        rows,
        a=_interleave(is_step, _rows((np.full(len(bits), _ONE), _PLUS), (bits, _MINUS)), _rows((x, _PLUS))),
        b=_interleave(is_step, _rows((bits, _PLUS)), _rows(*steps)),
        c=_interleave(is_step, _empty_rows(len(bits)), _rows((np.append(x[1:], _RESULT), _PLUS))),
    )
    drawn = np.random.default_rng(seed).integers(0, 2, size=rows).tolist()
    value, aux = start % fr.MODULUS, drawn
    for place in np.flatnonzero(is_step).tolist():
        weight = drawn[place - 3] + 2 * drawn[place - 2] + 4 * drawn[place - 1]
        aux[place], value = value, value * (value + STEP + weight) % fr.MODULUS
    return Synthetic(circuit, fr.from_ints([1, value]), fr.from_ints(aux))


def _rows_of(log2_size: int) -> int:
    if not _MIN_LOG2 <= log2_size <= _MAX_LOG2:
        raise InputError(f"a synthetic circuit has 2^{_MIN_LOG2} to 2^{_MAX_LOG2} rows, not 2^{log2_size}")
    return (1 << log2_size) - _NUM_INPUTS


def _rows(*terms: tuple[NDArray[np.int64], int]) -> SparseRows:
    """Return rows that all have the same terms: for each a column a row, and a place in the table."""
    columns = np.stack([column for column, _ in terms], axis=1)
    height, width = columns.shape
    coefficients = np.tile(np.array([place for _, place in terms], dtype=np.uint32), height)
    row_ptr = np.arange(height + 1, dtype=np.uint64) * np.uint64(width)
    return SparseRows(row_ptr, columns.reshape(-1).astype(np.uint32), coefficients, _TABLE)


def _empty_rows(height: int) -> SparseRows:
    nothing = np.zeros(0, dtype=np.uint32)
    return SparseRows(np.zeros(height + 1, dtype=np.uint64), nothing, nothing, _TABLE)


def _interleave(take_second: NDArray[np.bool_], first: SparseRows, second: SparseRows) -> SparseRows:
    """Return rows from `second` where the mask is set and from `first` elsewhere, each in its own order."""
    widths = np.empty(len(take_second), dtype=np.uint64)
    widths[~take_second], widths[take_second] = np.diff(first.row_ptr), np.diff(second.row_ptr)
    row_ptr = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(widths)])
    from_second = np.repeat(take_second, widths.astype(np.int64))
    columns = np.empty(len(from_second), dtype=np.uint32)
    coefficients = np.empty(len(from_second), dtype=np.uint32)
    columns[~from_second], columns[from_second] = first.cols, second.cols
    coefficients[~from_second], coefficients[from_second] = first.coeff, second.coeff
    return SparseRows(row_ptr, columns, coefficients, _TABLE)
