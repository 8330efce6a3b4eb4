"""Makes the vanilla proofs of a PoSt from sectors at hand, as a storage provider does."""

from collections.abc import Sequence

import numpy as np

from cuzk.errors import InputError
from cuzk.filecoin.inclusion import stack_paths
from cuzk.filecoin.post.challenges import leaf_challenges
from cuzk.filecoin.post.config import PostConfig
from cuzk.filecoin.post.vanilla import VanillaPost
from cuzk.filecoin.seal.sector import Sector
from cuzk.filecoin.versions import ApiVersion


def generate_vanilla(
    config: PostConfig, version: ApiVersion, randomness: bytes, sectors: Sequence[Sector], partition: int = 0
) -> VanillaPost:
    """Open the challenged leaves of a partition's sectors (of the one challenged sector, for WinningPoSt)."""
    if any(sector.shape != config.shape for sector in sectors):
        raise InputError(f"sectors: expected sectors of {config.shape.label} for {config.circuit_id}")
    if not sectors or (config.kind == "winning" and len(sectors) != 1):
        expected = "exactly one" if config.kind == "winning" else "at least one"
        raise InputError(f"sectors: expected {expected} for {config.circuit_id}, got {len(sectors)}")
    rows = list(sectors) * config.sectors if config.kind == "winning" else list(sectors)
    challenges = leaf_challenges(config, version, randomness, [sector.number for sector in rows], partition)
    paths = stack_paths([sector.tree.open(leaves) for sector, leaves in zip(rows, challenges, strict=True)])
    comm_r = {sector.number: sector.comm_r for sector in sectors}
    return VanillaPost(
        config,
        numbers=np.array([sector.number for sector in rows], dtype=np.uint64),
        comm_r=np.stack([comm_r[sector.number] for sector in rows]),
        comm_c=np.stack([sector.comm_c for sector in rows]),
        comm_r_last=np.stack([sector.comm_r_last for sector in rows]),
        roots=paths.roots,
        leaves=paths.leaves,
        siblings=paths.siblings,
        positions=paths.positions,
    )
