"""Groth16 verification: e(A, B) = e(α, β)·e(Σ x_i·ic_i, γ)·e(C, δ).

All of it is computed by arkworks, none by our own kernels: a mistake in those cannot pass unseen here.
"""

import secrets
from collections.abc import Sequence

import numpy as np

from cuzk.algebra import fr
from cuzk.algebra.arguments import require
from cuzk.algebra.arrays import check_elements
from cuzk.algebra.fr import FrArray
from cuzk.algebra.pairing import combination, product_is_one
from cuzk.errors import InputError
from cuzk.groth16.proof import Proof
from cuzk.groth16.verifying_key import VerifyingKey

_SOUNDNESS_BITS = 128


def verify(key: VerifyingKey, public_inputs: FrArray, proof: Proof) -> bool:
    """Say whether a proof is valid for public inputs, Fr[n] without ONE; InputError if the circuit has not n."""
    return _check(key, [(public_inputs, proof)], [1])


def verify_batch(key: VerifyingKey, statements: Sequence[tuple[FrArray, Proof]]) -> bool:
    """Say whether all proofs are valid, with n + 3 pairings in one product.

    Each equation is raised to a random power of 128 bits; a batch with an invalid proof passes with a probability of
    about 2^-128. Raises InputError for an empty batch.
    """
    if not all(isinstance(statement, tuple) and len(statement) == 2 for statement in statements):
        raise InputError("a batch: expected pairs of public inputs and a Proof")
    if not statements:
        raise InputError("a batch needs at least one proof")
    weights = [1 + secrets.randbelow((1 << _SOUNDNESS_BITS) - 1) for _ in statements]
    return _check(key, statements, weights)


def _check(key: VerifyingKey, statements: Sequence[tuple[FrArray, Proof]], weights: Sequence[int]) -> bool:
    """Check Π e(ρ_k·A_k, B_k) · e(−(Σ ρ_k)·α, β) · e(−Σ ρ_k·(1, x_k)·ic, γ) · e(−Σ ρ_k·C_k, δ) = 1."""
    require("key", key, VerifyingKey, "that of parameters is .verifying_key")
    for public_inputs, proof in statements:
        check_elements(public_inputs, 4, "public inputs")
        require("proof", proof, Proof, "Proof.parse reads one from bytes")
    inputs = _weighted_inputs(key.num_inputs, [inputs for inputs, _ in statements], weights)
    left = [combination(proof.a[np.newaxis], [rho]) for (_, proof), rho in zip(statements, weights, strict=True)]
    right = [
        combination(key.alpha_g1[np.newaxis], [_negated(sum(weights))]),
        combination(key.ic, [_negated(x) for x in inputs]),
        combination(np.stack([proof.c for _, proof in statements]), [_negated(rho) for rho in weights]),
    ]
    g2_points = [*(proof.b for _, proof in statements), key.beta_g2, key.gamma_g2, key.delta_g2]
    return product_is_one(np.stack([*left, *right]), np.stack(g2_points))


def _weighted_inputs(count: int, all_inputs: Sequence[FrArray], weights: Sequence[int]) -> list[int]:
    """Return Σ ρ_k·(1, x_k), one integer an input."""
    totals = [sum(weights), *([0] * (count - 1))]
    for public_inputs, rho in zip(all_inputs, weights, strict=True):
        if len(public_inputs) != count - 1:
            raise InputError(f"expected {count - 1} public inputs, got {len(public_inputs)}")
        for place, value in enumerate(fr.to_ints(public_inputs), start=1):
            if value >= fr.MODULUS:
                raise InputError(f"public input {place - 1} is not below the group order")
            totals[place] += rho * value
    return totals


def _negated(scalar: int) -> int:
    return -scalar % fr.MODULUS
