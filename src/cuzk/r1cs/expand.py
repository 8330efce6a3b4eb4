"""A circuit's rows, reproduced from its templates block by block."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.r1cs.template import Columns, Composite, Leaf, Matrix, Template

__all__ = ["BLOCK_ROWS", "Rows", "expand"]

BLOCK_ROWS = 1 << 16  # templates up to this size are expanded once and then only renumbered

Cols = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Rows of A, B and C over the columns of some template."""

    a: Matrix
    b: Matrix
    c: Matrix

    @property
    def matrices(self) -> tuple[Matrix, Matrix, Matrix]:
        """A, B and C."""
        return self.a, self.b, self.c

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.a.row_ptr) - 1


@dataclass(frozen=True)
class _Frame:
    """Where a template's columns are among those of an enclosing one: formals anywhere, inputs and aux in a row."""

    formals: Cols
    first_input: int
    first_aux: int

    def outer(self, columns: Columns, cols: Cols) -> Cols:
        """Return the enclosing template's numbers of local columns."""
        inputs = np.arange(columns.inputs) + self.first_input
        below_aux = np.concatenate([[0], self.formals, inputs])
        is_aux = cols >= columns.first_aux
        outer = cols + (self.first_aux - columns.first_aux)
        outer[~is_aux] = below_aux[cols[~is_aux]]
        return outer


def expand(root: Template) -> Iterator[Rows]:
    """Yield the rows of a template in order, over its own columns, in blocks of about BLOCK_ROWS."""
    pending: list[Rows] = []
    columns = root.columns
    whole = _Frame(np.arange(columns.formals) + 1, columns.first_input, columns.first_aux)
    for rows in _Expander().pieces(root, whole):
        pending.append(rows)
        if sum(map(len, pending)) >= BLOCK_ROWS:
            yield _concatenated(pending)
            pending = []
    if pending:
        yield _concatenated(pending)


class _Expander:
    def __init__(self) -> None:
        self._expanded: dict[Template, Rows] = {}

    def pieces(self, template: Template, frame: _Frame) -> Iterator[Rows]:
        """Yield the rows of a template over the columns that `frame` leads to."""
        if template.sizes.rows <= BLOCK_ROWS or isinstance(template.body, Leaf):
            yield _renumbered(self._whole(template), template.columns, frame)
            return
        for instance, inner in _frames(template, template.body):
            columns = template.columns
            yield from self.pieces(
                instance,
                _Frame(
                    frame.outer(columns, inner.formals),
                    inner.first_input - columns.first_input + frame.first_input,
                    inner.first_aux - columns.first_aux + frame.first_aux,
                ),
            )

    def _whole(self, template: Template) -> Rows:
        """Return all rows of a template over its own columns."""
        body = template.body
        if isinstance(body, Leaf):
            return Rows(body.a, body.b, body.c)
        rows = self._expanded.get(template)
        if rows is None:
            parts = [_renumbered(self._whole(inner), inner.columns, frame) for inner, frame in _frames(template, body)]
            rows = self._expanded[template] = _concatenated(parts)
        return rows


def _frames(template: Template, body: Composite) -> Iterator[tuple[Template, _Frame]]:
    """Yield the templates inside a composite and where their columns are among its own."""
    columns = template.columns
    for instance in body.instances:
        offset = instance.offset
        yield (
            instance.template,
            _Frame(instance.bindings, columns.first_input + offset.inputs, columns.first_aux + offset.aux),
        )


def _renumbered(rows: Rows, columns: Columns, frame: _Frame) -> Rows:
    return Rows(
        *(
            Matrix(matrix.row_ptr, frame.outer(columns, matrix.cols.astype(np.int64)).astype(np.uint32), matrix.coeff)
            for matrix in rows.matrices
        )
    )


def _concatenated(parts: Sequence[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    return Rows(*(_stacked([rows.matrices[which] for rows in parts]) for which in range(3)))


def _stacked(matrices: Sequence[Matrix]) -> Matrix:
    starts = np.cumsum([0, *(matrix.nonzeros for matrix in matrices)])
    row_ptr = [matrix.row_ptr[:-1] + start for matrix, start in zip(matrices, starts, strict=False)]
    return Matrix(
        np.concatenate([*row_ptr, starts[-1:]]).astype(np.uint32),
        np.concatenate([matrix.cols for matrix in matrices]),
        np.concatenate([matrix.coeff for matrix in matrices]),
    )
