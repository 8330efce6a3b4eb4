"""R1CS, witness and public-input files: read exactly, or refused with a sentence; written so that they can be read."""

import random
import struct
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuzk.algebra import bitmap, fr
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import FormatError, InputError
from cuzk.groth16 import r1cs_file
from cuzk.groth16.circuit import FlatCircuit, RowBlock
from cuzk.groth16.r1cs_file import parse_r1cs, read_r1cs, write_r1cs
from cuzk.groth16.synthetic import boolean_heavy, dense_chain
from cuzk.groth16.witness_file import (
    format_public_inputs,
    parse_public_inputs,
    parse_witness,
    read_public_inputs,
    read_witness,
    write_public_inputs,
    write_witness,
)
from cuzk.r1cs import CompiledCircuit
from tests.conftest import data_path
from tests.groth16.fixtures import NAMES, fixture
from tests.r1cs.test_synthesis import circuit as several_templates

Term = tuple[int, int, int]
Row = tuple[list[Term], list[Term], list[Term]]


def encode(num_inputs: int, num_aux: int, coefficients: list[int], rows: list[Row]) -> bytes:
    """The obvious writer of an R1CS file."""
    data = struct.pack("<8s4Q", b"R1CSDMP1", num_inputs, num_aux, len(rows), len(coefficients))
    data += b"".join(value.to_bytes(32, "little") for value in coefficients)
    for row in rows:
        for combination in row:
            data += struct.pack("<I", len(combination))
            data += b"".join(struct.pack("<BII", *term) for term in combination)
    return data


def decode(rows: SparseRows) -> list[dict[int, int]]:
    """A row as {column: coefficient}."""
    table = fr.to_ints(rows.table)
    return [
        {int(rows.cols[e]): table[rows.coeff[e]] for e in range(int(rows.row_ptr[i]), int(rows.row_ptr[i + 1]))}
        for i in range(len(rows))
    ]


SIMPLE = encode(
    2, 2, [1, 5], [([(1, 0, 0)], [(0, 0, 1), (1, 0, 0)], [(1, 1, 0)]), ([(1, 1, 0)], [(0, 0, 0)], [(0, 1, 0)])]
)


def test_rows_are_read_as_they_were_written() -> None:
    circuit = parse_r1cs(SIMPLE)
    assert (circuit.num_inputs, circuit.num_aux, circuit.num_constraints, circuit.domain) == (2, 2, 2, 4)
    assert decode(circuit.a) == [{2: 1}, {3: 1}]
    assert decode(circuit.b) == [{0: 5, 2: 1}, {0: 1}]
    assert decode(circuit.c) == [{3: 1}, {1: 1}]


def test_terms_of_one_variable_are_merged_and_zeros_dropped() -> None:
    minus_one = fr.MODULUS - 1
    data = encode(
        1,
        3,
        [0, 1, 3, minus_one],
        [
            ([(1, 2, 1), (0, 0, 2), (1, 2, 2)], [(1, 0, 1), (1, 0, 3)], [(1, 1, 0)]),
            ([(1, 1, 1), (1, 0, 0), (1, 1, 1)], [], [(1, 2, 2), (1, 0, 1)]),
        ],
    )
    circuit = parse_r1cs(data)
    assert decode(circuit.a) == [{0: 3, 3: 4}, {2: 2}]
    assert decode(circuit.b) == [{}, {}]
    assert decode(circuit.c) == [{}, {1: 1, 3: 3}]
    assert bitmap.unpack(circuit.density.a_aux, 3).tolist() == [False, True, True]
    assert not bitmap.popcount(circuit.density.b_aux)
    assert not bitmap.popcount(circuit.density.b_inputs)


def test_a_circuit_without_rows_has_its_input_rows() -> None:
    circuit = parse_r1cs(encode(3, 0, [], []))
    assert (circuit.num_constraints, circuit.domain) == (0, 4)


@pytest.mark.parametrize("name", NAMES)
def test_every_truncation_of_a_real_file_is_refused(name: str) -> None:
    data = fixture(name).bytes("r1cs.bin")[:1500]
    for size in range(len(data) - 1):
        with pytest.raises(FormatError):
            parse_r1cs(data[:size])


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"R1CSDMP2" + SIMPLE[8:], "it starts with"),
        (SIMPLE + b"\0", "end at byte"),
        (encode(0, 4, [1], [([(1, 0, 0)], [], [])]), "no inputs"),
        (encode(1, 1 << 40, [1], [([(1, 0, 0)], [], [])]), "more than"),
        (encode(1, 1, [1], [([(2, 0, 0)], [], [])]), "A of constraint 0 has a term that is neither"),
        (encode(1, 1, [1], [([], [(1, 1, 0)], [])]), "B of constraint 0 has a variable"),
        (encode(1, 1, [1], [([], [], [(0, 1, 0)])]), "C of constraint 0 has a variable"),
        (encode(1, 1, [1], [([], [], []), ([(1, 0, 1)], [], [])]), "A of constraint 1 has a coefficient"),
        (struct.pack("<8s4Q", b"R1CSDMP1", 1, 1, 1 << 60, 0), "constraints do not fit"),
        (struct.pack("<8s4Q", b"R1CSDMP1", 1, 1, 0, 1 << 60), "coefficients do not fit"),
        (struct.pack("<8s4Q", b"R1CSDMP1", 1, 1, 1, 0) + struct.pack("<3I", 1 << 31, 0, 0), "inside constraint 0"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(data: bytes, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        parse_r1cs(data)


def test_a_coefficient_must_be_canonical() -> None:
    with pytest.raises(InputError):
        parse_r1cs(encode(1, 1, [fr.MODULUS], [([(1, 0, 0)], [], [])]))


def test_files_are_named_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "some.bin"
    for read, what in ((read_r1cs, "an R1CS"), (read_witness, "a witness"), (read_public_inputs, "a public-input")):
        path.write_bytes(b"nonsense")
        with pytest.raises(FormatError, match=f"some.bin is not {what} file"):
            read(path)


def test_witness_is_inputs_then_aux() -> None:
    values = [1, 7, 9]
    data = struct.pack("<8s2Q", b"WITNESS1", 2, 1) + b"".join(value.to_bytes(32, "little") for value in values)
    inputs, aux = parse_witness(data)
    assert fr.to_ints(inputs) == [1, 7]
    assert fr.to_ints(aux) == [9]
    for bad, complaint in (
        (data[:-1], "make 120 bytes"),
        (data + b"\0", "make 120 bytes"),
        (data[:10], "header"),
        (b"WITNESS2" + data[8:], "starts with"),
        (data[:24] + b"\2" + data[25:], "not ONE"),
        (struct.pack("<8s2Q", b"WITNESS1", 0, 3) + data[24:], "not ONE"),
        (struct.pack("<8s2Q", b"WITNESS1", 1 << 62, 1 << 62) + data[24:], "bytes, it has"),
    ):
        with pytest.raises(FormatError, match=complaint):
            parse_witness(bad)
    with pytest.raises(InputError):
        parse_witness(data[:-32] + b"\xff" * 32)


def test_public_inputs_are_written_again_as_they_were_read() -> None:
    data = fixture("quirk").bytes("public-inputs.bin") * 2 + struct.pack("<I", 0)
    partitions = parse_public_inputs(data)
    assert [len(inputs) for inputs in partitions] == [2, 2, 0]
    assert format_public_inputs(partitions) == data
    for bad, complaint in ((b"", "no partitions"), (data + b"\0", "ends inside"), (b"\xff" * 8, "declares")):
        with pytest.raises(FormatError, match=complaint):
            parse_public_inputs(bad)


def test_memory_is_a_small_multiple_of_the_file() -> None:
    data = data_path("r1cs/window-2k.r1cs").read_bytes()
    tracemalloc.start()
    try:
        circuit = parse_r1cs(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (circuit.num_inputs, circuit.num_aux, circuit.num_constraints) == (23, 22_128, 21_866)
    assert peak < 4 * len(data)


class InBlocks:
    """A circuit whose rows come in blocks, each matrix with a table of its own: shuffled, and not all of it is used."""

    def __init__(self, whole: FlatCircuit, height: int) -> None:
        self.num_inputs, self.num_aux, self.num_constraints = whole.num_inputs, whole.num_aux, whole.num_constraints
        self.density, self.domain = whole.density, whole.domain
        self._whole, self._height = whole, height

    def row_blocks(self) -> Iterator[RowBlock]:
        for start in range(0, self.num_constraints, self._height):
            yield RowBlock(start, *(self._part(rows, start) for rows in (self._whole.a, self._whole.b, self._whole.c)))

    def _part(self, rows: SparseRows, start: int) -> SparseRows:
        row_ptr = rows.row_ptr[start : start + self._height + 1]
        entries = slice(int(row_ptr[0]), int(row_ptr[-1]))
        values = fr.to_ints(rows.table[rows.coeff[entries]])
        table = random.Random(start).sample([*set(values), 12345], len({*values, 12345}))
        coeff = np.array([table.index(value) for value in values], dtype=np.uint32)
        return SparseRows(row_ptr - row_ptr[0], rows.cols[entries], coeff, fr.from_ints(table))


@pytest.mark.parametrize("name", NAMES)
def test_a_real_circuit_is_written_as_it_was_read(name: str, tmp_path: Path) -> None:
    circuit = fixture(name).circuit
    written = tmp_path / "written.r1cs"
    write_r1cs(str(written), circuit)
    again = read_r1cs(str(written))
    assert (again.num_inputs, again.num_aux, again.domain) == (circuit.num_inputs, circuit.num_aux, circuit.domain)
    for one, other in ((again.a, circuit.a), (again.b, circuit.b), (again.c, circuit.c)):
        assert decode(one) == decode(other)


def test_the_file_is_that_of_the_obvious_writer(tmp_path: Path) -> None:
    write_r1cs(tmp_path / "simple.r1cs", parse_r1cs(SIMPLE))
    in_order = [([(1, 0, 0)], [(0, 0, 1), (1, 0, 0)], [(1, 1, 0)]), ([(1, 1, 0)], [(0, 0, 0)], [(0, 1, 0)])]
    assert (tmp_path / "simple.r1cs").read_bytes() == encode(2, 2, [1, 5], in_order)


@pytest.mark.parametrize("height", [1, 7, 62, 1000])
def test_the_file_depends_on_the_rows_alone(height: int, tmp_path: Path) -> None:
    for case in (boolean_heavy(6), dense_chain(6)):
        write_r1cs(tmp_path / "whole.r1cs", case.circuit)
        write_r1cs(tmp_path / "blocks.r1cs", InBlocks(case.circuit, height))
        assert (tmp_path / "blocks.r1cs").read_bytes() == (tmp_path / "whole.r1cs").read_bytes()


def test_a_traced_circuit_is_written(tmp_path: Path) -> None:
    traced = CompiledCircuit.trace("test", several_templates)
    write_r1cs(tmp_path / "traced.r1cs", traced)
    again = read_r1cs(tmp_path / "traced.r1cs")
    assert (again.num_inputs, again.num_aux) == (traced.num_inputs, traced.num_aux)
    for name in ("a", "b", "c"):
        expected = [row for block in traced.row_blocks() for row in decode(getattr(block, name))]
        assert decode(getattr(again, name)) == expected
    for name in ("a_aux", "b_inputs", "b_aux"):
        assert np.array_equal(getattr(again.density, name), getattr(traced.density, name))


def test_a_circuit_without_rows_is_written(tmp_path: Path) -> None:
    data = encode(3, 0, [], [])
    write_r1cs(tmp_path / "empty.r1cs", parse_r1cs(data))
    assert (tmp_path / "empty.r1cs").read_bytes() == data


def rows_of(*rows: dict[int, int]) -> SparseRows:
    """Rows as {column: place in the table 1, 5}."""
    row_ptr = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    terms = [term for row in rows for term in row.items()]
    cols, coeff = np.array(terms, dtype=np.uint32).reshape(-1, 2).T.copy()
    return SparseRows(row_ptr, cols, coeff, fr.from_ints([1, 5]))


def test_what_could_not_be_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.r1cs"
    nothing = rows_of({})
    with pytest.raises(InputError, match="aux 1 is in no row of the circuit"):
        write_r1cs(path, FlatCircuit.from_rows(1, 3, rows_of({1: 0, 3: 1}), nothing, nothing))
    with pytest.raises(InputError, match="most of the 1000 inputs are in no row of the circuit"):
        write_r1cs(path, FlatCircuit.from_rows(1000, 0, nothing, nothing, nothing))
    circuit = FlatCircuit.from_rows(1, 1, rows_of({1: 0}), nothing, nothing)
    circuit.a.table[0] = np.iinfo(np.uint64).max
    with pytest.raises(InputError, match="is not below"):
        write_r1cs(path, circuit)
    monkeypatch.setattr(r1cs_file, "_MAX_FILE_SIZE", 92)
    circuit.a.table[0] = (1, 0, 0, 0)
    with pytest.raises(InputError, match="at most 92 bytes, that of this circuit would have 93"):
        write_r1cs(path, circuit)
    bad: Any
    for bad in (print, "c.r1cs", None):
        with pytest.raises(InputError, match=r"circuit: expected Circuit, got \w+; CompiledCircuit.trace makes one"):
            write_r1cs(path, bad)
    assert not list(tmp_path.iterdir())


def test_a_circuit_of_wrong_columns_or_coefficients_is_refused() -> None:
    nothing = rows_of({})
    with pytest.raises(InputError, match="B has column 2, there are 2 variables"):
        FlatCircuit.from_rows(1, 1, nothing, rows_of({2: 0}), nothing)
    with pytest.raises(InputError, match="C has coefficient 2, its table has 2"):
        FlatCircuit.from_rows(1, 1, nothing, nothing, rows_of({1: 2}))


def test_witness_is_written_as_it_was_read(tmp_path: Path) -> None:
    case = fixture("quirk")
    write_witness(str(tmp_path / "w.bin"), case.inputs, case.aux)
    assert (tmp_path / "w.bin").read_bytes() == case.bytes("witness.bin")
    write_public_inputs(str(tmp_path / "p.bin"), [case.public_inputs])
    assert (tmp_path / "p.bin").read_bytes() == case.bytes("public-inputs.bin")
    one, large = fr.from_ints([1]), np.full((1, 4), np.iinfo(np.uint64).max)
    bad: Any
    for bad, aux, complaint in (
        (one[:0], one, "its first input is not ONE"),
        (case.aux, one, "its first input is not ONE"),
        (one, large, "is not below"),
        ([1], one, r"inputs: expected uint64\[n, 4\], got list"),
        (one, None, r"aux: expected uint64\[n, 4\], got NoneType"),
    ):
        with pytest.raises(InputError, match=complaint):
            write_witness(tmp_path / "bad.bin", bad, aux)
    for bad, complaint in (
        ([], "no partitions"),
        ([large], "is not below"),
        ([25], r"public inputs\[0\]: expected ndarray, got int"),
        (one, "public inputs: expected a sequence of ndarray, got ndarray"),
    ):
        with pytest.raises(InputError, match=complaint):
            write_public_inputs(tmp_path / "bad.bin", bad)
    assert not (tmp_path / "bad.bin").exists()
