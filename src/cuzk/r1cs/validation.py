"""Is a template that came from a file consistent? What passes here can be expanded and scheduled without surprises."""

import numpy as np

from cuzk.errors import FormatError
from cuzk.r1cs.template import Composite, Leaf, Matrix, Sizes, Template

__all__ = ["check_template"]


def check_template(template: Template, coefficients: int) -> None:
    """Raise FormatError unless sizes, columns, coefficients and offsets agree; inner templates were checked before."""
    if min(template.sizes.as_tuple()) < 0 or template.formal_is_bit.ndim != 1:
        raise FormatError(f"template {template.name}: its sizes or formals are malformed")
    if isinstance(template.body, Leaf):
        _check_leaf(template, template.body, coefficients)
    else:
        _check_composite(template, template.body)


def _check_leaf(template: Template, leaf: Leaf, coefficients: int) -> None:
    sizes, columns = template.sizes, template.columns
    for matrix in (leaf.a, leaf.b, leaf.c):
        if not _is_matrix(matrix, sizes.rows, columns.first_aux + columns.aux, coefficients):
            raise FormatError(f"template {template.name}: its rows are malformed")
    if leaf.wide.shape != (sizes.aux,) or int(leaf.wide.sum()) != sizes.wide:
        raise FormatError(f"template {template.name}: expected {sizes.wide} of {sizes.aux} aux to be wide")
    if leaf.loads.shape != template.formal_is_bit.shape or leaf.program.code.ndim != 1:
        raise FormatError(f"template {template.name}: its program is malformed")


def _is_matrix(matrix: Matrix, rows: int, columns: int, coefficients: int) -> bool:
    row_ptr, cols, coeff = matrix.row_ptr, matrix.cols, matrix.coeff
    return (
        row_ptr.shape == (rows + 1,)
        and cols.ndim == 1
        and coeff.shape == cols.shape
        and int(row_ptr[0]) == 0
        and int(row_ptr[-1]) == len(cols)
        and bool(np.all(row_ptr[1:] >= row_ptr[:-1]))
        and int(cols.max(initial=0)) < columns
        and (not len(coeff) or int(coeff.max()) < coefficients)
    )


def _check_composite(template: Template, body: Composite) -> None:
    columns, before = template.columns, Sizes()
    for instance in body.instances:
        own = instance.template.columns
        bindings = instance.bindings
        if instance.offset != before:
            raise FormatError(f"template {template.name}: an instance begins at {instance.offset}, not at {before}")
        if bindings.shape != (own.formals,) or np.any((bindings < 1) | (bindings >= columns.first_aux + columns.aux)):
            raise FormatError(
                f"template {template.name}: an instance of {instance.template.name} has malformed bindings"
            )
        before += instance.template.sizes
    if before != template.sizes:
        raise FormatError(f"template {template.name}: its instances add up to {before}, not to {template.sizes}")
