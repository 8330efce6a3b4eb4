"""How much memory a partition takes, from the sizes of its circuit; docs/engine.md says how it was measured.

The assignment and what `prove_start` adds follow from the algebra; the rest was measured and is rounded up.
"""

from cuzk.engine.kinds import Needs
from cuzk.groth16.assignment import AssignmentLayout
from cuzk.r1cs.compiled import CompiledCircuit

_FR = 32
_BASE = 8 << 20
"""Kernels' buckets and tables, and what the allocator keeps, whatever the circuit."""


def needs_of(circuit: CompiledCircuit, parameters: int) -> Needs:
    """Return what a circuit's partitions need; `parameters` is the size of the parameter file."""
    sizes = circuit.root.sizes
    layout = AssignmentLayout(circuit.num_inputs, circuit.num_aux, sizes.wide, circuit.domain)
    variables = circuit.num_inputs + circuit.num_aux
    return Needs(
        assignment=layout.size,
        evaluations=2 * circuit.domain * _FR,
        synthesis=_BASE + circuit.num_data * _FR,
        start=_BASE + circuit.domain * _FR + variables,
        finish=_BASE + variables,
        circuit=_BASE + variables,
        parameters=max(1, parameters),
    )
