"""Which leaves of which sector a PoSt must open.

challenge = SHA-256(randomness ‖ u64 sector ‖ u64 index), its first 8 bytes as a little-endian u64, mod nodes.
Source: rust-fil-proofs, storage-proofs-post/src/fallback/{vanilla,utils}.rs.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import InputError
from cuzk.filecoin.commitments import mask_randomness
from cuzk.filecoin.post.config import PostConfig, challenge_rule
from cuzk.filecoin.versions import ApiVersion

_U64 = 1 << 64


def leaf_challenges(
    config: PostConfig, version: ApiVersion, randomness: bytes, sectors: Sequence[int], partition: int = 0
) -> NDArray[np.uint64]:
    """Return the challenged leaves of a partition, uint64[sectors, challenges].

    `sectors` are the sector numbers in the order of the partition, at most `config.sectors` of them. For WinningPoSt
    give the one sector `config.sectors` times. V1.0 and V1.1 number the challenges through all partitions; V1.2 starts
    again at every sector, so that a sector's challenges do not depend on its place.
    """
    if len(sectors) > config.sectors:
        raise InputError(
            f"sectors: expected at most {config.sectors} in a {config.circuit_id} partition, got {len(sectors)}"
        )
    if not 0 <= partition < _U64 // (config.sectors * config.challenges):
        raise InputError(f"partition_index: expected a small non-negative number, got {partition}")
    rule = challenge_rule(config.kind, version)
    seed = hashlib.sha256(mask_randomness(randomness))
    challenges = np.empty((len(sectors), config.challenges), dtype=np.uint64)
    for position, sector in enumerate(sectors):
        if not 0 <= sector < _U64:
            raise InputError(f"sector number: expected an unsigned 64-bit number, got {sector}")
        first = 0 if rule is ApiVersion.V1_2 else (partition * config.sectors + position) * config.challenges
        of_sector = seed.copy()
        of_sector.update(sector.to_bytes(8, "little"))
        for n in range(config.challenges):
            digest = of_sector.copy()
            digest.update((first + n).to_bytes(8, "little"))
            challenges[position, n] = int.from_bytes(digest.digest()[:8], "little") % config.shape.nodes
    return challenges
