"""The compiled circuit: templates, where their instances stand, and everything that follows without expanding them."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import bitmap
from cuzk.algebra.arguments import require, wrong_type
from cuzk.algebra.bitmap import Bitmap
from cuzk.algebra.sparse import SparseRows
from cuzk.errors import InputError
from cuzk.groth16.circuit import Density, RowBlock, domain_size
from cuzk.r1cs.builder import ConstraintSystem, Tracer
from cuzk.r1cs.expand import expand
from cuzk.r1cs.template import Composite, Leaf, Matrix, Template, fold

__all__ = ["CompiledCircuit"]

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CompiledCircuit:
    """A circuit as template instances; implements `cuzk.groth16.circuit.Circuit`.

    `root` is the composite without formals: its columns are the circuit's, ONE and the other inputs first, then aux.
    `coefficients` is Fr[k].
    """

    name: str
    root: Template
    coefficients: NDArray[np.uint64]

    @staticmethod
    def trace(name: str, circuit: Callable[[ConstraintSystem], None]) -> "CompiledCircuit":
        """Trace a circuit: a function that writes all of it to a constraint system."""
        require("the name of a circuit", name, str)
        if not callable(circuit):
            raise wrong_type("circuit", "a function that takes a ConstraintSystem", circuit)
        tracer = Tracer()
        with _collector_paused():
            root = tracer.trace_circuit(circuit)
        return CompiledCircuit(name, root, tracer.coefficients.array())

    @property
    def num_inputs(self) -> int:
        """Inputs, ONE included."""
        return 1 + self.root.sizes.inputs

    @property
    def num_aux(self) -> int:
        """Auxiliary variables."""
        return self.root.sizes.aux

    @property
    def num_constraints(self) -> int:
        """The circuit's own rows, without the input rows."""
        return self.root.sizes.rows

    @property
    def num_data(self) -> int:
        """Field elements of vanilla data that synthesis takes."""
        return self.root.sizes.data

    @property
    def domain(self) -> int:
        """The smallest power of two that holds all rows: own and input rows."""
        return domain_size(self.num_constraints, self.num_inputs)

    @cached_property
    def nonzeros(self) -> tuple[int, int, int]:
        """Number of non-zero coefficients in A, B and C, without the input rows."""

        def of_leaf(_: Template, leaf: Leaf) -> tuple[int, int, int]:
            return leaf.a.nonzeros, leaf.b.nonzeros, leaf.c.nonzeros

        def of_composite(
            _: Template, body: Composite, inner: dict[Template, tuple[int, int, int]]
        ) -> tuple[int, int, int]:
            a, b, c = map(sum, zip(*(inner[instance.template] for instance in body.instances), strict=True))
            return a, b, c

        return fold(self.root, of_leaf, of_composite)

    @cached_property
    def density(self) -> Density:
        """Which variables have a non-zero coefficient in A (the aux; every input has one in its input row) and B."""
        a = _occurrence(self.root, lambda leaf: leaf.a)
        in_a = bitmap.pack(a[self.num_inputs :])
        del a
        b = _occurrence(self.root, lambda leaf: leaf.b)
        return Density(in_a, bitmap.pack(b[: self.num_inputs]), bitmap.pack(b[self.num_inputs :]))

    @cached_property
    def wide(self) -> Bitmap:
        """Which aux are field elements; the others are bits."""
        return bitmap.pack(
            fold(
                self.root,
                lambda _, leaf: leaf.wide,
                lambda _, body, flags: np.concatenate([flags[instance.template] for instance in body.instances]),
            )
        )

    def row_blocks(self) -> Iterator[RowBlock]:
        """Yield the circuit's own rows in order."""
        start = 0
        for rows in expand(self.root):
            yield RowBlock(start, *(self._sparse(matrix) for matrix in rows.matrices))
            start += len(rows)

    def _sparse(self, matrix: Matrix) -> SparseRows:
        return SparseRows(matrix.row_ptr.astype(np.uint64), matrix.cols, matrix.coeff, self.coefficients)

    def row_name(self, row: int) -> str:
        """Return the path of one of the circuit's own rows."""
        require("row", row, int)
        if not 0 <= row < self.num_constraints:
            raise InputError(f"row: expected 0 to {self.num_constraints - 1}, got {row}")
        template, path = self.root, []
        while isinstance(template.body, Composite):
            instances = template.body.instances
            starts = [instance.offset.rows for instance in instances]
            # The last one that starts at or before the row: those before it at the same place have no rows.
            instance = instances[int(np.searchsorted(starts, row, side="right")) - 1]
            path.append(instance.name)
            template, row = instance.template, row - instance.offset.rows
        path.append(template.body.row_names[row])
        return "/".join(filter(None, path))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Do without cyclic garbage collection: tracing makes a million small objects and no cycles among them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _occurrence(root: Template, matrix_of: Callable[[Leaf], Matrix]) -> Bools:
    """Return of each column whether it has an entry in a matrix."""

    def of_leaf(template: Template, leaf: Leaf) -> Bools:
        occurs = np.zeros(template.columns.first_aux + template.columns.aux, dtype=np.bool_)
        occurs[matrix_of(leaf).cols] = True
        return occurs

    def of_composite(template: Template, body: Composite, inner: dict[Template, Bools]) -> Bools:
        columns = template.columns
        occurs = np.zeros(columns.first_aux + columns.aux, dtype=np.bool_)
        for instance in body.instances:
            flags, own = inner[instance.template], instance.template.columns
            occurs[0] |= flags[0]
            occurs[instance.bindings[flags[1 : own.first_input]]] = True
            first_input = columns.first_input + instance.offset.inputs
            occurs[first_input : first_input + own.inputs] |= flags[own.first_input : own.first_aux]
            first_aux = columns.first_aux + instance.offset.aux
            occurs[first_aux : first_aux + own.aux] |= flags[own.first_aux :]
        return occurs

    return fold(root, of_leaf, of_composite)
