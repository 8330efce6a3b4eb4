"""Verification of PoSt vanilla proofs before anything is synthesized: what fails is named by sector and challenge.

An unsatisfied circuit would only show after all the work, as a proof that does not verify. The checks are those of
rust-fil-proofs, storage-proofs-post/src/fallback/vanilla.rs (`verify`), plus that comm_r_last is every path's root,
which there only the circuit demands. All challenges of a partition are hashed together.
"""

import numpy as np
from numpy.typing import NDArray

from cuzk.algebra import poseidon
from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr, hex_of
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
    sector, challenge = _first_false(equal)
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
    (sector,) = _first_false(equal)
    raise InputError(
        f"{proofs.place(sector)}: comm_r is not the hash of comm_c and comm_r_last: expected {hex_of(hashes[sector])}, "
        f"got {hex_of(proofs.comm_r[sector])}"
    )


def _check_leaf_indices(proofs: VanillaPost, challenges: NDArray[np.uint64]) -> None:
    leaves = proofs.leaf_indices()
    equal = leaves == challenges
    if equal.all():
        return
    sector, challenge = _first_false(equal)
    raise InputError(
        f"{proofs.place(sector, challenge)}: index of the path: expected leaf {challenges[sector, challenge]} by the "
        f"randomness, got leaf {leaves[sector, challenge]}"
    )


def _check_paths(proofs: VanillaPost, threads: int) -> None:
    nodes = proofs.leaves.reshape(-1, 4)
    for step, siblings in enumerate(proofs.siblings):
        arity = proofs.config.shape.path_arities[step]
        positions = proofs.positions[..., step].reshape(-1)
        nodes = poseidon.hash(_insert(siblings.reshape(-1, arity - 1, 4), positions, nodes), threads)
    equal = (nodes.reshape(proofs.roots.shape) == proofs.roots).all(axis=-1)
    if equal.all():
        return
    sector, challenge = _first_false(equal)
    leaf, root = proofs.leaves[sector, challenge], nodes.reshape(proofs.roots.shape)[sector, challenge]
    raise InputError(
        f"{proofs.place(sector, challenge)}: the path from leaf {hex_of(leaf)} does not lead to comm_r_last: "
        f"expected {hex_of(proofs.roots[sector, challenge])}, got {hex_of(root)}"
    )


def _insert(siblings: Fr, positions: NDArray[np.uint8], nodes: Fr) -> Fr:
    """Return [n, arity]: each row's siblings in order, with its node inserted at its position."""
    arity = siblings.shape[1] + 1
    slots = np.arange(arity)
    sources = np.minimum(slots - (slots > positions[:, np.newaxis]), arity - 2)
    rows = np.take_along_axis(siblings, sources[:, :, np.newaxis], axis=1)
    rows[np.arange(len(rows)), positions] = nodes
    return rows


def _first_false(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(index) for index in np.unravel_index(int(mask.argmin()), mask.shape))
