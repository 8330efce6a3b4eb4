"""The public inputs of a PoSt circuit: for each sector comm_r, then the leaf index of each challenge.

A partition with fewer sectors than the circuit repeats its last sector's inputs.
Source: rust-fil-proofs, storage-proofs-post/src/fallback/compound.rs (generate_public_inputs).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr, check_commitment, stack
from cuzk.filecoin.post.challenges import leaf_challenges
from cuzk.filecoin.post.config import PostConfig, winning_config
from cuzk.filecoin.sectors import SectorShape
from cuzk.filecoin.versions import ApiVersion


@dataclass(frozen=True)
class PublicSector:
    """What a verifier knows of a sector: its number and comm_r (32 bytes, little-endian)."""

    number: int
    comm_r: bytes


def partition_public_inputs(
    config: PostConfig, version: ApiVersion, randomness: bytes, sectors: Sequence[PublicSector], partition: int = 0
) -> Fr:
    """Return the public inputs of one partition without the leading ONE, Fr[config.public_inputs]."""
    if not sectors:
        raise InputError("sectors: expected at least one, got none")
    challenges = leaf_challenges(config, version, randomness, [sector.number for sector in sectors], partition)
    comm_r = stack(check_commitment(f"comm_r of sector {sector.number}", sector.comm_r) for sector in sectors)
    return assemble(config, comm_r, challenges)


def winning_public_inputs(shape: SectorShape, randomness: bytes, sector: PublicSector) -> Fr:
    """Return the public inputs of a WinningPoSt: 66 times (comm_r, leaf index) of the one challenged sector."""
    config = winning_config(shape)
    return partition_public_inputs(config, ApiVersion.V1_0, randomness, [sector] * config.sectors)


def assemble(config: PostConfig, comm_r: Fr, challenges: NDArray[np.uint64]) -> Fr:
    """Lay out comm_r (Fr[s]) and the challenged leaves (uint64[s, c]) as public inputs, repeating the last sector."""
    inputs = np.zeros((config.sectors, 1 + config.challenges, 4), dtype=np.uint64)
    rows = np.minimum(np.arange(config.sectors), len(comm_r) - 1)
    inputs[:, 0] = comm_r[rows]
    inputs[:, 1:, 0] = challenges[rows]
    return inputs.reshape(-1, 4)
