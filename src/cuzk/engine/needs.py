"""How much memory a partition takes beside its segment, from the sizes of its circuit.

It is the third vector of the quotient (native/ntt), or what the largest multi-scalar multiplication takes (native/msm),
whichever is more: a list of the terms, the bases and scalars of a chunk of terms in the arithmetic's form, and the
buckets of all windows. The multiplication over h has most terms; the one in G2 has fewer, and larger points, and takes
about as much. `benchmarks/engine.py kernels` measures each stage and `benchmarks/engine.py memory` the whole.
"""

from cuzk.engine.kinds import Needs
from cuzk.groth16.assignment import AssignmentLayout
from cuzk.r1cs.compiled import CompiledCircuit

_FR = 32
_MIB = 1 << 20
_SCALAR_BITS = 255
_TERM = 8
_CHUNK = 1 << 17
_IN_CHUNK = 128 + 32
_BUCKET = 128 + 1
_WIDTHS = range(3, 21)
_REDUCTION, _CHUNK_OF_BUCKET = (
    2.5,
    0.6,
)  # additions a bucket, and with every chunk: msm/tuning.hpp


def needs_of(circuit: CompiledCircuit, parameters: int) -> Needs:
    """Return what a circuit's partitions need; `parameters` is the size of the parameter file."""
    layout = AssignmentLayout(circuit.num_inputs, circuit.num_aux, circuit.root.sizes.wide, circuit.domain)
    variables = circuit.num_inputs + circuit.num_aux
    return Needs(
        assignment=layout.size,
        evaluations=2 * circuit.domain * _FR,
        synthesis=4 * _MIB + 3 * circuit.num_data * _FR,  # the data, and what they are put together from
        work=4 * _MIB + max(_FR * circuit.domain, _multiplication(max(circuit.domain, variables))),
        circuit=4 * _MIB + 2 * variables,
        parameters=max(1, parameters),
    )


def _multiplication(terms: int) -> int:
    """Return the bytes that a multi-scalar multiplication in G1 takes."""
    bucket = _REDUCTION + _CHUNK_OF_BUCKET * -(-terms // _CHUNK)
    width = min(_WIDTHS, key=lambda width: _windows(width) * (terms + bucket * _buckets(width)))
    return _TERM * terms + _IN_CHUNK * min(terms, _CHUNK) + _BUCKET * _windows(width) * _buckets(width)


def _windows(width: int) -> int:
    return _SCALAR_BITS // width + 1


def _buckets(width: int) -> int:
    return 1 << (width - 1)
