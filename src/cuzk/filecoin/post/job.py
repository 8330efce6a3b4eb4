"""A decoded PoSt request: one partition, its statement and its vanilla proofs."""

from dataclasses import dataclass
from typing import Any

from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr, hex_of, mask_randomness
from cuzk.filecoin.post.challenges import leaf_challenges
from cuzk.filecoin.post.circuit import witness_data
from cuzk.filecoin.post.codec import decode
from cuzk.filecoin.post.config import PostConfig
from cuzk.filecoin.post.public_inputs import assemble
from cuzk.filecoin.post.vanilla import VanillaPost
from cuzk.filecoin.post.verify import verify_vanilla
from cuzk.filecoin.registered import PostProof
from cuzk.filecoin.request import Request
from cuzk.filecoin.versions import ApiVersion

#: The network's limit on partitions in a deadline; circuits set none, since the index enters the challenges alone.
#: Source: builtin-actors, runtime/src/runtime/policy.rs (MAX_PARTITIONS_PER_DEADLINE).
MAX_PARTITIONS = 3000


@dataclass(frozen=True)
class PostJob:
    """One PoSt partition: what is to be proved, and the vanilla proofs."""

    config: PostConfig
    version: ApiVersion
    randomness: bytes
    partition_index: int
    proofs: VanillaPost

    @property
    def circuit_id(self) -> str:
        """The circuit of its one partition."""
        return self.config.circuit_id

    @property
    def partitions(self) -> int:
        """A PoSt request is one partition."""
        return 1

    @property
    def nbytes(self) -> int:
        """Memory of the decoded vanilla proofs."""
        return self.proofs.nbytes

    def verify_vanilla(self, threads: int = 1) -> None:
        """Check the vanilla proofs; InputError names sector, challenge and part of the first that fails."""
        verify_vanilla(self.proofs, self._challenges(), threads)

    def public_inputs(self, partition: int = 0) -> Fr:
        """Return the public inputs without ONE, Fr[config.public_inputs]."""
        self._check(partition)
        return assemble(self.config, self.proofs.comm_r, self._challenges())

    def witness_data(self, partition: int = 0) -> Fr:
        """Return what synthesis takes."""
        self._check(partition)
        return witness_data(self.proofs)

    def describe(self) -> dict[str, Any]:
        """Say what is to be proved: the sectors, their commitments and challenged leaves."""
        challenges = self._challenges()
        rows = range(1) if self.config.kind == "winning" else range(self.proofs.sectors)
        leaves = challenges.reshape(1, -1) if self.config.kind == "winning" else challenges
        return {
            "circuit": self.circuit_id,
            "api_version": self.version.value,
            "partition_index": self.partition_index,
            "randomness": self.randomness.hex(),
            "sectors": [
                {
                    "number": int(self.proofs.numbers[row]),
                    "comm_r": hex_of(self.proofs.comm_r[row]),
                    "comm_c": hex_of(self.proofs.comm_c[row]),
                    "comm_r_last": hex_of(self.proofs.comm_r_last[row]),
                    "challenges": leaves[row].tolist(),
                }
                for row in rows
            ],
        }

    @staticmethod
    def _check(partition: int) -> None:
        if partition != 0:
            raise InputError(f"partition: a PoSt request has one partition, index 0; got {partition}")

    def _challenges(self) -> Fr:
        numbers = [int(number) for number in self.proofs.numbers]
        return leaf_challenges(self.config, self.version, self.randomness, numbers, self.partition_index)


def decode_request(proof: PostProof, request: Request) -> PostJob:
    """Decode a PoSt request whose registered proof is `proof`."""
    request.require_sector_size(proof.shape.size, proof.name)
    partition = request.partition_index if proof.kind == "wpost" else 0
    if not 0 <= partition < MAX_PARTITIONS:
        raise InputError(f"partition_index: expected 0 to {MAX_PARTITIONS - 1}, got {partition}")
    randomness = mask_randomness(request.randomness)
    return PostJob(proof.config, proof.version, randomness, partition, decode(proof.config, request.vanilla_proofs))
