"""Find where a circuit first differs from Filecoin's, with what its fixtures give of it.

A file of checkpoints has the running digest every 1000 rows (`rows inputs aux digest path`, tab-separated): the first
one that differs bounds the place. A file of rows has some of them in a readable form, named:

    #7 path/of/the/row
      A: 0x1234*i0 + -1*a5
      B: 1*i0
      C: 0
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cuzk.algebra import fr
from cuzk.algebra.fr import MODULUS
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import FormatError
from cuzk.files import read_bounded
from cuzk.r1cs.compiled import CompiledCircuit
from cuzk.r1cs.digest import encode_rows

__all__ = ["Difference", "ReadableRow", "first_difference", "format_row", "read_rows", "readable_rows"]

_MAX_FILE = 1 << 28
_TERM = re.compile(r"(-?)(0x[0-9a-f]+|[0-9]+)\*([ia][0-9]+)")

Terms = Mapping[str, int]


@dataclass(frozen=True)
class ReadableRow:
    """A row: its number, its path, and of A, B and C the coefficient of each variable (`i0`, `a17`)."""

    number: int
    name: str
    matrices: tuple[Terms, Terms, Terms]


@dataclass(frozen=True)
class Difference:
    """Where a circuit first differs: at a row from `begin` to `end` - 1; `expected` is that row if it is known."""

    begin: int
    end: int
    expected: ReadableRow | None = None


def first_difference(
    circuit: CompiledCircuit, checkpoints: Path | None = None, rows: Path | None = None
) -> Difference | None:
    """Return where the circuit first differs from the files, None if it agrees with all that they say."""
    found = [_first_wrong_row(circuit, rows) if rows else None]
    found += [_first_wrong_checkpoint(circuit, checkpoints) if checkpoints else None]
    return min((difference for difference in found if difference), key=lambda difference: difference.end, default=None)


def readable_rows(circuit: CompiledCircuit, begin: int, end: int) -> Iterator[ReadableRow]:
    """Yield rows of the circuit by number, name and terms."""
    for block in circuit.row_blocks():
        last = block.start + len(block.a)
        for number in range(max(begin, block.start), min(end, last)):
            a, b, c = (_terms(circuit, rows, number - block.start) for rows in (block.a, block.b, block.c))
            yield ReadableRow(number, circuit.row_name(number), (a, b, c))
        if last >= end:
            return


def format_row(row: ReadableRow) -> str:
    """Return a row as the files of rows show it."""
    lines = [f"#{row.number} {row.name}"]
    for name, terms in zip("ABC", row.matrices, strict=True):
        lines.append(f"  {name}: " + (" + ".join(f"{_shown(value)}*{var}" for var, value in terms.items()) or "0"))
    return "\n".join(lines)


def read_rows(path: Path) -> Iterator[ReadableRow]:
    """Read a file of rows."""
    lines = _read_lines(path)
    for at in range(0, len(lines), 4):
        head = re.fullmatch(r"#([0-9]+) (.*)", lines[at])
        if head is None or len(lines) < at + 4:
            raise FormatError(f"{path}, line {at + 1}: expected `#number path` and three lines, got {lines[at]!r}")
        try:
            matrices = [_parse_terms(line[5:]) for line in lines[at + 1 : at + 4]]
        except FormatError as error:
            raise FormatError(f"{path}, after line {at + 1}: {error}") from error
        name = head[2].removeprefix("/")  # which the recordings have where a row is in no namespace
        yield ReadableRow(int(head[1]), name, (matrices[0], matrices[1], matrices[2]))


def _first_wrong_row(circuit: CompiledCircuit, path: Path) -> Difference | None:
    expected = {row.number: row for row in read_rows(path)}
    end = min(max(expected, default=-1) + 1, circuit.num_constraints)
    for row in readable_rows(circuit, 0, end):
        if row.number in expected and row != expected[row.number]:
            return Difference(row.number, row.number + 1, expected[row.number])
    missing = [row for row in expected.values() if row.number >= circuit.num_constraints]
    return Difference(missing[0].number, missing[0].number + 1, missing[0]) if missing else None


def _first_wrong_checkpoint(circuit: CompiledCircuit, path: Path) -> Difference | None:
    checkpoints = iter(_read_checkpoints(path))
    rows, expected = next(checkpoints, (0, ""))
    digest, agreed = hashlib.sha256(), 0
    for block in circuit.row_blocks():
        begin, end = 0, len(block.a)
        while agreed < rows <= block.start + end:
            digest.update(encode_rows(circuit, block, begin, rows - block.start))
            if digest.hexdigest() != expected:
                return Difference(agreed, rows)
            begin, agreed = rows - block.start, rows
            rows, expected = next(checkpoints, (rows, expected))
        digest.update(encode_rows(circuit, block, begin, end))
    return None if agreed == rows else Difference(agreed, rows)


def _read_checkpoints(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_read_lines(path), start=1):
        match line.split("\t"):
            case [rows, _, _, digest, *_] if rows.isascii() and rows.isdigit():
                yield int(rows), digest
            case _:
                raise FormatError(f"{path}, line {number}: expected rows, inputs, aux, digest and path, got {line!r}")


def _terms(circuit: CompiledCircuit, rows: SparseRows, row: int) -> Terms:
    begin, end = rows.row_ptr[row : row + 2].tolist()
    columns = rows.cols[begin:end].tolist()
    values = fr.to_ints(rows.table[rows.coeff[begin:end]])
    inputs = circuit.num_inputs
    names = [f"i{column}" if column < inputs else f"a{column - inputs}" for column in columns]
    return dict(zip(names, values, strict=True))


def _parse_terms(text: str) -> Terms:
    if text == "0":
        return {}
    terms = {}
    for term in text.split(" + "):
        match = _TERM.fullmatch(term)
        if match is None:
            raise FormatError(f"expected a term such as 0x1234*a5, got {term!r}")
        sign, value, variable = match.groups()
        terms[variable] = int(value, 0) * (-1 if sign else 1) % MODULUS
    return terms


def _shown(coefficient: int) -> str:
    """Show a coefficient by the shorter of itself and its negative."""
    negative = MODULUS - coefficient
    sign, value = ("", coefficient) if len(f"{coefficient:x}") <= len(f"{negative:x}") else ("-", negative)
    return f"{sign}{value if value < 1 << 16 else hex(value)}"


def _read_lines(path: Path) -> list[str]:
    """Return a file's lines; an empty file says nothing, so that nothing can agree with it."""
    lines = read_bounded(path, _MAX_FILE).decode(errors="replace").splitlines()
    if not lines:
        raise FormatError(f"{path} is empty")
    return lines
