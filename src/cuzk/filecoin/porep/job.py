"""A decoded PoRep request: the statement and the vanilla proofs of all its partitions."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuzk.errors import InputError
from cuzk.filecoin.commitments import Fr
from cuzk.filecoin.partitioned import PartitionedJob
from cuzk.filecoin.porep.challenges import Challenges, porep_challenges
from cuzk.filecoin.porep.circuit import witness_data
from cuzk.filecoin.porep.codec import decode, read_payload, statement_of
from cuzk.filecoin.porep.config import PorepConfig
from cuzk.filecoin.porep.graph import StackedGraph
from cuzk.filecoin.porep.public_inputs import partition_public_inputs
from cuzk.filecoin.porep.statement import PorepStatement, replica_id
from cuzk.filecoin.porep.vanilla import VanillaPorep
from cuzk.filecoin.porep.verify import verify_vanilla
from cuzk.filecoin.registered import SealProof, seal_proof_named
from cuzk.filecoin.request import Request


@dataclass(frozen=True)
class PorepJob(PartitionedJob):
    """One sector's PoRep."""

    proof: SealProof
    statement: PorepStatement
    vanilla: VanillaPorep
    sector_number: int
    miner_id: int

    @property
    def config(self) -> PorepConfig:
        """The circuit of its partitions."""
        return self.proof.config

    @property
    def partitions(self) -> int:
        """How many proofs it takes: a non-interactive one takes more."""
        return self.proof.partitions

    def verify_vanilla(self, threads: int = 1) -> None:
        """Check the vanilla proofs; InputError names partition, challenge and check of the first that fails."""
        verify_vanilla(self.vanilla, self.statement, self._challenges, self._parents, threads, self._replica_id)

    def partition_public_inputs(self, partition: int) -> Fr:
        """Return a partition's public inputs without ONE, Fr[3 + 18 × challenges]."""
        return partition_public_inputs(self.statement, self._challenges[partition], self._parents[partition])

    def partition_witness_data(self, partition: int) -> Fr:
        """Return what synthesis of a partition takes."""
        return witness_data(self.statement, self.vanilla, partition)

    def describe(self) -> dict[str, Any]:
        """Say what is to be proved: the sector, its commitments and the challenged nodes."""
        return {
            "circuit": self.circuit_id,
            "registered_proof": self.proof.name,
            "api_version": self.proof.version.value,
            "sector_number": self.sector_number,
            "comm_d": self.statement.comm_d.hex(),
            "comm_r": self.statement.comm_r.hex(),
            "replica_id": self.statement.replica_id.hex(),
            "ticket": self.statement.ticket.hex(),
            "seed": self.statement.seed.hex(),
            "challenges": self._challenges.tolist(),
        }

    @property
    def _replica_id(self) -> bytes | None:
        """What replica_id must be, if the request says for whom the sector is sealed."""
        if not (self.miner_id or self.sector_number):
            return None
        ticket, comm_d = self.statement.ticket, self.statement.comm_d
        return replica_id(self.miner_id, self.sector_number, ticket, comm_d, self.proof.porep_id)

    @cached_property
    def _challenges(self) -> Challenges:
        return porep_challenges(self.proof, self.statement)

    @cached_property
    def _parents(self) -> NDArray[np.uint32]:
        graph = StackedGraph(self.proof.shape.nodes, self.proof.porep_id, self.proof.version)
        parents = graph.parents(self._challenges.reshape(-1))
        return parents.reshape(*self._challenges.shape, -1)


def decode_request(proof: SealProof, request: Request) -> PorepJob:
    """Decode a PoRep request for the circuit of `proof`.

    The registered proof that the phase 1 output names is the one that counts; the request's number must agree, or be 0
    (which is also what clients send who leave it out).
    """
    request.require_sector_size(proof.shape.size, proof.name)
    wrapper, document = read_payload(request.vanilla_proof)
    if isinstance(document.registered_proof, str):
        named = seal_proof_named(document.registered_proof)
        if request.registered_proof not in (0, named.number) or named.config != proof.config:
            raise InputError(
                f"registered_proof: expected {named.number}, since the phase 1 output is of {named.name}, "
                f"got {request.registered_proof}"
            )
        proof = named
    if wrapper is not None and wrapper.sector_size != proof.shape.size:
        raise InputError(
            f"vanilla_proof: SectorSize: expected {proof.shape.size} for {proof.name}, got {wrapper.sector_size}"
        )
    if wrapper is not None and request.miner_id and wrapper.sector_num != request.sector_number:
        raise InputError(
            f"vanilla_proof: SectorNum: expected {request.sector_number} as in sector_number, got {wrapper.sector_num}"
        )
    return PorepJob(proof, statement_of(document), decode(proof, document), request.sector_number, request.miner_id)
