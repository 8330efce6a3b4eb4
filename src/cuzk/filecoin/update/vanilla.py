"""The vanilla proofs of a sector update as arrays: all partitions and challenges together.

Source: rust-fil-proofs, storage-proofs-update/src/vanilla.rs (`PartitionProof`, `ChallengeProof`).
"""

from dataclasses import dataclass

from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.inclusion import InclusionPaths
from cuzk.filecoin.update.config import UpdateConfig


@dataclass(frozen=True)
class VanillaUpdate:
    """Vanilla proofs of p = `config.partitions` partitions with c = `config.challenges` challenges each.

    Elements are uint64[..., 4], canonical. The apex leaves of a partition are nodes of the new tree D, at height
    `config.apex_height`: those above the partition's part of the sector. Paths are described at InclusionPaths.
    """

    config: UpdateConfig
    comm_c: Fr  # [p, 4]
    apex_leaves: Fr  # [p, a, 4], a = config.apex_leaves
    old: InclusionPaths  # grid [p, c]: in tree R-last of the old replica
    data: InclusionPaths  # grid [p, c]: in tree D of the new data, binary, nodes hashed by SHA-256
    new: InclusionPaths  # grid [p, c]: in tree R-last of the new replica

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        paths = (self.old, self.data, self.new)
        return self.comm_c.nbytes + self.apex_leaves.nbytes + sum(path.nbytes for path in paths)


def place_of(partition: int, challenge: int) -> str:
    """Name a challenge as error messages do."""
    return f"partition {partition}, challenge {challenge}"
