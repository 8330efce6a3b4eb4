"""The registry's entries for WinningPoSt and WindowPoSt."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cuzk.errors import InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.kinds import KIND_BY_CIRCUIT, Kind
from cuzk.filecoin.parameters.names import parameter_stem
from cuzk.filecoin.post.circuit import compiled_circuit
from cuzk.filecoin.post.codec import encode
from cuzk.filecoin.post.config import PostConfig, PostKind, window_config, winning_config
from cuzk.filecoin.post.generate import generate_vanilla
from cuzk.filecoin.post.job import PostJob, decode_request
from cuzk.filecoin.registered import POST_PROOFS, post_proof
from cuzk.filecoin.request import Request, default_priority
from cuzk.filecoin.seal.sector import sector_from_seed
from cuzk.filecoin.sectors import SHAPES, SectorShape
from cuzk.r1cs.compiled import CompiledCircuit


@dataclass(frozen=True)
class PostEntry:
    """One PoSt circuit."""

    config: PostConfig

    @property
    def circuit_id(self) -> str:
        """The id, such as `winning-2k`."""
        return self.config.circuit_id

    @property
    def kind(self) -> Kind:
        """WINDOW or WINNING."""
        return KIND_BY_CIRCUIT[self.config.kind]

    @property
    def shape(self) -> SectorShape:
        """The sector size and the shape of its trees."""
        return self.config.shape

    @property
    def parameter_stem(self) -> str:
        """Name of its parameter files without the extension."""
        return parameter_stem(self.config)

    def circuit(self) -> CompiledCircuit:
        """Return the compiled circuit: mapped from the cache, or traced and left there."""
        return compiled_circuit(self.config)

    def decode(self, request: Request) -> PostJob:
        """Decode a request for this circuit; InputError names the field, what was expected and what came."""
        proof = post_proof(self.config.kind, request.registered_proof)
        if proof.config != self.config:
            raise InputError(f"registered_proof: expected one of {self.circuit_id}, got {proof.name}")
        return decode_request(proof, request)

    def development_request(self, order: DevelopmentOrder, threads: int = 1) -> Request:
        """Return a request over development sectors; by default of the newest registered proof."""
        numbers = [proof.number for proof in POST_PROOFS if proof.config == self.config]
        number = max(numbers) if order.registered_proof is None else order.registered_proof
        proof = post_proof(self.config.kind, number)
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


@dataclass(frozen=True)
class PostFamily:
    """All circuits of one PoSt kind."""

    name: PostKind
    entries: Mapping[str, PostEntry] = field(repr=False)

    @property
    def kind(self) -> Kind:
        """WINDOW or WINNING."""
        return KIND_BY_CIRCUIT[self.name]

    def circuit_id(self, request: Request) -> str:
        """Return the circuit of the request's registered proof."""
        return post_proof(self.name, request.registered_proof).circuit_id


def winning_family() -> PostFamily:
    """Return WinningPoSt at every sector size."""
    return _family("winning", [winning_config(shape) for shape in SHAPES])


def window_family() -> PostFamily:
    """Return WindowPoSt at every sector size."""
    return _family("wpost", [window_config(shape) for shape in SHAPES])


def _family(name: PostKind, configs: list[PostConfig]) -> PostFamily:
    return PostFamily(name, {config.circuit_id: PostEntry(config) for config in configs})
