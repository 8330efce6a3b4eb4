"""Leaves: a stretch of rows and allocations compiled into matrices over local columns and a witness program."""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cuzk.r1cs.coefficients import CoefficientTable
from cuzk.r1cs.linear import Kind, LinearCombination, Variable, index_of, kind_of
from cuzk.r1cs.program import Place, Store, compile_program, variables_needed
from cuzk.r1cs.template import Columns, Leaf, Matrix, Sizes, Template, pack_names
from cuzk.r1cs.values import Value

__all__ = ["Row", "Segment", "compile_leaf", "leaf_content", "outside_variables"]


@dataclass(frozen=True)
class Row:
    """A constraint a * b = c with its path below the template's."""

    name: str
    matrices: tuple[LinearCombination, LinearCombination, LinearCombination]


@dataclass
class Segment:
    """What a template allocates and enforces between two instances of other templates.

    `start` says how much the template had before; variables keep the template's numbers.
    """

    start: Sizes
    sizes: Sizes = field(default_factory=Sizes)
    rows: list[Row] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    definitions: dict[Variable, Value] = field(default_factory=dict)
    wide: list[bool] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was recorded."""
        return not (self.stores or self.sizes.data)

    def define(self, var: Variable, store: Store) -> None:
        """Record an allocation and where its value goes."""
        self.definitions[var] = store.value
        self.stores.append(store)

    def add_row(self, row: Row, a_value: Value, b_value: Value) -> None:
        """Record a constraint and the values of its two sides."""
        self.rows.append(row)
        self.stores.append(Store(Place.A, self.sizes.rows, a_value))
        self.stores.append(Store(Place.B, self.sizes.rows, b_value))


def outside_variables(segment: Segment) -> list[Variable]:
    """Return the variables that a segment uses but does not allocate, in order of first use."""
    used = dict.fromkeys(variables_needed(segment.stores, segment.definitions))
    for row in segment.rows:
        for combination in row.matrices:
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
    columns = Columns(len(formals), segment.sizes.inputs, segment.sizes.aux)

    def column(var: Variable) -> int:
        if var in numbers:
            return 1 + numbers[var]
        match kind_of(var):
            case Kind.AUX:
                return columns.first_aux + index_of(var) - segment.start.aux
            case Kind.INPUT:
                return columns.first_input + index_of(var) - segment.start.inputs
            case _:
                return 0

    program = compile_program(segment.stores, segment.definitions, numbers, coefficients, segment.start.data)
    loaded = {numbers[var] for var in variables_needed(segment.stores, segment.definitions)}
    a, b, c = (_matrix([row.matrices[which] for row in segment.rows], column, coefficients) for which in range(3))
    leaf = Leaf(
        a=a,
        b=b,
        c=c,
        program=program,
        wide=np.array(segment.wide, dtype=np.bool_),
        loads=np.array([number in loaded for number in range(len(formals))], dtype=np.bool_),
        packed_names=pack_names([row.name for row in segment.rows]),
    )
    formal_is_bit = np.array([var in bit_variables for var in formals], dtype=np.bool_)
    return Template(name, formal_is_bit, segment.sizes, leaf)


def leaf_content(template: Template) -> Hashable:
    """Return a key that is equal for leaves that are the same in everything but the template's name."""
    leaf = template.leaf
    arrays = [template.formal_is_bit, leaf.wide, leaf.loads, leaf.program.code]
    for matrix in (leaf.a, leaf.b, leaf.c):
        arrays += [matrix.row_ptr, matrix.cols, matrix.coeff]
    return template.sizes, leaf.packed_names, tuple(array.tobytes() for array in arrays)


def _matrix(
    combinations: Sequence[LinearCombination], column: Callable[[Variable], int], coefficients: CoefficientTable
) -> Matrix:
    """Write rows with their columns in ascending order, without terms whose coefficient is zero."""
    row_ptr, cols, coeff = [0], [], []
    for combination in combinations:
        terms = sorted((column(var), value) for var, value in combination.terms.items() if value)
        cols += [col for col, _ in terms]
        coeff += [coefficients[value] for _, value in terms]
        row_ptr.append(len(cols))
    return Matrix(*(np.array(numbers, dtype=np.uint32) for numbers in (row_ptr, cols, coeff)))
