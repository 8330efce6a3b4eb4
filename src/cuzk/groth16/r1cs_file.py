"""R1CS files: a whole constraint system, as dumped from Filecoin's own software. Integers are little-endian.

    "R1CSDMP1" u64 inputs (ONE included) u64 aux u64 constraints u64 coeffs
    coeffs × Fr
    per constraint, for A, B, C: u32 n, n × (u8 kind: 0 input, 1 aux; u32 index; u32 coefficient)

The input rows that bellperson appends are not in the file.
"""

import struct
from array import array
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import FormatError
from cuzk.files import read_bounded
from cuzk.groth16.circuit import FlatCircuit

_MAGIC = b"R1CSDMP1"
_HEADER = struct.Struct("<8s4Q")
_FR_SIZE = 32
_COUNT = struct.Struct("<I")
_TERM_SIZE = 9
_MAX_FILE_SIZE = 8 << 30
_MATRICES = ("A", "B", "C")


def read_r1cs(path: Path) -> FlatCircuit:
    """Read an R1CS file; FormatError if it is not one."""
    try:
        return parse_r1cs(read_bounded(path, _MAX_FILE_SIZE))
    except FormatError as error:
        raise FormatError(f"{path} is not an R1CS file: {error}") from error


def parse_r1cs(data: bytes) -> FlatCircuit:
    """Read a constraint system that is all of `data`; terms of one variable in a row are merged, zeros dropped."""
    if len(data) < _HEADER.size:
        raise FormatError(f"it starts with a header of {_HEADER.size} bytes, this has {len(data)}")
    magic, num_inputs, num_aux, num_constraints, num_coefficients = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise FormatError(f"it starts with {_MAGIC!r}, this starts with {magic!r}")
    if not num_inputs:
        raise FormatError("it has no inputs: expected at least ONE")
    # Every aux stands in some term, so a count beyond the file's length is a lie (and would cost memory).
    if num_inputs + num_aux > len(data):
        raise FormatError(f"{num_inputs} inputs and {num_aux} aux are more than {len(data)} bytes can mention")
    table_end = _HEADER.size + num_coefficients * _FR_SIZE
    if table_end > len(data):
        raise FormatError(f"{num_coefficients} coefficients do not fit into {len(data)} bytes")
    if num_constraints * len(_MATRICES) * _COUNT.size > len(data) - table_end:
        raise FormatError(f"{num_constraints} constraints do not fit into {len(data)} bytes")
    table = fr.from_bytes(data[_HEADER.size : table_end])
    counts = _term_counts(data, table_end, num_constraints * len(_MATRICES))
    # Combination k starts after k + 1 counts and the terms of all before it.
    starts = table_end + _COUNT.size * np.arange(1, len(counts) + 1) + _TERM_SIZE * (np.cumsum(counts) - counts)
    matrices = [
        _matrix(data, name, starts[place::3], counts[place::3], num_inputs, num_aux, table)
        for place, name in enumerate(_MATRICES)
    ]
    return FlatCircuit.from_rows(num_inputs, num_aux, *matrices)


def _term_counts(data: bytes, offset: int, combinations: int) -> NDArray[np.int64]:
    """Walk over the linear combinations and return how many terms each has."""
    counts = array("I")
    for _ in range(combinations):
        if offset + _COUNT.size > len(data):
            raise FormatError(f"it ends at byte {len(data)}, inside constraint {len(counts) // 3}")
        (count,) = _COUNT.unpack_from(data, offset)
        offset += _COUNT.size + count * _TERM_SIZE
        counts.append(count)
    if offset != len(data):
        raise FormatError(f"its constraints end at byte {offset}, it has {len(data)}")
    return np.frombuffer(counts, dtype=np.uint32).astype(np.int64) if combinations else np.zeros(0, dtype=np.int64)


def _matrix(
    data: bytes,
    name: str,
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    num_inputs: int,
    num_aux: int,
    table: NDArray[np.uint64],
) -> SparseRows:
    terms = np.repeat(starts - _TERM_SIZE * (np.cumsum(counts) - counts), counts)
    terms += _TERM_SIZE * np.arange(len(terms))
    raw = np.frombuffer(data, dtype=np.uint8)
    kinds = raw[terms]
    index = _gather_u32(raw, terms + 1)
    coefficients = _gather_u32(raw, terms + 5)
    rows = np.repeat(np.arange(len(counts)), counts)
    limits = np.where(kinds == 0, num_inputs, num_aux)
    _refuse(kinds > 1, rows, name, "has a term that is neither input nor aux")
    _refuse(index >= limits, rows, name, "has a variable that the header does not declare")
    _refuse(coefficients >= len(table), rows, name, "has a coefficient that the table does not have")
    columns = index.astype(np.int64) + np.where(kinds == 0, 0, num_inputs)
    return _merged_rows(len(counts), rows, columns, coefficients, table, num_inputs + num_aux)


def _gather_u32(raw: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint32]:
    value = raw[offsets].astype(np.uint32)
    for byte in range(1, 4):
        value |= raw[offsets + byte].astype(np.uint32) << np.uint32(8 * byte)
    return value


def _refuse(wrong: NDArray[np.bool_], rows: NDArray[np.int64], name: str, complaint: str) -> None:
    if wrong.any():
        raise FormatError(f"{name} of constraint {rows[int(wrong.argmax())]} {complaint}")


def _merged_rows(
    height: int,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    coefficients: NDArray[np.uint32],
    table: NDArray[np.uint64],
    num_variables: int,
) -> SparseRows:
    """Return the rows with one term a variable, in order of the variables, and no zero coefficient."""
    keys = rows * num_variables + columns
    if np.any(keys[1:] < keys[:-1]):
        order = np.argsort(keys, kind="stable")
        keys, coefficients = keys[order], coefficients[order]
    if np.any(keys[1:] == keys[:-1]):
        keys, coefficients, table = _add_up(keys, coefficients, table)
    nonzero = np.asarray(np.any(table, axis=1))
    keep = nonzero[coefficients]
    rows, columns = np.divmod(keys[keep], num_variables)
    row_ptr = np.zeros(height + 1, dtype=np.uint64)
    np.cumsum(np.bincount(rows, minlength=height), out=row_ptr[1:], dtype=np.uint64)
    return SparseRows(row_ptr, columns.astype(np.uint32), coefficients[keep], table)


def _add_up(
    keys: NDArray[np.int64], coefficients: NDArray[np.uint32], table: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint64]]:
    """Merge equal (sorted) keys: their coefficients' sums are appended to the table."""
    firsts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    lengths = np.diff(np.append(firsts, len(keys)))
    merged = coefficients[firsts].copy()
    sums: list[int] = []
    for group in np.flatnonzero(lengths > 1):
        members = coefficients[firsts[group] : firsts[group] + lengths[group]]
        merged[group] = len(table) + len(sums)
        sums.append(sum(fr.to_ints(table[members])) % fr.MODULUS)
    return keys[firsts], merged, np.concatenate([table, fr.from_ints(sums)])
