"""Sparse matrices over Fr in compressed rows (CSR)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk import _native
from cuzk.algebra.arrays import Elements, check_elements, check_threads, check_vector, check_writable
from cuzk.errors import InputError

__all__ = ["SparseRows", "accumulate_transposed"]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """m rows: entry e of row i, row_ptr[i] <= e < row_ptr[i + 1], is table[coeff[e]] in column cols[e].

    row_ptr is uint64[m + 1], cols and coeff are uint32[nnz], table is Fr[k]. Types and shapes are checked here, the
    values by the kernels each time they are used. A column may occur twice in a row: the entries add up.
    """

    row_ptr: NDArray[np.uint64]
    cols: NDArray[np.uint32]
    coeff: NDArray[np.uint32]
    table: Elements

    def __post_init__(self) -> None:
        """Check types and shapes."""
        check_vector(self.row_ptr, np.uint64, "row_ptr")
        check_vector(self.cols, np.uint32, "cols")
        check_vector(self.coeff, np.uint32, "coeff", length=len(self.cols))
        check_elements(self.table, 4, "table")
        if len(self.row_ptr) == 0:
            raise InputError("row_ptr: expected one entry more than rows, got none")

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.row_ptr) - 1

    def times(self, z: Elements, threads: int = 1) -> Elements:
        """Return the product with the vector z, Fr[columns], as Fr[m]."""
        check_elements(z, 4, "z")
        check_threads(threads)
        out = np.empty((len(self), 4), dtype=np.uint64)
        _native.sparse_times(self.row_ptr, self.cols, self.coeff, self.table, z, out, threads)
        return out


def accumulate_transposed(rows: SparseRows, weights: Elements, out: Elements, *, threads: int = 1) -> None:
    """Add rows^T * weights to out: out[column] += coefficient * weights[row] for every entry.

    weights is Fr[m], out is Fr[columns], changed in place. After an error `out` may be half changed.
    """
    check_elements(weights, 4, "weights", length=len(rows))
    check_elements(out, 4, "out")
    check_writable(out, "out")
    check_threads(threads)
    _native.sparse_accumulate_transposed(rows.row_ptr, rows.cols, rows.coeff, rows.table, weights, out, threads)
