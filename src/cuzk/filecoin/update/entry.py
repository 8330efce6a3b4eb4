"""The registry's entries for sector updates."""

from dataclasses import dataclass

from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.family import Family, FamilyEntry
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.registered import UPDATE_PROOFS, update_proof
from cuzk.filecoin.request import Request, default_priority
from cuzk.filecoin.seal.pretended import pretend_to_update
from cuzk.filecoin.seal.sector import MAX_SECTOR_SIZE, nodes_from_seed, sector_from_seed
from cuzk.filecoin.seal.updated import update
from cuzk.filecoin.sectors import SHAPES
from cuzk.filecoin.update.circuit import compiled_circuit
from cuzk.filecoin.update.codec import encode
from cuzk.filecoin.update.config import UpdateConfig, update_config
from cuzk.filecoin.update.generate import generate_vanilla
from cuzk.filecoin.update.job import UpdateJob, decode_request
from cuzk.r1cs.compiled import CompiledCircuit


@dataclass(frozen=True)
class UpdateEntry(FamilyEntry[UpdateConfig]):
    """One update circuit."""

    def circuit(self) -> CompiledCircuit:
        """Return the compiled circuit: mapped from the cache, or traced and left there."""
        return compiled_circuit(self.config)

    def decode(self, request: Request) -> UpdateJob:
        """Decode a request for this circuit; InputError names the field, what was expected and what came."""
        proof = update_proof(request.registered_proof)
        if proof.shape != self.shape:
            raise InputError(f"registered_proof: expected that of {self.circuit_id}, got {proof.name}")
        return decode_request(proof, request)

    def development_request(self, order: DevelopmentOrder, threads: int = 1) -> Request:
        """Return a request for new data in a development sector; an update cannot tell it from a sealed one."""
        number = next(proof.number for proof in UPDATE_PROOFS if proof.shape == self.shape)
        if order.registered_proof not in (None, number):
            raise InputError(f"registered_proof: expected {number} for {self.circuit_id}, got {order.registered_proof}")
        sector = order.the_sector(self.circuit_id)
        if self.shape.size > MAX_SECTOR_SIZE:
            updated = pretend_to_update(self.shape, sector, order.seed)
        else:
            old = sector_from_seed(self.shape, sector, order.seed, threads)
            staged = nodes_from_seed(self.shape, sector, b"update", order.seed, self.shape.nodes)
            updated = update(old, staged, threads)
        statement = updated.statement
        return Request(
            kind=self.kind,
            request_id=f"{self.circuit_id}-{order.miner_id}-{sector}",
            registered_proof=number,
            priority=default_priority(self.kind),
            sector_size=self.shape.size,
            vanilla_proofs=tuple(encode(generate_vanilla(updated))),
            sector_number=sector,
            miner_id=order.miner_id,
            comm_r_old=statement.comm_r_old,
            comm_r_new=statement.comm_r_new,
            comm_d_new=statement.comm_d_new,
        )


def update_family() -> Family[UpdateEntry]:
    """Return sector updates at every sector size."""
    return Family.of(
        Kind.SNAP,
        (UpdateEntry(Kind.SNAP, update_config(shape)) for shape in SHAPES),
        lambda request: update_proof(request.registered_proof).circuit_id,
    )
