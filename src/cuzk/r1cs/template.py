"""Templates: parts of a circuit traced once and replayed by every instance of the same shape.

A template is a *leaf* (constraint rows over local columns and a witness program) or a *composite* (a list of instances
of other templates). Its local columns are, in this order: ONE, the formals (variables of the caller), the inputs and
the aux that one instance allocates. A whole circuit is the composite without formals, whose columns are the circuit's.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import InputError
from cuzk.r1cs.program import Program

__all__ = ["Columns", "Composite", "Instance", "Leaf", "Matrix", "Sizes", "Template", "fold", "pack_names"]


T = TypeVar("T")


@dataclass(frozen=True)
class Matrix:
    """Rows in compressed form: row i has entries row_ptr[i] to row_ptr[i + 1]; a column occurs at most once in a row.

    `coeff` are numbers in the circuit's coefficient table; no coefficient is zero.
    """

    row_ptr: NDArray[np.uint32]
    cols: NDArray[np.uint32]
    coeff: NDArray[np.uint32]

    @property
    def nonzeros(self) -> int:
        """Number of entries."""
        return len(self.cols)


@dataclass(frozen=True)
class Sizes:
    """How much one instance adds: constraint rows, inputs, aux, how many of the aux are wide, and data it reads."""

    rows: int = 0
    inputs: int = 0
    aux: int = 0
    wide: int = 0
    data: int = 0

    def __add__(self, other: "Sizes") -> "Sizes":
        return Sizes(
            self.rows + other.rows,
            self.inputs + other.inputs,
            self.aux + other.aux,
            self.wide + other.wide,
            self.data + other.data,
        )

    def __sub__(self, other: "Sizes") -> "Sizes":
        return Sizes(
            self.rows - other.rows,
            self.inputs - other.inputs,
            self.aux - other.aux,
            self.wide - other.wide,
            self.data - other.data,
        )

    def as_tuple(self) -> tuple[int, int, int, int, int]:
        """Return the numbers in the order of the fields."""
        return self.rows, self.inputs, self.aux, self.wide, self.data


@dataclass(frozen=True)
class Columns:
    """The local columns of a template."""

    formals: int
    inputs: int
    aux: int

    @property
    def first_input(self) -> int:
        """Column of the first input."""
        return 1 + self.formals

    @property
    def first_aux(self) -> int:
        """Column of the first aux."""
        return 1 + self.formals + self.inputs


@dataclass(frozen=True, eq=False)
class Leaf:
    """Rows, and the program that computes one instance's aux, inputs, and A and B on its rows."""

    a: Matrix
    b: Matrix
    c: Matrix
    program: Program
    wide: NDArray[np.bool_]  # of each aux: it is a field element
    loads: NDArray[np.bool_]  # of each formal: the program needs its value
    packed_names: bytes  # zlib of the rows' names, one a line

    @cached_property
    def row_names(self) -> list[str]:
        """The path of each row below the instance's own."""
        return unpack_names(self.packed_names)


@dataclass(frozen=True, eq=False)
class Instance:
    """A template placed inside another: what its formals are, and what the enclosing instance had allocated before."""

    template: "Template"
    name: str  # its path below the enclosing instance's
    bindings: NDArray[np.int64]  # of each formal: a column of the enclosing template
    offset: Sizes  # wide, aux, inputs, rows and data of the enclosing instance before this one


@dataclass(frozen=True, eq=False)
class Composite:
    """Instances in order."""

    instances: Sequence[Instance]


@dataclass(frozen=True, eq=False)
class Template:
    """A leaf or a composite with its sizes."""

    name: str
    formal_is_bit: NDArray[np.bool_]
    sizes: Sizes
    body: Leaf | Composite
    columns: Columns = field(init=False)

    def __post_init__(self) -> None:
        """Derive the columns."""
        columns = Columns(len(self.formal_is_bit), self.sizes.inputs, self.sizes.aux)
        object.__setattr__(self, "columns", columns)

    @property
    def leaf(self) -> Leaf:
        """The body of a template that is a leaf."""
        if not isinstance(self.body, Leaf):
            raise InputError(f"template {self.name} is a composite, not a leaf")
        return self.body


def fold(
    root: Template,
    of_leaf: Callable[[Template, Leaf], T],
    of_composite: Callable[[Template, Composite, dict[Template, T]], T],
) -> T:
    """Compute something of a template from the same of the templates inside it, of each template once."""
    done: dict[Template, T] = {}

    def visit(template: Template) -> None:
        if template in done:
            return
        if isinstance(template.body, Leaf):
            done[template] = of_leaf(template, template.body)
            return
        for instance in template.body.instances:
            visit(instance.template)
        done[template] = of_composite(template, template.body, done)

    visit(root)
    return done[root]


def pack_names(names: Sequence[str]) -> bytes:
    """Compress names that contain no line ends."""
    return zlib.compress("\n".join(names).encode(), 6) if names else b""


def unpack_names(packed: bytes) -> list[str]:
    """Undo pack_names."""
    return zlib.decompress(packed).decode().split("\n") if packed else []
