"""How much memory a partition takes beside its segment, from the sizes of its circuit.

It is the third vector of the quotient (native/ntt), or what the largest multi-scalar multiplications take, whichever is
more: a list of the terms; where these are few, their digits in a window and the buckets of all windows
(native/msm/pippenger.hpp), else a chunk of their points and digits, and the buckets of all digits
(native/msm/many_terms.hpp). In G1 that over h has most terms; the one in G2 has fewer, and points of twice the size.
`benchmarks/engine.py kernels` measures each stage and `benchmarks/engine.py memory` the whole.
"""

from cuzk.algebra.fr import MODULUS
from cuzk.engine.kinds import Needs
from cuzk.groth16.assignment import AssignmentLayout
from cuzk.r1cs.compiled import CompiledCircuit

_FR = 32
_MIB = 1 << 20
_SCALAR_BITS = 255
_TERM = 8
_ENTRY = 4
_IN_WINDOW = 8  # a digit, and the entry that it is sorted into
_POINT = {"g1": 128, "g2": 256}
_MANY = 1 << 16  # more terms are taken in chunks
_CHUNK = 29 * _MIB  # of points, each with its images
_DIGITS, _DIGIT, _DIGIT_BUCKETS = 16, 2, 10923
_WIDTHS = range(3, 21)
_BUCKET = 3.1  # additions that a bucket costs
_TOGETHER = 4096  # buckets of narrow windows that are filled together


def needs_of(circuit: CompiledCircuit, parameters: int) -> Needs:
    """Return what a circuit's partitions need; `parameters` is the size of the parameter file."""
    layout = AssignmentLayout(circuit.num_inputs, circuit.num_aux, circuit.root.sizes.wide, circuit.domain)
    variables = circuit.num_inputs + circuit.num_aux
    wide = circuit.num_inputs + circuit.root.sizes.wide  # the others are 0 or 1, which are no terms
    # The allocator still holds what the multiplications in G1 freed when that in G2 runs.
    multiplications = _multiplication("g1", max(circuit.domain, wide)) + _multiplication("g2", wide)
    return Needs(
        assignment=layout.size,
        evaluations=2 * circuit.domain * _FR,
        synthesis=4 * _MIB + 3 * circuit.num_data * _FR,  # the data, and what they are put together from
        work=4 * _MIB + max(_FR * circuit.domain, multiplications),
        circuit=4 * _MIB + 2 * variables,
        parameters=max(1, parameters),
    )


def _multiplication(group: str, terms: int) -> int:
    """Return the bytes that a multi-scalar multiplication takes."""
    point = _POINT[group]
    if terms > _MANY:
        chunk = min(terms, _CHUNK // (2 * point))
        return _TERM * terms + (2 * point + _DIGITS * _DIGIT + _ENTRY) * chunk + _DIGITS * _DIGIT_BUCKETS * point
    width = min(_WIDTHS, key=lambda width: _windows(width) * terms + _BUCKET * _all_buckets(width))
    together = max(1, _TOGETHER // _buckets(width))
    return _TERM * terms + _IN_WINDOW * terms * together + point * _all_buckets(width)


def _windows(width: int) -> int:
    return -(-_SCALAR_BITS // width)


def _buckets(width: int) -> int:
    return 1 << (width - 1)


def _all_buckets(width: int) -> int:
    """Return the buckets of all windows; the top one has as many as the modulus lets it."""
    below = _windows(width) - 1
    return below * _buckets(width) + ((MODULUS - 1) >> (below * width)) + 1
