"""A decoded request for a sector update: the statement and the vanilla proofs of all its partitions."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.partitioned import PartitionedJob
from cuzk.filecoin.registered import UpdateProof
from cuzk.filecoin.request import Request
from cuzk.filecoin.update.circuit import witness_data
from cuzk.filecoin.update.codec import decode
from cuzk.filecoin.update.config import UpdateConfig, update_config
from cuzk.filecoin.update.public_inputs import partition_public_inputs
from cuzk.filecoin.update.statement import UpdateStatement, update_challenges
from cuzk.filecoin.update.vanilla import VanillaUpdate
from cuzk.filecoin.update.verify import verify_vanilla


@dataclass(frozen=True)
class UpdateJob(PartitionedJob):
    """One sector's update."""

    proof: UpdateProof
    statement: UpdateStatement
    vanilla: VanillaUpdate

    @property
    def config(self) -> UpdateConfig:
        """The circuit of its partitions."""
        return self.vanilla.config

    def verify_vanilla(self, threads: int = 1) -> None:
        """Check the vanilla proofs; InputError names partition, challenge and check of the first that fails."""
        verify_vanilla(self.vanilla, self.statement, self._challenges, threads)

    def partition_public_inputs(self, partition: int) -> Fr:
        """Return a partition's public inputs without ONE, Fr[4]."""
        return partition_public_inputs(self.config, self.statement, partition)

    def partition_witness_data(self, partition: int) -> Fr:
        """Return what synthesis of a partition takes."""
        return witness_data(self.statement, self.vanilla, partition)

    def describe(self) -> dict[str, Any]:
        """Say what is to be proved: the commitments and the challenged nodes."""
        return {
            "circuit": self.circuit_id,
            "registered_proof": self.proof.name,
            "comm_r_old": self.statement.comm_r_old.hex(),
            "comm_d_new": self.statement.comm_d_new.hex(),
            "comm_r_new": self.statement.comm_r_new.hex(),
            "challenges": self._challenges.tolist(),
        }

    @cached_property
    def _challenges(self) -> NDArray[np.int64]:
        return update_challenges(self.config, self.statement)


def decode_request(proof: UpdateProof, request: Request) -> UpdateJob:
    """Decode an update request whose registered proof is `proof`."""
    request.require_sector_size(proof.shape.size, proof.name)
    statement = UpdateStatement(request.comm_r_old, request.comm_d_new, request.comm_r_new)
    return UpdateJob(proof, statement, decode(update_config(proof.shape), request.vanilla_proofs))
