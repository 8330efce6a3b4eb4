"""R1CS, witness and public-input files: read exactly, or refused with a sentence."""

import struct
import tracemalloc
from pathlib import Path

import pytest

from cuzk.algebra import bitmap, fr
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import FormatError, InputError
from cuzk.groth16.r1cs_file import parse_r1cs, read_r1cs
from cuzk.groth16.witness_file import (
    format_public_inputs,
    parse_public_inputs,
    parse_witness,
    read_public_inputs,
    read_witness,
)
from tests.conftest import data_path
from tests.groth16.fixtures import NAMES, fixture

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
