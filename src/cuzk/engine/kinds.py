"""What the engine needs to know of proof kinds and circuits; a new proof family is one more `Registry` entry.

Three processes use a registry: the checking process decodes and checks requests (`ProofKind.prepare`), synthesis
processes compile circuits and make assignments (`CircuitSpec.compile`), device processes prove (`Registry.prover`).
Registries are named by import path (`package.module:attribute`), so that each process imports its own.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cuzk.engine.request import Priority, ProofRequest
from cuzk.errors import InputError


@dataclass(frozen=True)
class Needs:
    """Bytes of host memory that one partition of a circuit takes, stage by stage, and those that partitions share."""

    assignment: int
    """The segment that carries the assignment from synthesis to the device."""
    evaluations: int
    """Of those, the tail that holds a and b; not needed once `prove_start` has returned."""
    synthesis: int
    """Beyond the segment, while it is synthesized."""
    start: int
    """Beyond the segment, during `prove_start`."""
    finish: int
    """Beyond the segment, during `prove_finish` and verification."""
    circuit: int
    """The compiled circuit, in each synthesis process that uses it."""
    parameters: int
    """The SRS, on each device that uses it."""

    @property
    def partition(self) -> int:
        """What a partition reserves, all at once, before anything of it starts."""
        return self.assignment + max(self.synthesis, self.start, self.finish)

    @property
    def synthesized(self) -> int:
        """What it still needs once it is synthesized."""
        return self.assignment + max(self.start, self.finish)

    @property
    def started(self) -> int:
        """What it still needs once `prove_start` has returned, its segment whole."""
        return self.assignment + self.finish


@dataclass(frozen=True)
class PreparedPartition:
    """One partition of a checked request: what synthesis needs, and the public inputs that its proof must have."""

    vanilla: bytes
    public_inputs: bytes
    """Canonical little-endian Fr, 32 bytes each, without ONE."""


@dataclass(frozen=True)
class Prepared:
    """A checked request: its circuit and its partitions, in the order of their proofs."""

    circuit_id: str
    partitions: Sequence[PreparedPartition]


class ParameterFile(Protocol):
    """The Groth16 parameters of a circuit, on disk."""

    @property
    def path(self) -> Path:
        """The file that holds the bases."""
        ...

    def check(self) -> None:
        """Compare the file with the manifest of its folder; InputError says what is wrong. Reads all of it."""
        ...


class CompiledCircuit(Protocol):
    """A circuit ready for synthesis, in a synthesis process."""

    def synthesize(self, vanilla: bytes, segment: memoryview, *, threads: int) -> None:
        """Write the assignment of one partition into its segment."""
        ...


class CircuitSpec(Protocol):
    """One entry of the registry: one circuit id."""

    @property
    def circuit_id(self) -> str:
        """Such as `winning-32g`."""
        ...

    @property
    def kind(self) -> str:
        """The proof kind that uses it, by display name."""
        ...

    @property
    def needs(self) -> Needs:
        """How much memory its partitions take; cheap, nothing is compiled for it."""
        ...

    def parameters(self) -> ParameterFile:
        """Find its parameters; InputError says where they were looked for."""
        ...

    def compile(self, *, threads: int) -> CompiledCircuit:
        """Make it ready for synthesis."""
        ...


class ProofKind(Protocol):
    """One kind of request."""

    @property
    def name(self) -> str:
        """Display name, such as `winning-post`."""
        ...

    @property
    def priority(self) -> Priority:
        """The priority of requests that name none."""
        ...

    def prepare(self, request: ProofRequest) -> Prepared:
        """Decode and check a request; InputError names the field, what was expected and what came."""
        ...


@dataclass(frozen=True)
class DeviceInfo:
    """What a device process says of its device; None is unknown, and `unknown` may say why."""

    name: str
    kind: str
    memory_total: int | None = None
    memory_free: int | None = None


class Prover(Protocol):
    """Proving on one device, in its process. All methods may be called from several threads at once."""

    def info(self) -> DeviceInfo:
        """Describe the device."""
        ...

    def load(self, circuit_id: str, *, threads: int) -> int:
        """Make a circuit's parameters ready; return how many bytes of host memory they take."""
        ...

    def unload(self, circuit_id: str) -> None:
        """Give a circuit's parameters back."""
        ...

    def start(self, circuit_id: str, segment: memoryview, *, threads: int) -> object:
        """Do the device work of the assignment in the segment; its a and b may be overwritten."""
        ...

    def finish(self, circuit_id: str, started: object, *, threads: int) -> bytes:
        """Do the rest on the CPU and return the 192 bytes of the proof."""
        ...

    def verify(self, circuit_id: str, public_inputs: bytes, proof: bytes) -> bool:
        """Say whether the proof verifies with these public inputs."""
        ...


class Registry(Protocol):
    """All that a deployment can prove."""

    @property
    def kinds(self) -> Mapping[str, ProofKind]:
        """Proof kinds by display name, in the order in which they are shown."""
        ...

    @property
    def circuits(self) -> Mapping[str, CircuitSpec]:
        """Circuits by id."""
        ...

    def devices(self) -> Sequence[str]:
        """Names of the devices of this machine, such as `cpu` or `opencl:0`; cheap, no driver is loaded for it."""
        ...

    def prover(self, device: str) -> Prover:
        """Open a device; called once, in the device's own process."""
        ...


def load_registry(path: str) -> Registry:
    """Import the registry that `package.module:attribute` names; a callable is called."""
    module, separator, attribute = path.partition(":")
    if not separator:
        raise InputError(f"a registry is named as package.module:attribute, not {path!r}")
    found = getattr(importlib.import_module(module), attribute)
    registry: Registry = found() if callable(found) else found
    return registry


def circuit_spec(registry: Registry, circuit_id: str) -> CircuitSpec:
    """Return a circuit's entry; InputError names the circuits there are."""
    spec = registry.circuits.get(circuit_id)
    if spec is None:
        raise InputError(f"circuit_id: expected one of {', '.join(registry.circuits)}, got {circuit_id!r}")
    return spec
