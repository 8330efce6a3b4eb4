"""The public inputs of a PoSt circuit: for each sector comm_r, then the leaf index of each challenge.

A partition with fewer sectors than the circuit repeats its last sector's inputs.
Source: rust-fil-proofs, storage-proofs-post/src/fallback/compound.rs (generate_public_inputs).
"""

from collections.abc import Sequence
from dataclasses import dataclass

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
    rows: list[list[bytes | int]] = [
        [check_commitment(f"comm_r of sector {sector.number}", sector.comm_r), *leaves]
        for sector, leaves in zip(sectors, challenges.tolist(), strict=True)
    ]
    rows.extend([rows[-1]] * (config.sectors - len(rows)))
    return stack(value for row in rows for value in row)


def winning_public_inputs(shape: SectorShape, randomness: bytes, sector: PublicSector) -> Fr:
    """Return the public inputs of a WinningPoSt: 66 times (comm_r, leaf index) of the one challenged sector."""
    config = winning_config(shape)
    return partition_public_inputs(config, ApiVersion.V1_0, randomness, [sector] * config.sectors)
