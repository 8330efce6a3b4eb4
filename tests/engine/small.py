"""A test-only registry of small, real circuits: jobs of 10, 16, 1 and 1 partitions, and every way to fail.

A request's `vanilla_proof` is JSON: {"start": number, "faults": {"<stage> <partition>": "<fault>"}, "times": n}. A
fault strikes so many times (default 1) over all processes and restarts, counted in files of the registry's folder. The
parameters are made once, in the folder, by `make_parameters`.

Stages: check, synthesis, start, finish.  Faults: raise, input (InputError), die, segfault, stop (SIGSTOP), hang,
wrong (a bad proof), exit (SystemExit, which ends a thread without a word), warn (a line in the log, and nothing else).
"""

import json
import logging
import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cuzk.algebra import fr
from cuzk.algebra.group import G1, G2
from cuzk.devices.cpu import CpuDevice
from cuzk.engine.kinds import DeviceSample, Needs, Prepared, RegistrySource
from cuzk.errors import InputError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Priority, Request, default_priority
from cuzk.groth16 import Assignment, Check, Parameters, Proof, ToxicWaste, prove_finish, prove_start, setup, verify
from cuzk.groth16.synthetic import Synthetic, boolean_heavy, dense_chain

PARTITIONS = {Kind.POREP: 10, Kind.SNAP: 16, Kind.WINDOW: 1, Kind.WINNING: 1}
LOG2_SIZES = {Kind.POREP: 6, Kind.SNAP: 7, Kind.WINDOW: 6, Kind.WINNING: 5}
MIB = 1 << 20


def request(
    kind: Kind = Kind.POREP, request_id: str = "", *, priority: Priority | None = None, **vanilla: Any
) -> Request:
    """Return a request; `vanilla` is what its JSON says, with so many bytes of `padding`."""
    vanilla["padding"] = "x" * vanilla.get("padding", 0)
    return Request(
        kind=kind,
        request_id=request_id,
        priority=default_priority(kind) if priority is None else priority,
        vanilla_proof=json.dumps({"start": 3} | vanilla).encode(),
    )


def circuit_id(kind: Kind) -> str:
    return f"{kind.circuit}-small"


def synthetic(kind: Kind, log2_size: int, start: int) -> Synthetic:
    return boolean_heavy(log2_size, start) if kind is Kind.SNAP else dense_chain(log2_size, start)


def make_parameters(folder: Path, log2_sizes: Mapping[Kind, int] = LOG2_SIZES) -> None:
    """Make the parameters of all circuits; the same every time."""
    for kind, log2_size in log2_sizes.items():
        path = folder / f"{circuit_id(kind)}.params"
        if not path.exists():
            waste = ToxicWaste(11, 13, 17, 19, 23, G1.generator, G2.generator)
            setup(synthetic(kind, log2_size, 3).circuit, path, toxic_waste=waste)


def source(folder: Path, **options: Any) -> RegistrySource:
    """Return where worker processes find the registry."""
    return RegistrySource("tests.engine.small:SmallRegistry", {"folder": folder, **options})


@dataclass(frozen=True)
class SmallJob:
    """A checked request."""

    circuit_id: str
    starts: tuple[int, ...]
    faults: dict[str, str]
    times: int
    name: str


class SmallRegistry:
    """See `cuzk.engine.kinds.Registry`. `slow` is seconds that each synthesis, start and finish takes at least.

    Parameter files of `bad` circuits are not what they should be; the check of `odd` ones fails in a way of its own.
    """

    def __init__(
        self,
        folder: Path,
        *,
        devices: Sequence[str] = ("cpu",),
        slow: float = 0.0,
        slow_finish: float | None = None,
        slow_unload: float = 0.0,
        bad: Sequence[str] = (),
        odd: Sequence[str] = (),
        needs: int = MIB,
        log2_sizes: Mapping[Kind, int] | None = None,
    ) -> None:
        self.folder = folder
        self._devices = devices
        self.slow = slow
        self.slow_finish = slow if slow_finish is None else slow_finish
        self.slow_unload = slow_unload
        self.log2_sizes = dict(LOG2_SIZES if log2_sizes is None else log2_sizes)
        self.circuits: Mapping[str, SmallCircuit] = {
            circuit_id(kind): SmallCircuit(self, kind, needs, circuit_id(kind) in bad, circuit_id(kind) in odd)
            for kind in PARTITIONS
        }

    @property
    def kinds(self) -> Sequence[str]:
        return [kind.display for kind in PARTITIONS]

    def prepare(self, request: Request) -> Prepared:
        try:
            wanted = json.loads(request.vanilla_proof)
        except ValueError as error:
            raise InputError(f"vanilla_proof: expected JSON, got {request.vanilla_proof[:40]!r}") from error
        count = wanted.get("partitions", PARTITIONS[request.kind])
        starts = tuple(wanted["start"] + 1000 * index for index in range(count))
        name = wanted.get("name", request.request_id or "x").replace("/", "_")
        job = SmallJob(circuit_id(request.kind), starts, wanted.get("faults", {}), wanted.get("times", 1), name)
        self.strike(job, "check", 0)
        time.sleep(wanted.get("check_seconds", 0.0))
        circuit = self.circuits[job.circuit_id]
        inputs = [fr.to_bytes(circuit.instance(start).inputs[1:]) for start in starts]
        return Prepared(job.circuit_id, job, inputs)

    def devices(self) -> Sequence[str]:
        return self._devices

    def prover(self, device: str) -> "SmallProver":
        return SmallProver(self, broken=device == "broken")

    def strike(self, job: SmallJob, stage: str, partition: int) -> bool:
        """Do what the request wants to go wrong here; True if the proof is to be spoilt."""
        fault = job.faults.get(f"{stage} {partition}")
        if fault is None or not self._again(f"{job.name}-{stage}-{partition}", job.times):
            return False
        if fault == "raise":
            raise MemoryError(f"{stage} of partition {partition} was told to fail")
        if fault == "input":
            raise InputError(f"{stage} of partition {partition} was told to be wrong")
        if fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "segfault":
            signal.raise_signal(signal.SIGSEGV)  # in this thread, and not a moment later
        if fault == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        if fault == "hang":
            time.sleep(3600)
        if fault == "exit":
            raise SystemExit
        if fault == "warn":
            logging.getLogger("library").warning("%s of partition %d is odd", stage, partition)
        return fault == "wrong"

    def _again(self, name: str, times: int) -> bool:
        for number in range(times):
            try:
                (self.folder / f"struck-{name}-{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            return True
        return False


class SmallCircuit:
    """See `cuzk.engine.kinds.CircuitSpec` and `CompiledCircuit`."""

    def __init__(self, registry: SmallRegistry, kind: Kind, needs: int, bad: bool, odd: bool) -> None:
        self._registry = registry
        self._kind = kind
        self._needs = needs
        self.parameters = SmallParameters(registry.folder / f"{circuit_id(kind)}.params", bad, odd)

    @property
    def circuit_id(self) -> str:
        return circuit_id(self._kind)

    @property
    def kind(self) -> str:
        return self._kind.display

    @property
    def critical(self) -> bool:
        return self._kind is Kind.WINNING

    @cached_property
    def needs(self) -> Needs:
        assignment = 1 << (self._registry.log2_sizes[self._kind] + 8)
        size = self._needs
        return Needs(assignment, assignment // 2, size, size // 4, size, self.parameters.path.stat().st_size)

    def compile(self) -> "SmallCircuit":
        return self

    def instance(self, start: int) -> Synthetic:
        return synthetic(self._kind, self._registry.log2_sizes[self._kind], start)

    def synthesize(self, job: SmallJob, partition: int, segment: memoryview, *, threads: int) -> None:
        self._registry.strike(job, "synthesis", partition)
        time.sleep(self._registry.slow)
        made = self.instance(job.starts[partition])
        Assignment.from_witness(made.circuit, made.inputs, made.aux, threads=threads).write_to(segment)
        # The device sees the segment alone: what should go wrong there travels behind the assignment.
        note = json.dumps([job.circuit_id, job.faults, job.times, job.name, partition]).encode()
        segment[-len(note) - 4 :] = note + len(note).to_bytes(4, "little")


@dataclass(frozen=True)
class SmallParameters:
    """See `cuzk.engine.kinds.ParameterFile`."""

    path: Path
    bad: bool
    odd: bool

    @property
    def identity(self) -> str:
        if not self.path.exists():
            raise InputError(f"there is no {self.path}")
        return str(self.path.stat().st_mtime_ns)

    def check(self) -> None:
        with (self.path.parent / "file-checks").open("a") as file:
            file.write(f"{self.path.stem}\n")
        if self.bad:
            raise InputError(f"{self.path.name}: expected another digest")
        if self.odd:
            raise KeyError(self.path.name)


class SmallProver:
    """See `cuzk.engine.kinds.Prover`."""

    def __init__(self, registry: SmallRegistry, *, broken: bool) -> None:
        self._registry = registry
        self._broken = broken
        self._loaded: dict[str, Parameters] = {}

    def sample(self) -> DeviceSample:
        return DeviceSample("small", "cpu", unknown={"temperature_c": "small devices have none"})

    def load(self, circuit_id: str) -> int:
        path = self._registry.circuits[circuit_id].parameters.path
        self._loaded[circuit_id] = Parameters.open(path, check=Check.STRUCTURE)
        return path.stat().st_size

    def unload(self, circuit_id: str) -> None:
        time.sleep(self._registry.slow_unload)
        self._loaded.pop(circuit_id, None)

    def start(self, circuit_id: str, segment: memoryview, *, threads: int) -> Any:
        if self._broken:
            raise RuntimeError("this device is broken")
        job, partition = _note(segment)
        self._registry.strike(job, "start", partition)
        time.sleep(self._registry.slow)
        made = self._registry.circuits[circuit_id].instance(3)
        device = CpuDevice(threads, nullcontext())
        density = made.circuit.density
        pending = prove_start(device, self._loaded[circuit_id], density, Assignment.from_buffer(segment))
        return pending, job, partition

    def finish(self, started: Any, *, threads: int) -> bytes:
        pending, job, partition = started
        wrong = self._registry.strike(job, "finish", partition)
        time.sleep(self._registry.slow_finish)
        proof = prove_finish(pending, threads=threads)
        return Proof(proof.c, proof.b, proof.a).to_bytes() if wrong else proof.to_bytes()

    def verify(self, circuit_id: str, public_inputs: bytes, proof: bytes) -> bool:
        key = self._loaded[circuit_id].verifying_key
        return verify(key, fr.from_bytes(public_inputs), Proof.parse(proof))


def check_proof(folder: Path, asked: Request, proof: bytes) -> bool:
    """Verify a job's proof from nothing but its request and the parameter file."""
    registry = SmallRegistry(folder)
    prepared = registry.prepare(Request(asked.kind, vanilla_proof=_without_faults(asked.vanilla_proof)))
    key = Parameters.open(folder / f"{prepared.circuit_id}.params", check=Check.STRUCTURE).verifying_key
    proofs = [proof[at : at + 192] for at in range(0, len(proof), 192)]
    return len(proofs) == len(prepared.public_inputs) and all(
        verify(key, fr.from_bytes(inputs), Proof.parse(one))
        for inputs, one in zip(prepared.public_inputs, proofs, strict=True)
    )


def _without_faults(vanilla: bytes) -> bytes:
    return json.dumps({**json.loads(vanilla), "faults": {}, "check_seconds": 0}).encode()


def _note(segment: memoryview) -> tuple[SmallJob, int]:
    size = int.from_bytes(segment[-4:], "little")
    name, faults, times, job, partition = json.loads(bytes(segment[-size - 4 : -4]))
    return SmallJob(name, (), faults, times, job), partition
