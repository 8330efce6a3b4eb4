"""What Groth16 needs of a circuit: its rows, its sizes and its densities.

A circuit is whatever gives these; it never has to exist as one matrix. After a circuit's own rows come the *input
rows*, one for each input i (ONE included): A = input_i, B = 0, C = 0. They keep the inputs' A polynomials independent
(bellperson, groth16/generator.rs and prover); no circuit lists them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import bitmap, fr
from cuzk.algebra.arguments import wrong_type
from cuzk.algebra.bitmap import Bitmap
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import InputError

MAX_DOMAIN = 1 << fr.TWO_ADICITY


@dataclass(frozen=True)
class Density:
    """Which variables have a non-zero A or B polynomial: bitmaps over the aux (or, for B, the inputs too).

    Every input is in A, through its input row. A variable counts if its coefficients in some row add up to something
    other than zero; explicit zero coefficients and terms that cancel do not count.
    """

    a_aux: Bitmap
    b_inputs: Bitmap
    b_aux: Bitmap


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows of a circuit: row `start` and those after it, as three sparse matrices of equal height.

    A column is an input i (ONE = 0) or `num_inputs + j` for aux j.
    """

    start: int
    a: SparseRows
    b: SparseRows
    c: SparseRows


class Circuit(Protocol):
    """A constraint system A·z ∘ B·z = C·z over z = inputs (ONE first) then aux."""

    @property
    def num_inputs(self) -> int:
        """Inputs, ONE included."""
        ...

    @property
    def num_aux(self) -> int:
        """Auxiliary (private) variables."""
        ...

    @property
    def num_constraints(self) -> int:
        """The circuit's own rows, without the input rows."""
        ...

    @property
    def domain(self) -> int:
        """The smallest power of two that holds all rows: own and input rows."""
        ...

    @property
    def density(self) -> Density:
        """Which variables count in A and B."""
        ...

    def row_blocks(self) -> Iterator[RowBlock]:
        """Yield the circuit's own rows in order, in blocks."""
        ...


def require_circuit(circuit: Circuit) -> None:
    """Raise InputError for something that is no circuit."""
    if not hasattr(circuit, "row_blocks"):
        hint = "CompiledCircuit.trace makes one of a function, read_r1cs reads one from a file"
        raise wrong_type("circuit", "Circuit", circuit, hint)


def domain_size(num_constraints: int, num_inputs: int) -> int:
    """Return the domain of a circuit: the smallest 2^k >= rows with the input rows, at most 2^32."""
    rows = num_constraints + num_inputs
    if not 0 < rows <= MAX_DOMAIN:
        raise InputError(f"a circuit has 1 to 2^{fr.TWO_ADICITY} rows with its input rows, this one has {rows}")
    return 1 << (rows - 1).bit_length()


@dataclass(frozen=True)
class FlatCircuit:
    """A circuit held as three whole matrices, for R1CS files, tests and benchmarks."""

    num_inputs: int
    num_aux: int
    a: SparseRows
    b: SparseRows
    c: SparseRows
    density: Density
    domain: int

    @staticmethod
    def from_rows(num_inputs: int, num_aux: int, a: SparseRows, b: SparseRows, c: SparseRows) -> "FlatCircuit":
        """Make a circuit of rows in which a column occurs at most once and no coefficient is zero."""
        heights = {len(rows.row_ptr) - 1 for rows in (a, b, c)}
        if len(heights) != 1:
            raise InputError(f"A, B and C must have equally many rows, they have {sorted(heights)}")
        for name, rows in (("A", a), ("B", b), ("C", c)):
            if int(rows.cols.max(initial=0)) >= num_inputs + num_aux:
                raise InputError(f"{name} has column {rows.cols.max()}, there are {num_inputs + num_aux} variables")
            if len(rows.coeff) and int(rows.coeff.max()) >= len(rows.table):
                raise InputError(f"{name} has coefficient {rows.coeff.max()}, its table has {len(rows.table)}")
        in_a, in_b = (_occurring(rows, num_inputs + num_aux) for rows in (a, b))
        density = Density(
            a_aux=bitmap.pack(in_a[num_inputs:]),
            b_inputs=bitmap.pack(in_b[:num_inputs]),
            b_aux=bitmap.pack(in_b[num_inputs:]),
        )
        return FlatCircuit(num_inputs, num_aux, a, b, c, density, domain_size(heights.pop(), num_inputs))

    @property
    def num_constraints(self) -> int:
        """The circuit's own rows, without the input rows."""
        return len(self.a.row_ptr) - 1

    def row_blocks(self) -> Iterator[RowBlock]:
        """Yield all rows as one block."""
        yield RowBlock(0, self.a, self.b, self.c)


def _occurring(rows: SparseRows, num_variables: int) -> NDArray[np.bool_]:
    occurs = np.zeros(num_variables, dtype=np.bool_)
    occurs[rows.cols] = True
    return occurs
