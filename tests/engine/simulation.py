"""A shell without processes: it keeps what the core asked for, and the test says when, and how, each of it ends."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import msgspec

from cuzk.engine import instructions as do
from cuzk.engine.context import Context, Settings
from cuzk.engine.core import Core
from cuzk.engine.events import Event, Lease
from cuzk.engine.kinds import Needs
from cuzk.engine.snapshot import Identity, snapshot
from cuzk.engine.world import World
from cuzk.filecoin.request import Priority
from tests.engine import invariants

MIB = 1 << 20


@dataclass(frozen=True)
class CircuitFacts:
    """A circuit that there is none of."""

    needs: Needs
    critical: bool


CIRCUITS = {
    "big": CircuitFacts(Needs(8 * MIB, 4 * MIB, 2 * MIB, MIB, 5 * MIB, 30 * MIB), critical=False),
    "small": CircuitFacts(Needs(2 * MIB, MIB, MIB, MIB // 4, MIB, 10 * MIB), critical=False),
    "winning": CircuitFacts(Needs(MIB, MIB // 2, MIB, MIB // 4, MIB, 4 * MIB), critical=True),
}
KINDS = {"big": "porep-c2", "small": "snap-update", "winning": "winning-post"}


def settings(**changes: Any) -> Settings:
    """Return settings under which things happen soon."""
    values: dict[str, Any] = {
        "memory_total": 100 * MIB,
        "threads_total": 4,
        "synthesis_slots": 3,
        "eviction_min_idle": 20.0,
        "max_batch_wait": 5.0,
        "probation": 10.0,
        "validate": True,
    }
    return Settings(**(values | changes))


@dataclass
class Clock:
    """Time that passes when told."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Simulation:
    """A core, what it waits for, and every message that was ever delivered."""

    settings: Settings = field(default_factory=settings)
    devices: dict[str, int] = field(default_factory=lambda: {"cpu": 2})
    """Devices and how many lanes each has."""

    def __post_init__(self) -> None:
        self.clock = Clock()
        world = World(
            started_at=self.clock(),
            memory_total=self.settings.memory_total,
            threads_total=self.settings.threads_total,
            validate=self.settings.validate,
        )
        self.events: list[Event] = []
        context = Context(self.settings, CIRCUITS, self.clock, world, [self.events.append])
        self.core = Core(context)
        self.world = world
        self.identity = Identity("boot", "host", {}, False, list(KINDS.values()), self.settings.synthesis_slots)
        self.leases: dict[int, do.Synthesize | do.Prove] = {}
        self.closed: list[Lease] = []
        self.started: set[int] = set()
        self.to_start: list[do.StartProcess] = []
        self.alive: dict[str, int] = {}
        self.killed: list[do.KillProcess] = []
        self.checks: list[str] = []
        self.loads: list[do.LoadSrs] = []
        self.finished: dict[str, do.FinishJob] = {}
        self.recorded: list[do.RecordProof] = []
        self.preloaded: list[do.FinishPreload] = []
        self.segments: dict[tuple[str, int], int] = {}
        self.pooled: list[int] = []
        self.pids = count(100)
        self.names = count()
        self.last: dict[str, Any] | None = None
        self.snapshots = 0
        lane = count()
        for ordinal, (device, lanes) in enumerate(self.devices.items()):
            self.do(self.core.device_found(device, ordinal, [next(lane) for _ in range(lanes)]))

    def do(self, todo: list[do.Instruction]) -> None:
        """Carry instructions out, as far as nothing outside has to happen for it."""
        for instruction in todo:
            match instruction:
                case do.StartProcess():
                    self.to_start.append(instruction)
                case do.StopProcess(process):
                    self.alive.pop(process, None)
                case do.KillProcess():
                    self.killed.append(instruction)
                case do.Synthesize(lease):
                    self.leases[lease.number] = instruction
                    if instruction.segment_size in self.pooled:
                        self.pooled.remove(instruction.segment_size)
                    key = lease.job_id, lease.partition
                    assert key not in self.segments
                    self.segments[key] = instruction.segment_size
                case do.Prove(lease):
                    assert (lease.job_id, lease.partition) in self.segments
                    assert self.alive[lease.process]
                    self.leases[lease.number] = instruction
                case do.ReleaseSegment(job_id, partition, size, keep):
                    assert self.segments.pop((job_id, partition)) == size
                    if keep:
                        self.pooled.append(size)
                case do.DropPooled(size):
                    self.pooled.remove(size)
                case do.CheckFile(circuit_id):
                    self.checks.append(circuit_id)
                case do.LoadSrs():
                    self.loads.append(instruction)
                case do.FinishJob(job_id):
                    assert job_id not in self.finished
                    self.finished[job_id] = instruction
                case do.RecordProof():
                    self.recorded.append(instruction)
                case do.FinishPreload():
                    self.preloaded.append(instruction)
        for number in [number for number in self.leases if number not in self.world.ledger.open]:
            self.closed.append(self.leases.pop(number).lease)
        self.snapshots += 1
        status = self.status()
        invariants.check_after(self.last, status)
        assert sum(self.pooled) == sum(r["bytes"] for r in status["memory"]["reservations"] if r["kind"] == "pool")
        self.last = status

    def status(self) -> dict[str, Any]:
        """Return the snapshot as a client gets it."""
        status = snapshot(self.world, self.identity, now=self.clock(), time=0.0)
        return invariants.parse(msgspec.json.encode(status))

    # What the outside does

    def submit(self, circuit: str, partitions: int, priority: Priority = Priority.NORMAL, **more: Any) -> str:
        """Submit a job that passes its check."""
        job_id = f"job {next(self.names)}"
        self.do(self.core.job_checking(job_id, job_id, KINDS[circuit], priority, **more))
        self.do(self.core.job_queued(job_id, circuit, partitions))
        return job_id

    def bring_up(self) -> None:
        """Let every process that is asked for come up."""
        while self.to_start:
            start = self.to_start.pop(0)
            if self.core.process_starting(start.process):
                self.alive[start.process] = next(self.pids)
                self.do(self.core.process_up(start.process, self.alive[start.process]))

    def load(self) -> None:
        """Let every check and load succeed."""
        while self.checks or self.loads:
            while self.checks:
                self.do(self.core.file_checked(self.checks.pop(0), None))
            while self.loads:
                load = self.loads.pop(0)
                size = CIRCUITS[load.circuit_id].needs.parameters
                self.do(self.core.srs_loaded(load.circuit_id, load.device, size, 5))

    def prepare(self) -> None:
        """Let processes come up and parameters load until nothing more is asked for."""
        while self.to_start or self.checks or self.loads:
            self.bring_up()
            self.load()

    def open(self, kind: str) -> list[Lease]:
        """Return the open leases of one kind, oldest first."""
        return [todo.lease for todo in self.leases.values() if todo.lease.kind == kind]

    def step(self) -> bool:
        """Let the oldest piece of work succeed; False if there is none."""
        self.prepare()
        if not self.leases:
            return False
        lease = next(iter(self.leases.values())).lease
        if lease.kind == "synthesis":
            self.do(self.core.synthesized(lease.number))
        else:
            self.do(self.core.started(lease.number))
            self.do(self.core.proved(lease.number, proof_of(lease)))
        return True

    def run(self) -> None:
        """Let everything succeed until there is nothing left to do."""
        while self.step():
            pass

    def die(self, process: str, reason: str = "signal 9") -> None:
        """Let a process die."""
        self.alive.pop(process, None)
        self.loads = [load for load in self.loads if load.device != process]
        self.do(self.core.process_died(process, reason))


def proof_of(lease: Lease) -> bytes:
    """Return a stand-in for the proof of a partition."""
    return bytes([lease.partition]) * 192
