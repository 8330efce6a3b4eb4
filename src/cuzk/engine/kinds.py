"""What the engine needs to know of proof kinds and circuits; a new proof family is one more `Registry` entry.

Three sorts of process use a registry: the checking process decodes and checks requests (`prepare`), synthesis processes
compile circuits and make assignments (`CircuitSpec.compile`), device processes prove (`prover`). A registry is named by
import path (`package.module:attribute`), so that each process imports its own.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cuzk.errors import InputError
from cuzk.filecoin.request import Request


@dataclass(frozen=True)
class Needs:
    """Bytes of host memory that one partition of a circuit takes, stage by stage, and those that partitions share."""

    assignment: int
    """The segment that carries the assignment from synthesis to the device."""
    evaluations: int
    """Of those, the tail that holds a and b; not needed once `prove_start` has returned."""
    synthesis: int
    """Beyond the segment, while it is synthesized."""
    work: int
    """Beyond the segment, during `prove_start`, and during `prove_finish` and verification."""
    circuit: int
    """The compiled circuit, in each synthesis process that uses it."""
    parameters: int
    """The SRS, on each device that uses it; at least 1."""

    @property
    def partition(self) -> int:
        """What a partition reserves before it is synthesized; the device's work is reserved with the parameters."""
        return self.assignment + self.synthesis


@dataclass(frozen=True)
class Prepared:
    """A checked request: its circuit, what synthesis needs, and the public inputs that each proof must have."""

    circuit_id: str
    job: Any
    """Goes to `CompiledCircuit.synthesize`; pickled, its arrays as they are."""
    public_inputs: Sequence[bytes]
    """One a partition: canonical little-endian Fr, 32 bytes each, without ONE."""


class ParameterFile(Protocol):
    """The Groth16 parameters of a circuit, on disk."""

    @property
    def path(self) -> Path:
        """The file that holds the bases; InputError says where it was looked for."""
        ...

    @property
    def identity(self) -> str:
        """Changes when the file or its manifest does; cheap. InputError if it is not there."""
        ...

    def check(self) -> None:
        """Compare the file with the manifest of its folder; InputError says what is wrong. Reads all of it."""
        ...


class CompiledCircuit(Protocol):
    """A circuit ready for synthesis, in a synthesis process."""

    def synthesize(self, job: Any, partition: int, segment: memoryview, *, threads: int) -> None:
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
    def critical(self) -> bool:
        """The kind's own priority is CRITICAL, so that memory is kept for it."""
        ...

    @property
    def needs(self) -> Needs:
        """How much memory its partitions take."""
        ...

    @property
    def parameters(self) -> ParameterFile:
        """Its parameter file, whether it is there or not."""
        ...

    def compile(self) -> CompiledCircuit:
        """Make it ready for synthesis."""
        ...


@dataclass(frozen=True)
class DeviceSample:
    """What a device process says of its device; None is unknown, and `unknown` says why, where that is known."""

    name: str
    kind: str
    memory_total: int | None = None
    memory_free: int | None = None
    temperature_c: float | None = None
    utilisation: float | None = None
    unknown: Mapping[str, str] | None = None


class Prover(Protocol):
    """Proving on one device, in its process. All methods may be called from several threads at once."""

    def sample(self) -> DeviceSample:
        """Describe the device as it is now."""
        ...

    def load(self, circuit_id: str) -> int:
        """Make a circuit's parameters ready; return how many bytes of host memory they take."""
        ...

    def unload(self, circuit_id: str) -> None:
        """Give a circuit's parameters back."""
        ...

    def start(self, circuit_id: str, segment: memoryview, *, threads: int) -> Any:
        """Do the device work of the assignment in the segment; its a and b may be overwritten."""
        ...

    def finish(self, started: Any, *, threads: int) -> bytes:
        """Do the rest on the CPU and return the 192 bytes of the proof."""
        ...

    def verify(self, circuit_id: str, public_inputs: bytes, proof: bytes) -> bool:
        """Say whether the proof verifies with these public inputs."""
        ...


class Registry(Protocol):
    """All that a deployment can prove."""

    @property
    def kinds(self) -> Sequence[str]:
        """Proof kinds by display name, in the order in which they are shown."""
        ...

    @property
    def circuits(self) -> Mapping[str, CircuitSpec]:
        """Circuits by id."""
        ...

    def prepare(self, request: Request) -> Prepared:
        """Decode and check a request; InputError names the field, what was expected and what came."""
        ...

    def devices(self) -> Sequence[str]:
        """Names of the devices of this machine, such as `cpu` or `opencl:0`; cheap, no driver is loaded for it."""
        ...

    def prover(self, device: str) -> Prover:
        """Open a device; called once, in the device's own process."""
        ...


@dataclass(frozen=True)
class RegistrySource:
    """Where each process finds the registry: a callable by import path, and its keyword arguments."""

    path: str
    arguments: Mapping[str, Any]

    @property
    def module(self) -> str:
        """The module to import."""
        return self.path.partition(":")[0]

    def load(self) -> Registry:
        """Import and call it."""
        module, separator, attribute = self.path.partition(":")
        if not separator:
            raise InputError(f"a registry is named as package.module:attribute, not {self.path!r}")
        registry: Registry = getattr(importlib.import_module(module), attribute)(**self.arguments)
        return registry
