"""Does an assignment satisfy its circuit? If not, the first row that it breaks, by its path."""

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import fr
from cuzk.algebra.arguments import require
from cuzk.errors import UnsatisfiedError
from cuzk.groth16.assignment import Assignment
from cuzk.r1cs.compiled import CompiledCircuit

__all__ = ["check_satisfied"]


def check_satisfied(circuit: CompiledCircuit, assignment: Assignment, *, threads: int = 1) -> None:
    """Raise UnsatisfiedError that names the first row with a * b ≠ c, or whose a or b is not what the assignment says.

    Everything is computed from the rows, nothing by the witness programs. The assignment's a and b must not be taken.
    """
    require("circuit", circuit, CompiledCircuit, "CompiledCircuit.trace makes one")
    require("assignment", assignment, Assignment, "Synthesizer.run makes one")
    z = assignment.z
    for block in circuit.row_blocks():
        a, b, c = (rows.times(z, threads) for rows in (block.a, block.b, block.c))
        rows = slice(block.start, block.start + len(a))
        given_a, given_b = (evaluations[rows] for evaluations in assignment.evaluations)
        wrong = [_differ(fr.mul(a, b, threads), c), _differ(a, given_a), _differ(b, given_b)]
        if (broken := np.flatnonzero(np.logical_or.reduce(wrong))).size:
            first = int(broken[0])
            what = next(
                name
                for name, rows_wrong in zip(("a * b is not c", "a is wrong", "b is wrong"), wrong, strict=True)
                if rows_wrong[first]
            )
            row = block.start + first
            raise UnsatisfiedError(f"row {row} is not satisfied, {what}: {circuit.row_name(row)}")


def _differ(x: NDArray[np.uint64], y: NDArray[np.uint64]) -> NDArray[np.bool_]:
    differ: NDArray[np.bool_] = np.any(x != y, axis=1)
    return differ
