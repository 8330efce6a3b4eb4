"""What the fixtures' `r1cs/*.json` say of a circuit, computed of ours."""

from cuzk.algebra import bitmap
from cuzk.r1cs import CompiledCircuit


def counts(circuit: CompiledCircuit) -> dict[str, object]:
    density = circuit.density
    return {
        "num_inputs_incl_one": circuit.num_inputs,
        "num_aux": circuit.num_aux,
        "num_constraints": circuit.num_constraints,
        "fft_domain": circuit.domain,
        "nnz_a_b_c": list(circuit.nonzeros),
        "density_a_inputs_a_aux_b_inputs_b_aux_incl_input_rows": [
            circuit.num_inputs,
            bitmap.popcount(density.a_aux),
            bitmap.popcount(density.b_inputs),
            bitmap.popcount(density.b_aux),
        ],
    }
