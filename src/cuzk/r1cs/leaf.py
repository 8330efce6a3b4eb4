"""Leaves: a stretch of rows and allocations compiled into matrices over local columns and a witness program."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cuzk.r1cs.coefficients import CoefficientTable
from cuzk.r1cs.linear import ONE, Kind, LinearCombination, Variable, index_of, kind_of, variable
from cuzk.r1cs.program import Place, Stores, compile_program, variables_needed
from cuzk.r1cs.template import Columns, Leaf, Matrix, Sizes, Template, pack_names
from cuzk.r1cs.values import Value

__all__ = ["Segment", "compile_leaf", "leaf_content", "outside_variables"]


@dataclass
class Segment:
    """What a template allocates and enforces between two instances of other templates.

    `start` says how much the template had before; variables keep the template's numbers and its scope.
    """

    start: Sizes
    scope: int
    row_names: list[str] = field(default_factory=list)
    a: list[LinearCombination] = field(default_factory=list)
    b: list[LinearCombination] = field(default_factory=list)
    c: list[LinearCombination] = field(default_factory=list)
    stores: Stores = field(default_factory=Stores)
    definitions: dict[Variable, Value] = field(default_factory=dict)
    is_wide: list[bool] = field(default_factory=list)  # of each aux
    inputs: int = 0
    wide: int = 0
    data: int = 0

    @property
    def sizes(self) -> Sizes:
        """How much the segment adds."""
        return Sizes(len(self.a), self.inputs, len(self.is_wide), self.wide, self.data)

    @property
    def end(self) -> Sizes:
        """How much the template has after it."""
        return self.start + self.sizes

    @property
    def is_empty(self) -> bool:
        """Whether nothing was recorded."""
        return not (self.stores or self.data)

    def take_data(self) -> int:
        """Return the number of the next element of data."""
        self.data += 1
        return self.start.data + self.data - 1

    def alloc(self, value: Value, *, wide: bool) -> Variable:
        """Allocate an aux that is a field element (wide) or a bit."""
        var = variable(Kind.AUX, self.start.aux + len(self.is_wide), self.scope)
        self.definitions[var] = value
        self.stores.add(Place.AUX, self.wide if wide else len(self.is_wide), value)
        self.is_wide.append(wide)
        self.wide += wide
        return var

    def alloc_input(self, value: Value) -> Variable:
        """Allocate an input."""
        var = variable(Kind.INPUT, self.start.inputs + self.inputs, self.scope)
        self.definitions[var] = value
        self.stores.add(Place.INPUT, self.inputs, value)
        self.inputs += 1
        return var

    def add_row(
        self,
        name: str,
        a: LinearCombination,
        b: LinearCombination,
        c: LinearCombination,
        a_value: Value,
        b_value: Value,
    ) -> None:
        """Record a constraint with its path below the template's, and the values of its two sides."""
        row = len(self.a)
        self.stores.add(Place.A, row, a_value)
        self.stores.add(Place.B, row, b_value)
        self.row_names.append(name)
        self.a.append(a)
        self.b.append(b)
        self.c.append(c)


def outside_variables(segment: Segment) -> list[Variable]:
    """Return the variables that a segment uses but does not allocate, in order of first use."""
    used = dict.fromkeys(variables_needed(segment.stores))
    for row in zip(segment.a, segment.b, segment.c, strict=True):
        for combination in row:
            used.update(dict.fromkeys(combination.terms))
    return [var for var in used if kind_of(var) is not Kind.ONE and var not in segment.definitions]


def compile_leaf(
    name: str,
    segment: Segment,
    formals: Sequence[Variable],
    bit_variables: Collection[Variable],
    coefficients: CoefficientTable,
) -> Template:
    """Compile a segment whose outside variables are all among the formals."""
    numbers = {var: number for number, var in enumerate(formals)}
    sizes, start = segment.sizes, segment.start
    shape = Columns(len(formals), sizes.inputs, sizes.aux)
    columns = {ONE: 0}
    for var in segment.definitions:
        if kind_of(var) is Kind.AUX:
            columns[var] = shape.first_aux + index_of(var) - start.aux
        else:
            columns[var] = shape.first_input + index_of(var) - start.inputs
    columns.update({var: 1 + number for var, number in numbers.items()})

    program, needed = compile_program(segment.stores, numbers, coefficients, start.data)
    loaded = {numbers[var] for var in needed}
    a, b, c = (_matrix(rows, columns, coefficients) for rows in (segment.a, segment.b, segment.c))
    leaf = Leaf(
        a=a,
        b=b,
        c=c,
        program=program,
        wide=np.array(segment.is_wide, dtype=np.bool_),
        loads=np.array([number in loaded for number in range(len(formals))], dtype=np.bool_),
        packed_names=pack_names(segment.row_names),
    )
    formal_is_bit = np.array([var in bit_variables for var in formals], dtype=np.bool_)
    return Template(name, formal_is_bit, sizes, leaf)


def leaf_content(template: Template) -> Hashable:
    """Return a key that is equal for leaves that are the same in everything but the template's name."""
    leaf = template.leaf
    arrays = [template.formal_is_bit, leaf.wide, leaf.loads, leaf.program.code]
    for matrix in (leaf.a, leaf.b, leaf.c):
        arrays += [matrix.row_ptr, matrix.cols, matrix.coeff]
    return template.sizes, leaf.packed_names, tuple(array.tobytes() for array in arrays)


def _matrix(
    combinations: Sequence[LinearCombination], columns: Mapping[Variable, int], coefficients: CoefficientTable
) -> Matrix:
    """Write rows with their columns in ascending order, without terms whose coefficient is zero."""
    variables: list[Variable] = []
    values: list[int] = []
    for combination in combinations:
        variables.extend(combination.terms)
        values.extend(combination.terms.values())
    lengths = np.array([len(combination.terms) for combination in combinations], dtype=np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    cols = np.array([columns[var] for var in variables], dtype=np.uint32)
    coeff = np.array([coefficients[value] for value in values], dtype=np.uint32)
    if 0 in values:
        kept = np.array([value != 0 for value in values])
        rows, cols, coeff = rows[kept], cols[kept], coeff[kept]
    order = np.lexsort((cols, rows))
    row_ptr = np.zeros(len(lengths) + 1, dtype=np.uint32)
    np.cumsum(np.bincount(rows, minlength=len(lengths)), out=row_ptr[1:])
    return Matrix(row_ptr, cols[order], coeff[order])
