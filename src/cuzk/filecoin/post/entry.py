"""The registry's entries for WinningPoSt and WindowPoSt."""

from dataclasses import dataclass

from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.family import Family, FamilyEntry
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.post.circuit import compiled_circuit
from cuzk.filecoin.post.codec import encode
from cuzk.filecoin.post.config import PostConfig, window_config, winning_config
from cuzk.filecoin.post.generate import generate_vanilla
from cuzk.filecoin.post.job import PostJob, decode_request
from cuzk.filecoin.registered import POST_PROOFS, PostProof, post_proof
from cuzk.filecoin.request import Request, default_priority
from cuzk.filecoin.seal.sector import sector_from_seed
from cuzk.filecoin.sectors import SHAPES
from cuzk.r1cs.compiled import CompiledCircuit


@dataclass(frozen=True)
class PostEntry(FamilyEntry[PostConfig]):
    """One PoSt circuit."""

    def circuit(self) -> CompiledCircuit:
        """Return the compiled circuit: mapped from the cache, or traced and left there."""
        return compiled_circuit(self.config)

    def decode(self, request: Request) -> PostJob:
        """Decode a request for this circuit; InputError names the field, what was expected and what came."""
        return decode_request(self._proof(request.registered_proof), request)

    def development_request(self, order: DevelopmentOrder, threads: int = 1) -> Request:
        """Return a request over development sectors; by default of the newest registered proof."""
        numbers = [proof.number for proof in POST_PROOFS if proof.config == self.config]
        number = max(numbers) if order.registered_proof is None else order.registered_proof
        proof = self._proof(number)
        partition = order.partition_index
        if self.config.kind == "winning":
            order.the_sector(self.circuit_id)
            partition = 0
        sectors = [sector_from_seed(self.shape, sector, order.seed, threads) for sector in order.sectors]
        proofs = generate_vanilla(self.config, proof.version, order.randomness, sectors, partition)
        return Request(
            kind=self.kind,
            request_id=f"{self.circuit_id}-{order.miner_id}-{'-'.join(map(str, order.sectors))}",
            registered_proof=number,
            priority=default_priority(self.kind),
            sector_size=self.shape.size,
            vanilla_proofs=tuple(encode(proofs)),
            sector_number=order.sectors[0],
            miner_id=order.miner_id,
            randomness=order.randomness,
            partition_index=partition,
        )

    def _proof(self, number: int) -> PostProof:
        proof = post_proof(self.config.kind, number)
        if proof.config != self.config:
            raise InputError(f"registered_proof: expected one of {self.circuit_id}, got {proof.name}")
        return proof


def winning_family() -> Family[PostEntry]:
    """Return WinningPoSt at every sector size."""
    return _family(Kind.WINNING, [winning_config(shape) for shape in SHAPES])


def window_family() -> Family[PostEntry]:
    """Return WindowPoSt at every sector size."""
    return _family(Kind.WINDOW, [window_config(shape) for shape in SHAPES])


def _family(kind: Kind, configs: list[PostConfig]) -> Family[PostEntry]:
    return Family.of(
        kind,
        (PostEntry(kind, config) for config in configs),
        lambda request: post_proof(configs[0].kind, request.registered_proof).circuit_id,
    )
