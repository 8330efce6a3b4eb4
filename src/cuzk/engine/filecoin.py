"""Filecoin's proofs as the engine knows them: the registry of `cuzk.filecoin`, on the devices of this machine."""

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil

from cuzk.algebra import fr
from cuzk.devices.cpu import CpuDevice, cpu_name, memory
from cuzk.engine.kinds import DeviceSample, Needs, Prepared
from cuzk.engine.needs import needs_of
from cuzk.errors import InputError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.parameters.folder import ParameterFolder, development_folder, network_folder
from cuzk.filecoin.parameters.manifest import MANIFEST_NAME
from cuzk.filecoin.parameters.prepared import open_parameters, prepared_path
from cuzk.filecoin.registry import CircuitEntry, ProofJob, entries, entry_of, families
from cuzk.filecoin.request import Request
from cuzk.groth16.assignment import Assignment
from cuzk.groth16.circuit import Density
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.proof import Proof
from cuzk.groth16.prover import Pending, prove_finish, prove_start
from cuzk.groth16.verifier import verify
from cuzk.r1cs.synthesis import Synthesizer

_READ_AT_ONCE = 16 << 20


def registry(param_cache: Path | None = None, *, dev_params: bool = False) -> "FilecoinRegistry":
    """Return Filecoin's proofs over the parameters of a folder, by default the network's (or the development) one."""
    if param_cache is not None:
        return FilecoinRegistry(ParameterFolder(param_cache, development=dev_params))
    return FilecoinRegistry(development_folder() if dev_params else network_folder())


class FilecoinRegistry:
    """All circuits of `cuzk.filecoin`; see `cuzk.engine.kinds.Registry`."""

    def __init__(self, folder: ParameterFolder) -> None:
        self._circuits = {entry.circuit_id: FilecoinCircuit(entry, folder) for entry in entries()}

    @property
    def kinds(self) -> Sequence[str]:
        """Display names of all four kinds."""
        return [kind.display for kind in Kind]

    @property
    def circuits(self) -> "Mapping[str, FilecoinCircuit]":
        """Circuits by id."""
        return self._circuits

    def prepare(self, request: Request) -> Prepared:
        """Decode and check a request; InputError names the field, what was expected and what came."""
        if request.kind not in families():
            raise InputError(f"proof_kind: {request.kind.display} proofs are not supported")
        entry = entry_of(request)
        job = entry.decode(request)
        job.verify_vanilla()
        entry.circuit()  # in the cache from here on, so that nobody waits for it
        inputs = [fr.to_bytes(job.public_inputs(partition)) for partition in range(job.partitions)]
        return Prepared(entry.circuit_id, job, inputs)

    def devices(self) -> Sequence[str]:
        """Return the devices of this machine: its CPU."""
        return ("cpu",)

    def prover(self, device: str) -> "CpuProver":
        """Open a device."""
        if device != "cpu":
            raise InputError(f"there is no device {device!r}: expected cpu")
        return CpuProver(self._circuits)


class FilecoinCircuit:
    """One circuit; see `cuzk.engine.kinds.CircuitSpec`."""

    def __init__(self, entry: CircuitEntry, folder: ParameterFolder) -> None:
        self.entry = entry
        self.parameters = FilecoinParameters(folder, entry)

    @property
    def circuit_id(self) -> str:
        """Such as `winning-32g`."""
        return self.entry.circuit_id

    @property
    def kind(self) -> str:
        """Display name of its kind."""
        return self.entry.kind.display

    @property
    def critical(self) -> bool:
        """WinningPoSt is: a block is lost when it comes too late."""
        return self.entry.kind is Kind.WINNING

    @cached_property
    def needs(self) -> Needs:
        """How much memory its partitions take."""
        return needs_of(self.entry.circuit(), self.parameters.size)

    def compile(self) -> "FilecoinSynthesis":
        """Make it ready for synthesis."""
        return FilecoinSynthesis(Synthesizer(self.entry.circuit()))


class FilecoinSynthesis:
    """A circuit ready for synthesis; see `cuzk.engine.kinds.CompiledCircuit`."""

    def __init__(self, synthesizer: Synthesizer) -> None:
        self._synthesizer = synthesizer

    def synthesize(self, job: ProofJob, partition: int, segment: memoryview, *, threads: int) -> None:
        """Write the assignment of one partition into its segment."""
        self._synthesizer.run(job.witness_data(partition), threads=threads, buffer=segment)


class FilecoinParameters:
    """A parameter file in its folder; see `cuzk.engine.kinds.ParameterFile`."""

    def __init__(self, folder: ParameterFolder, entry: CircuitEntry) -> None:
        self._folder = folder
        self._entry = entry
        self._name = f"{entry.parameter_stem}.params"

    @property
    def path(self) -> Path:
        """The file; InputError says where it was looked for and how to get it."""
        return self._folder.file(self._name)

    @property
    def size(self) -> int:
        """Memory that they take when loaded: prepared, if they are, else the file's; 1 if it is not there."""
        try:
            prepared = prepared_path(self._folder, self._entry.circuit_id)
            return max(1, (prepared if prepared.is_file() else self.path).stat().st_size)
        except (InputError, OSError):
            return 1

    def load(self) -> tuple[Parameters, int]:
        """Map the parameters, all of them in memory, prepared ones if there are; return how many bytes they take."""
        parameters = open_parameters(self._folder, self._entry)
        if parameters.prepared is not None:
            return parameters, parameters.prepared.nbytes
        _read_through(self.path)  # prepared points were read to be checked
        return parameters, self.path.stat().st_size

    @property
    def identity(self) -> str:
        """Changes when the file or the manifest of its folder does."""
        manifest = self._folder.path / MANIFEST_NAME
        stats = [path.stat() for path in (self.path, manifest) if path.exists()]
        numbers = [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for s in stats]
        return f"{'dev' if self._folder.development else 'network'} {numbers}"

    def check(self) -> None:
        """Compare the file with the manifest of its folder."""
        self._folder.checked_file(self._name)


class CpuProver:
    """Proves on the CPU; see `cuzk.engine.kinds.Prover`. How many threads run at once is the engine's business."""

    def __init__(self, circuits: Mapping[str, FilecoinCircuit]) -> None:
        self._circuits = circuits
        self._loaded: dict[str, tuple[Parameters, Density]] = {}

    def sample(self) -> DeviceSample:
        """Describe the CPU as it is now."""
        total, free = memory()
        unknown = {"temperature_c": "the CPU's temperature is not read"}
        return DeviceSample(cpu_name(), "cpu", total, free, None, psutil.cpu_percent() / 100, unknown)

    def load(self, circuit_id: str) -> int:
        """Map a parameter file whose digest was checked, and have the system read all of it."""
        circuit = self._circuits[circuit_id]
        parameters, size = circuit.parameters.load()
        self._loaded[circuit_id] = parameters, circuit.entry.circuit().density
        return size

    def unload(self, circuit_id: str) -> None:
        """Unmap a parameter file."""
        self._loaded.pop(circuit_id, None)

    def start(self, circuit_id: str, segment: memoryview, *, threads: int) -> Pending:
        """Do the device work of the assignment in the segment."""
        parameters, density = self._loaded[circuit_id]
        device = CpuDevice(threads, nullcontext())
        return prove_start(device, parameters, density, Assignment.from_buffer(segment))

    def finish(self, started: Any, *, threads: int) -> bytes:
        """Do the rest and return the proof."""
        return prove_finish(started, threads=threads).to_bytes()

    def verify(self, circuit_id: str, public_inputs: bytes, proof: bytes) -> bool:
        """Say whether the proof verifies with these public inputs."""
        parameters, _ = self._loaded[circuit_id]
        return verify(parameters.verifying_key, fr.from_bytes(public_inputs), Proof.parse(proof))


def _read_through(path: Path) -> None:
    """Read a file to have it in memory: a proof should not wait for the disk."""
    buffer = bytearray(_READ_AT_ONCE)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while os.readv(descriptor, [buffer]):
            pass
    finally:
        os.close(descriptor)
