"""The tool that finds where a circuit differs from a recorded one."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from cuzk.errors import FormatError
from cuzk.r1cs import CompiledCircuit
from cuzk.r1cs.bisect import Difference, first_difference, format_row, readable_rows
from cuzk.r1cs.digest import encode_rows

from .test_templates import read

ROWS, STEP = 250, 100


def squares(count: int, *, wrong: int = -1) -> CompiledCircuit:
    def circuit(cs: Any) -> None:
        first, _ = read(cs)
        number = first
        for i in range(count - 1):
            with cs.namespace(f"square {i}"):
                number = (first if i == wrong else number).square(cs)

    return CompiledCircuit.trace("squares", circuit)


@pytest.fixture
def checkpoints(tmp_path: Path) -> Path:
    circuit, digest, lines = squares(ROWS), hashlib.sha256(), []
    (block,) = circuit.row_blocks()
    for end in range(STEP, ROWS, STEP):
        digest.update(encode_rows(circuit, block, end - STEP, end))
        lines.append(f"{end}\t1\t{end}\t{digest.hexdigest()}\tpath")
    path = tmp_path / "checkpoints.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.txt"
    path.write_text("\n".join(format_row(row) for row in readable_rows(squares(ROWS), 0, 120)) + "\n")
    return path


def test_equal_circuits_agree(checkpoints: Path, rows: Path) -> None:
    assert first_difference(squares(ROWS), checkpoints, rows) is None
    assert first_difference(squares(ROWS + 7), checkpoints, rows) is None  # nothing is recorded of rows after the last


@pytest.mark.parametrize(("row", "begin"), [(5, 0), (99, 0), (100, 100), (150, 100)])
def test_checkpoints_bound_the_place(checkpoints: Path, row: int, begin: int) -> None:
    assert first_difference(squares(ROWS, wrong=row - 1), checkpoints) == Difference(begin, begin + STEP)


def test_rows_tell_it_exactly(checkpoints: Path, rows: Path) -> None:
    difference = first_difference(squares(ROWS, wrong=110), checkpoints, rows)
    assert difference is not None
    assert (difference.begin, difference.end) == (111, 112)
    assert difference.expected is not None
    assert format_row(difference.expected) == (
        "#111 square 110/squaring constraint\n  A: 1*a111\n  B: 1*a111\n  C: 1*a112"
    )


def test_a_circuit_that_ends_too_early_differs_there(checkpoints: Path, rows: Path) -> None:
    assert first_difference(squares(130), checkpoints) == Difference(100, 200)
    difference = first_difference(squares(60), None, rows)
    assert difference is not None
    assert difference.begin == 60


def test_negative_and_large_coefficients_are_shown_short() -> None:
    (row,) = readable_rows(squares(2), 0, 1)
    assert format_row(row) == "#0 bit/boolean constraint\n  A: 1*i0 + -1*a0\n  B: 1*a0\n  C: 0"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("checkpoints", "", "file is empty"),
        ("rows", "", "file is empty"),
        ("checkpoints", "100\tx\n", "line 1: expected rows, inputs, aux, digest and path"),
        ("checkpoints", "-1\t1\t1\tx\n", "line 1: expected rows"),
        ("rows", "#0 name\n  A: 0\n", "line 1: expected `#number path` and three lines"),
        ("rows", "0 name\n  A: 0\n  B: 0\n  C: 0\n", "line 1: expected `#number path`"),
        ("rows", "#0 name\n  A: a5\n  B: 0\n  C: 0\n", "file, after line 1: expected a term such as 0x1234"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        first_difference(squares(ROWS), **{name: path})
