"""Witnesses as the fixtures record them."""

import hashlib

from cuzk.algebra import fr
from cuzk.groth16.assignment import Assignment


def witness_digest(assignment: Assignment) -> str:
    """The `sha256_inputs_then_aux_le32` of a witness."""
    return hashlib.sha256(fr.to_bytes(assignment.z)).hexdigest()
