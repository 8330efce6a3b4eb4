"""Verification of PoSt vanilla proofs before anything is synthesized: what fails is named by sector and challenge.

An unsatisfied circuit would only show after all the work, as a proof that does not verify. The checks are those of
rust-fil-proofs, storage-proofs-post/src/fallback/vanilla.rs (`verify`), plus that comm_r_last is every path's root,
which there only the circuit demands. All challenges of a partition are hashed together.
"""

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import poseidon
from cuzk.errors import InputError
from cuzk.filecoin.commitments import first_false, hex_of
from cuzk.filecoin.post.vanilla import VanillaPost


def verify_vanilla(proofs: VanillaPost, challenges: NDArray[np.uint64], threads: int = 1) -> None:
    """Raise InputError unless the proofs open exactly the `challenges` (uint64[s, c], as `leaf_challenges` gives them).

    The sentence names the sector, the challenge and the part that fails: comm_r_last, comm_r, the leaf's index, or the
    path.
    """
    _check_roots(proofs)
    _check_commitments(proofs, threads)
    _check_leaf_indices(proofs, challenges)
    _check_paths(proofs, threads)


def _check_roots(proofs: VanillaPost) -> None:
    equal = (proofs.roots == proofs.comm_r_last[:, np.newaxis]).all(axis=-1)
    if equal.all():
        return
    sector, challenge = first_false(equal)
    of_sector = equal if proofs.config.kind == "winning" else equal[sector]
    if not of_sector.any():
        raise InputError(
            f"{proofs.place(sector)}: comm_r_last {hex_of(proofs.comm_r_last[sector])} is the root of none of its "
            f"paths, the first of which has {hex_of(proofs.roots[sector, 0])}"
        )
    raise InputError(
        f"{proofs.place(sector, challenge)}: root of the path: "
        f"expected comm_r_last {hex_of(proofs.comm_r_last[sector])}, got {hex_of(proofs.roots[sector, challenge])}"
    )


def _check_commitments(proofs: VanillaPost, threads: int) -> None:
    hashes = poseidon.hash(np.stack([proofs.comm_c, proofs.comm_r_last], axis=1), threads)
    equal = (hashes == proofs.comm_r).all(axis=-1)
    if equal.all():
        return
    (sector,) = first_false(equal)
    raise InputError(
        f"{proofs.place(sector)}: comm_r is not the hash of comm_c and comm_r_last: expected {hex_of(hashes[sector])}, "
        f"got {hex_of(proofs.comm_r[sector])}"
    )


def _check_leaf_indices(proofs: VanillaPost, challenges: NDArray[np.uint64]) -> None:
    leaves = proofs.paths.leaf_indices()
    equal = leaves == challenges
    if equal.all():
        return
    sector, challenge = first_false(equal)
    raise InputError(
        f"{proofs.place(sector, challenge)}: index of the path: expected leaf {challenges[sector, challenge]} by the "
        f"randomness, got leaf {leaves[sector, challenge]}"
    )


def _check_paths(proofs: VanillaPost, threads: int) -> None:
    roots = proofs.paths.climb(lambda rows: poseidon.hash(rows, threads))[-1]
    equal = (roots == proofs.roots).all(axis=-1)
    if equal.all():
        return
    sector, challenge = first_false(equal)
    leaf, root = proofs.leaves[sector, challenge], roots[sector, challenge]
    raise InputError(
        f"{proofs.place(sector, challenge)}: the path from leaf {hex_of(leaf)} does not lead to comm_r_last: "
        f"expected {hex_of(proofs.roots[sector, challenge])}, got {hex_of(root)}"
    )
