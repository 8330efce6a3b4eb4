"""Groth16 over BLS12-381, byte for byte as bellperson has it: setup, prover, verifier and their files."""

from cuzk.groth16.assignment import Assignment, AssignmentLayout
from cuzk.groth16.circuit import Circuit, Density, FlatCircuit, RowBlock
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.points import Check
from cuzk.groth16.proof import PROOF_SIZE, Proof, join_proofs, split_proofs
from cuzk.groth16.prover import Pending, prove, prove_finish, prove_start
from cuzk.groth16.r1cs_file import read_r1cs, write_r1cs
from cuzk.groth16.setup import setup
from cuzk.groth16.toxic_waste import ToxicWaste
from cuzk.groth16.verifier import verify, verify_batch
from cuzk.groth16.verifying_key import VerifyingKey
from cuzk.groth16.witness_file import (
    read_public_inputs,
    read_witness,
    write_public_inputs,
    write_witness,
)

__all__ = [
    "PROOF_SIZE",
    "Assignment",
    "AssignmentLayout",
    "Check",
    "Circuit",
    "Density",
    "FlatCircuit",
    "Parameters",
    "Pending",
    "Proof",
    "RowBlock",
    "ToxicWaste",
    "VerifyingKey",
    "join_proofs",
    "prove",
    "prove_finish",
    "prove_start",
    "read_public_inputs",
    "read_r1cs",
    "read_witness",
    "setup",
    "split_proofs",
    "verify",
    "verify_batch",
    "write_public_inputs",
    "write_r1cs",
    "write_witness",
]
