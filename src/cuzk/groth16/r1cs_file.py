"""R1CS files: a whole constraint system, as dumped from Filecoin's own software, or written here of any circuit.

Integers are little-endian.

    "R1CSDMP1" u64 inputs (ONE included) u64 aux u64 constraints u64 coeffs
    coeffs × Fr
    per constraint, for A, B, C: u32 n, n × (u8 kind: 0 input, 1 aux; u32 index; u32 coefficient)

The input rows that bellperson appends are not in the file.
"""

import functools
import struct
from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import FormatError, InputError
from cuzk.files import read_bounded, replacing
from cuzk.groth16.circuit import Circuit, FlatCircuit, RowBlock, require_circuit

_MAGIC = b"R1CSDMP1"
_HEADER = struct.Struct("<8s4Q")
_FR_SIZE = 32
_COUNT = struct.Struct("<I")
_TERM = np.dtype([("kind", "u1"), ("index", "<u4"), ("coefficient", "<u4")])
_MAX_FILE_SIZE = 8 << 30
_MAX_VARIABLES = 1 << 32
_MATRICES = ("A", "B", "C")


def write_r1cs(path: Path | str, circuit: Circuit) -> None:
    """Write a circuit as an R1CS file, a block of rows at a time.

    Raises InputError for what would not be read again, or could not be set up: an aux that is in no row, inputs of
    which most are in none, a file that is too large.
    """
    require_circuit(circuit)
    coefficients: set[bytes] = set()
    occurs = np.zeros(circuit.num_inputs + circuit.num_aux, dtype=np.bool_)
    size = _HEADER.size
    for block in circuit.row_blocks():
        for rows in (block.a, block.b, block.c):
            coefficients.update(_used(rows)[0])
            occurs[rows.cols] = True
            size += _COUNT.size * len(rows) + _TERM.itemsize * len(rows.cols)
    size += _FR_SIZE * len(coefficients)
    if not occurs[circuit.num_inputs :].all():
        raise InputError(f"aux {int(occurs[circuit.num_inputs :].argmin())} is in no row of the circuit")
    if len(occurs) > size:
        raise InputError(f"most of the {circuit.num_inputs} inputs are in no row of the circuit")
    if size > _MAX_FILE_SIZE:
        raise InputError(f"an R1CS file has at most {_MAX_FILE_SIZE} bytes, that of this circuit would have {size}")
    in_order = sorted(coefficients)  # so that the file depends on nothing but the rows
    numbers = {coefficient: number for number, coefficient in enumerate(in_order)}
    table = b"".join(in_order)
    fr.from_bytes(table)  # refuses what is not canonical
    counts = (circuit.num_inputs, circuit.num_aux, circuit.num_constraints, len(numbers))
    with replacing(Path(path)) as file:
        file.write(_HEADER.pack(_MAGIC, *counts) + table)
        for block in circuit.row_blocks():
            file.write(_encoded(block, circuit.num_inputs, numbers).data)


def read_r1cs(path: Path | str) -> FlatCircuit:
    """Read an R1CS file; FormatError if it is not one."""
    try:
        return parse_r1cs(read_bounded(Path(path), _MAX_FILE_SIZE))
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
    if num_inputs + num_aux > _MAX_VARIABLES:
        raise FormatError(f"{num_inputs} inputs and {num_aux} aux are more than 2^32 variables")
    table = fr.from_bytes(data[_HEADER.size : table_end])
    combinations = _split(data, table_end, num_constraints)
    shape = (num_constraints, num_inputs, num_aux)
    rows = [_matrix(name, combinations.pop(name), shape, table) for name in _MATRICES]
    return FlatCircuit.from_rows(num_inputs, num_aux, *rows)


def _encoded(block: RowBlock, num_inputs: int, numbers: dict[bytes, int]) -> NDArray[np.uint8]:
    """Return the bytes of a block's rows: of each row the linear combinations A, B and C, each its count and terms."""
    matrices = (block.a, block.b, block.c)
    counts = np.stack([np.diff(rows.row_ptr) for rows in matrices], axis=1).astype("<u4").reshape(-1)
    terms, owners = [], []
    for place, rows in enumerate(matrices):
        coefficients, inverse = _used(rows)
        is_aux = rows.cols >= num_inputs
        part = np.empty(len(rows.cols), dtype=_TERM)
        part["kind"] = is_aux
        part["index"] = rows.cols - is_aux * np.uint32(num_inputs)
        part["coefficient"] = np.array([numbers[coefficient] for coefficient in coefficients], np.uint32)[inverse]
        terms.append(part)
        owners.append(np.repeat(np.arange(place, len(counts), len(matrices)), counts[place :: len(matrices)]))
    in_order = np.concatenate(terms)[np.argsort(np.concatenate(owners), kind="stable")]
    sizes = _COUNT.size + _TERM.itemsize * counts.astype(np.int64)
    is_term = np.ones(int(sizes.sum()), dtype=np.bool_)
    is_term[((np.cumsum(sizes) - sizes)[:, np.newaxis] + np.arange(_COUNT.size)).reshape(-1)] = False
    data = np.empty(len(is_term), dtype=np.uint8)
    data[~is_term] = counts.view(np.uint8)
    data[is_term] = in_order.view(np.uint8)
    return data


def _used(rows: SparseRows) -> tuple[list[bytes], NDArray[np.int64]]:
    """Return the coefficients that the entries of a matrix have, as bytes, and of each entry which of them it has."""
    used, inverse = np.unique(rows.coeff, return_inverse=True)
    data = fr.to_bytes(np.ascontiguousarray(rows.table[used]))
    return [data[start : start + _FR_SIZE] for start in range(0, len(data), _FR_SIZE)], inverse


@dataclass
class _Combinations:
    """The linear combinations of one matrix: how many terms each has, and all terms in order."""

    counts: NDArray[np.uint32]
    terms: NDArray[np.void]


def _split(data: bytes, offset: int, num_constraints: int) -> dict[str, _Combinations]:
    """Walk over the linear combinations and give each matrix its terms.

    All of this is sized by the file: one byte and one count at most for each of its bytes.
    """
    counts = array("I")
    is_term = bytearray(offset) + bytearray(b"\1") * (len(data) - offset)
    for _ in range(num_constraints * len(_MATRICES)):
        if offset + _COUNT.size > len(data):
            raise FormatError(f"it ends at byte {len(data)}, inside constraint {len(counts) // 3}")
        (count,) = _COUNT.unpack_from(data, offset)
        is_term[offset : offset + _COUNT.size] = bytes(_COUNT.size)
        offset += _COUNT.size + count * _TERM.itemsize
        counts.append(count)
    if offset != len(data):
        raise FormatError(f"its constraints end at byte {offset}, it has {len(data)}")
    terms = np.frombuffer(data, np.uint8)[np.frombuffer(is_term, np.bool_)].view(_TERM)
    all_counts = np.array(counts, dtype=np.uint32)
    matrix_of_term = np.repeat(np.resize(np.arange(3, dtype=np.uint8), len(counts)), all_counts)
    return {
        name: _Combinations(all_counts[place::3], terms[matrix_of_term == place])
        for place, name in enumerate(_MATRICES)
    }


def _matrix(name: str, part: _Combinations, shape: tuple[int, int, int], table: NDArray[np.uint64]) -> SparseRows:
    """Return a matrix with one term a variable and row, in order of the variables, and no zero coefficient."""
    height, num_inputs, num_aux = shape
    kinds, index, coefficients = (part.terms[field] for field in ("kind", "index", "coefficient"))
    is_wrong = np.where(kinds == 0, index >= num_inputs, index >= num_aux)
    _refuse(kinds > 1, part.counts, name, "has a term that is neither input nor aux")
    _refuse(is_wrong, part.counts, name, "has a variable that the header does not declare")
    _refuse(coefficients >= len(table), part.counts, name, "has a coefficient that the table does not have")
    # Keys sort by row, then by column; they fit, since neither has 2^32 values and the file has too few rows.
    num_variables = num_inputs + num_aux
    keys = np.repeat(np.arange(height, dtype=np.int64) * num_variables, part.counts)
    keys += index
    keys[kinds == 1] += num_inputs
    coefficients = coefficients.copy()
    del part, kinds, index
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


def _refuse(wrong: NDArray[np.bool_], counts: NDArray[np.uint32], name: str, complaint: str) -> None:
    if wrong.any():
        row = int(np.searchsorted(np.cumsum(counts), wrong.argmax(), side="right"))
        raise FormatError(f"{name} of constraint {row} {complaint}")


def _add_up(
    keys: NDArray[np.int64], coefficients: NDArray[np.uint32], table: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint64]]:
    """Merge equal (sorted) keys: their coefficients' sums are appended to the table."""
    firsts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    lengths = np.diff(np.append(firsts, len(keys)))
    merged = coefficients[firsts]
    groups = np.flatnonzero(lengths > 1)
    merged[groups] = np.arange(len(table), len(table) + len(groups))
    extended = np.empty((len(table) + len(groups), 4), dtype=np.uint64)
    extended[: len(table)] = table
    value_of = functools.cache(lambda place: int.from_bytes(table[place].tobytes(), "little"))
    for place, group in enumerate(groups, start=len(table)):
        members = coefficients[firsts[group] : firsts[group] + lengths[group]].tolist()
        total = sum(value_of(member) for member in members) % fr.MODULUS
        extended[place] = np.frombuffer(total.to_bytes(32, "little"), dtype="<u8")
    return keys[firsts], merged, extended
