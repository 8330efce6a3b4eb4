"""Circuits: traced once, replayed everywhere. See docs/circuits.md."""

from cuzk.r1cs.builder import ConstraintSystem, template
from cuzk.r1cs.compiled import CompiledCircuit
from cuzk.r1cs.handles import Handle
from cuzk.r1cs.linear import ONE, LinearCombination, Variable
from cuzk.r1cs.satisfied import check_satisfied
from cuzk.r1cs.synthesis import Synthesizer
from cuzk.r1cs.values import Value

__all__ = [
    "ONE",
    "CompiledCircuit",
    "ConstraintSystem",
    "Handle",
    "LinearCombination",
    "Synthesizer",
    "Value",
    "Variable",
    "check_satisfied",
    "template",
]
