"""The registry's entries for PoRep."""

import hashlib
from dataclasses import dataclass

from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.family import Family, FamilyEntry
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.porep.circuit import compiled_circuit
from cuzk.filecoin.porep.codec import encode, read_proof_name, wrap
from cuzk.filecoin.porep.config import PorepConfig, porep_config
from cuzk.filecoin.porep.generate import generate_vanilla, statement_about
from cuzk.filecoin.porep.job import PorepJob, decode_request
from cuzk.filecoin.registered import SEAL_PROOFS, SealProof, seal_proof, seal_proof_named
from cuzk.filecoin.request import Request, default_priority
from cuzk.filecoin.seal.pretended import pretend_to_seal
from cuzk.filecoin.seal.sealed import seal
from cuzk.filecoin.seal.sector import MAX_SECTOR_SIZE, nodes_from_seed
from cuzk.filecoin.sectors import SHAPES, shape_of
from cuzk.filecoin.versions import ApiVersion
from cuzk.r1cs.compiled import CompiledCircuit


@dataclass(frozen=True)
class PorepEntry(FamilyEntry[PorepConfig]):
    """One PoRep circuit."""

    def circuit(self) -> CompiledCircuit:
        """Return the compiled circuit: mapped from the cache, or traced and left there."""
        return compiled_circuit(self.config)

    def decode(self, request: Request) -> PorepJob:
        """Decode a request for this circuit; InputError names the field, what was expected and what came."""
        number = request.registered_proof
        return decode_request(self._proofs()[0] if number == 0 else self._proof(number), request)

    def development_request(self, order: DevelopmentOrder, threads: int = 1) -> Request:
        """Return a request for the PoRep of a development sector, by default an interactive one.

        The sector is sealed, or where it is too large for that, pretended.
        """
        proof = self._default_proof() if order.registered_proof is None else self._proof(order.registered_proof)
        sector = order.the_sector(self.circuit_id)
        ticket = hashlib.sha256(b"cuzk development ticket" + order.seed).digest()
        if self.shape.size > MAX_SECTOR_SIZE:
            sealed = pretend_to_seal(proof, order.miner_id, sector, ticket, order.randomness, order.seed)
        else:
            staged = nodes_from_seed(self.shape, sector, b"data", order.seed, self.shape.nodes)
            sealed = seal(proof, order.miner_id, sector, ticket, staged, threads)
        statement = statement_about(sealed, order.randomness)
        phase1_output = encode(proof, statement, generate_vanilla(sealed, statement))
        return Request(
            kind=self.kind,
            request_id=f"{self.circuit_id}-{order.miner_id}-{sector}",
            registered_proof=proof.number,
            priority=default_priority(self.kind),
            sector_size=self.shape.size,
            vanilla_proof=wrap(sector, self.shape.size, phase1_output),
            sector_number=sector,
            miner_id=order.miner_id,
        )

    def _proof(self, number: int) -> SealProof:
        proof = seal_proof(number)
        if proof.config != self.config:
            raise InputError(f"registered_proof: expected one of {self.circuit_id}, got {proof.name}")
        return proof

    def _proofs(self) -> list[SealProof]:
        return [proof for proof in SEAL_PROOFS if proof.config == self.config]

    def _default_proof(self) -> SealProof:
        return next(proof for proof in self._proofs() if proof.version is ApiVersion.V1_1)


def _circuit_id(request: Request) -> str:
    """Return the circuit of the request's registered proof, or where that is left out (0), of its sector size.

    The phase 1 output, which says it too, has 50 MB and is read for this only where the request says neither: the Rust
    daemon takes both from there alone.
    """
    if request.registered_proof != 0:
        return seal_proof(request.registered_proof).circuit_id
    if request.sector_size != 0:
        return porep_config(shape_of(request.sector_size)).circuit_id
    name = read_proof_name(request.vanilla_proof)
    return (seal_proof(0) if name is None else seal_proof_named(name)).circuit_id


def porep_family() -> Family[PorepEntry]:
    """Return PoRep at every sector size."""
    return Family.of(Kind.POREP, (PorepEntry(Kind.POREP, porep_config(shape)) for shape in SHAPES), _circuit_id)
