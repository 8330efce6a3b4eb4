"""The one Groth16 prover, in two halves so that the device is free while the CPU finishes.

With z = inputs then aux, H the quotient's coefficients and r, s the blinding scalars (bellperson, groth16/prover):

    A  = α + Σ a_i·z_i + r·δ                  (G1)
    B  = β + Σ b_i·z_i + s·δ                  (G2; B1 the same in G1)
    C  = Σ l_i·aux_i + Σ h_i·H_i + s·A + r·B1 − r·s·δ

`prove_start` runs the quotient and the MSMs over h, l and the aux parts of a and b_g1 on the device. `prove_finish`
runs the G2 MSM, adds the inputs' parts and assembles, on the CPU.
"""

import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import bitmap, fr
from cuzk.algebra.arguments import require, wrong_type
from cuzk.algebra.group import G1, G2, Group, Points
from cuzk.algebra.scalars import PackedScalars
from cuzk.devices import CpuDevice, Device
from cuzk.errors import InputError
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.circuit import Density
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.proof import Proof


@dataclass(frozen=True, eq=False)
class Pending:
    """A proof whose device work is done: the four sums, and what the G2 MSM still needs."""

    parameters: Parameters
    density: Density
    inputs: NDArray[np.uint64]
    aux: PackedScalars
    r: int
    s: int
    h_sum: Points
    l_sum: Points
    a_aux_sum: Points
    b1_aux_sum: Points


def prove_start(
    device: Device,
    parameters: Parameters,
    density: Density,
    assignment: Assignment,
    *,
    r: int | None = None,
    s: int | None = None,
) -> Pending:
    """Do a proof's device work, holding the device; consumes the assignment's evaluations a and b.

    `r` and `s` come from the operating system unless given (for reproducible tests alone: equal values for two proofs
    give the witness away). Raises InputError if the parameters are not those of the assignment's circuit.
    """
    if not hasattr(device, "msm"):
        raise wrong_type("device", "Device", device, "CpuDevice() is one")
    require("parameters", parameters, Parameters, "Parameters.open reads them from a file")
    require("density", density, Density, "that of a circuit is .density")
    require("assignment", assignment, Assignment, "Assignment.from_witness makes one")
    parameters.check_fits(len(assignment.inputs), assignment.aux.length, assignment.domain, density)
    r, s = (_blinding(name, value) for name, value in (("r", r), ("s", s)))
    first_aux_in_a = len(assignment.inputs)
    first_aux_in_b = bitmap.popcount(density.b_inputs)
    aux = assignment.aux
    with device.exclusive():
        quotient = device.quotient(*assignment.take_evaluations())
        h_sum = device.msm(parameters.bases(device, "h"), quotient)
        del quotient
        l_sum = device.msm(parameters.bases(device, "l"), aux)
        a_aux_sum = device.msm(parameters.bases(device, "a", start=first_aux_in_a), aux, density.a_aux)
        b1_aux_sum = device.msm(parameters.bases(device, "b_g1", start=first_aux_in_b), aux, density.b_aux)
    return Pending(parameters, density, assignment.inputs, aux, r, s, h_sum, l_sum, a_aux_sum, b1_aux_sum)


def prove_finish(pending: Pending, *, threads: int = 1) -> Proof:
    """Finish a proof on the CPU: the G2 MSM and the assembly."""
    parameters, density, key = pending.parameters, pending.density, pending.parameters.verifying_key
    inputs, cpu = pending.inputs, CpuDevice(threads)
    inputs_in_b = bitmap.popcount(density.b_inputs)
    a_inputs_sum = cpu.msm(parameters.bases(cpu, "a", end=len(inputs)), inputs)
    b1_inputs_sum = cpu.msm(parameters.bases(cpu, "b_g1", end=inputs_in_b), inputs, density.b_inputs)
    b2_inputs_sum = cpu.msm(parameters.bases(cpu, "b_g2", end=inputs_in_b), inputs, density.b_inputs)
    b2_aux_sum = cpu.msm(parameters.bases(cpu, "b_g2", start=inputs_in_b), pending.aux, density.b_aux)
    r, s = pending.r, pending.s
    a = _combine(G1, [(1, key.alpha_g1), (1, pending.a_aux_sum), (1, a_inputs_sum), (r, key.delta_g1)])
    b1 = _combine(G1, [(1, key.beta_g1), (1, pending.b1_aux_sum), (1, b1_inputs_sum), (s, key.delta_g1)])
    b = _combine(G2, [(1, key.beta_g2), (1, b2_aux_sum), (1, b2_inputs_sum), (s, key.delta_g2)])
    c = _combine(G1, [(1, pending.l_sum), (1, pending.h_sum), (s, a), (r, b1), (-r * s, key.delta_g1)])
    return Proof(a, b, c)


def prove(
    device: Device,
    parameters: Parameters,
    density: Density,
    assignment: Assignment,
    *,
    r: int | None = None,
    s: int | None = None,
    threads: int = 1,
) -> Proof:
    """Make a proof in one go: `prove_start`, then `prove_finish` with `threads`."""
    return prove_finish(prove_start(device, parameters, density, assignment, r=r, s=s), threads=threads)


def _blinding(name: str, value: int | None) -> int:
    if value is None:
        return secrets.randbelow(fr.MODULUS)
    require(name, value, int)
    if not 0 <= value < fr.MODULUS:
        raise InputError(f"{name} must be a scalar below the group order")
    return value


def _combine(group: Group, terms: list[tuple[int, Points]]) -> Points:
    scalars = fr.from_ints([scalar % fr.MODULUS for scalar, _ in terms])
    return group.msm(np.stack([point for _, point in terms]), scalars)
