"""The state of the engine: a fold of `World.apply` over events. It does no IO and reads no clock.

The scheduler decides from it and `status` shows it, so that what is shown is what is acted on.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import structlog

from cuzk.engine import events, states
from cuzk.engine.ledger import Ledger
from cuzk.engine.slots import Slots
from cuzk.engine.states import FileState, InvalidTransitionError, JobState, PartitionState, ProcessState, SrsState

STORY_LENGTH = 256
RECENT_JOBS = 50
THROUGHPUT_SLOT = 30.0
THROUGHPUT_SLOTS = 20

log = structlog.get_logger("cuzk.engine")


@dataclass(slots=True)
class Partition:
    """One circuit instance of a job."""

    index: int
    state: PartitionState = "pending"
    attempt: int = 1
    synth_started: float | None = None
    synth_ms: int | None = None
    gpu_started: float | None = None
    gpu_ms: int | None = None
    lane: int | None = None
    process: str | None = None
    error: str | None = None
    shown: Any = None
    """What `status` made of it, until something changes."""


@dataclass(slots=True)
class Job:
    """One request and its partitions."""

    job_id: str
    request_id: str
    kind: str
    priority: int
    attempt: int
    submitted_at: float
    deadline: float | None
    state: JobState = "checking"
    circuit_id: str | None = None
    started_at: float | None = None
    finished_at: float | None = None
    error: str | None = None
    partitions: list[Partition] = field(default_factory=list)
    done: int = 0
    leases: int = 0
    story: deque[str] = field(default_factory=lambda: deque(maxlen=STORY_LENGTH))

    @property
    def unfinished(self) -> bool:
        """It will still change by itself."""
        return self.finished_at is None

    @property
    def synthesis_ms(self) -> int:
        """Sum over partitions."""
        return sum(partition.synth_ms or 0 for partition in self.partitions)

    @property
    def gpu_ms(self) -> int:
        """Sum over partitions."""
        return sum(partition.gpu_ms or 0 for partition in self.partitions)


@dataclass(slots=True)
class Process:
    """A worker process: of synthesis, or of one device."""

    name: str
    state: ProcessState
    pid: int | None = None
    restarts: int = 0
    reason: str | None = None


@dataclass(slots=True)
class Device:
    """A device and its lanes; its state is that of its process."""

    name: str
    ordinal: int
    lanes: tuple[int, ...]
    sample: events.DeviceSampled | None = None
    faults: int = 0


@dataclass(slots=True)
class Srs:
    """A circuit's parameters on one device."""

    state: SrsState = "cold"
    load_ms: int | None = None
    loaded_at: float | None = None
    last_used: float = 0.0
    leases: int = 0


@dataclass(slots=True)
class Circuit:
    """What is known of a circuit: its parameter file, where its SRS is, how many partitions use it."""

    circuit_id: str
    file: FileState = "unknown"
    error: str | None = None
    srs: dict[str, Srs] = field(default_factory=dict)
    refs: int = 0
    """Partitions that hold memory for it."""
    last_used: float = 0.0
    synthesizing: int = 0
    last_synthesized: float = 0.0
    waits_synthesis: str | None = None
    waits_device: str | None = None


class World:
    """Everything there is to know, at the last event."""

    def __init__(self, *, started_at: float, memory_total: int, threads_total: int, validate: bool = False) -> None:
        self.started_at = started_at
        self.memory_total = memory_total
        self.threads_total = threads_total
        self.validate = validate
        self.engine: events.EngineMoved = events.EngineMoved(at=started_at, state="starting")
        self.journal: events.JournalMoved = events.JournalMoved(at=started_at, state="ok")
        self.jobs: dict[str, Job] = {}
        self.ledger = Ledger()
        self.processes: dict[str, Process] = {}
        self.devices: dict[str, Device] = {}
        self.gpus = events.GpusSampled(at=started_at, gpus=(), reason="not looked at yet")
        self.circuits: dict[str, Circuit] = {}
        self.reservations: dict[events.Owner, int] = {}
        self.memory_used = 0
        self.standing_reserve = 0
        self.counters: Counter[str] = Counter()
        self.completed_by_kind: Counter[str] = Counter()
        self.failed_by_kind: Counter[str] = Counter()
        self.recent: deque[Job] = deque(maxlen=RECENT_JOBS)
        self.jobs_completed = Slots(THROUGHPUT_SLOT, THROUGHPUT_SLOTS)
        self.partitions_proved = Slots(THROUGHPUT_SLOT, THROUGHPUT_SLOTS)
        self._handlers = cast(
            "dict[type[events.Event], Callable[[Any], None]]",
            {
                events.EngineMoved: self._engine_moved,
                events.JournalMoved: self._journal_moved,
                events.JobChecking: self._job_checking,
                events.JobRefused: self._job_refused,
                events.JobQueued: self._job_queued,
                events.JobEnded: self._job_ended,
                events.JobForgotten: self._job_forgotten,
                events.PartitionDropped: self._partition_dropped,
                events.LeaseTaken: self._lease_taken,
                events.LeaseFinalizing: self._lease_finalizing,
                events.LeaseEnded: self._lease_ended,
                events.ProcessMoved: self._process_moved,
                events.DeviceFound: self._device_found,
                events.DeviceSampled: self._device_sampled,
                events.DeviceFault: self._device_fault,
                events.GpusSampled: self._gpus_sampled,
                events.VerifyFailed: self._verify_failed,
                events.Reserved: self._reserved,
                events.StandingReserve: self._standing_reserve,
                events.FileMoved: self._file_moved,
                events.SrsMoved: self._srs_moved,
                events.Waiting: self._waiting,
            },
        )

    def apply(self, event: events.Event) -> None:
        """Take in one event."""
        self._handlers[type(event)](event)

    # Jobs and partitions

    def _job_checking(self, event: events.JobChecking) -> None:
        self.jobs.pop(event.job_id, None)  # a new attempt takes its predecessor's place, at the end
        job = Job(
            event.job_id,
            event.request_id,
            event.kind,
            event.priority,
            event.attempt,
            event.submitted_at,
            event.deadline,
        )
        self.jobs[event.job_id] = job
        self._tell(job, event.at, "checking")

    def _job_refused(self, event: events.JobRefused) -> None:
        del self.jobs[event.job_id]
        self.counters["refused"] += 1

    def _job_queued(self, event: events.JobQueued) -> None:
        job = self.jobs[event.job_id]
        self._move_job(job, "queued", event.at)
        job.circuit_id = event.circuit_id
        job.partitions = [Partition(index) for index in range(event.partitions)]
        for index in event.proved:
            self._move_partition(job, job.partitions[index], "done", event.at)
            job.done += 1

    def _job_ended(self, event: events.JobEnded) -> None:
        job = self.jobs[event.job_id]
        self._move_job(job, event.state, event.at)
        job.finished_at = event.at
        job.error = event.error
        self.recent.append(job)
        if event.state == "done":
            self.counters["completed"] += 1
            self.jobs_completed.add(event.at, 1)
            self.completed_by_kind[job.kind] += 1
        elif event.state == "failed":
            self.counters["failed"] += 1
            self.failed_by_kind[job.kind] += 1
        else:
            self.counters["cancelled"] += 1

    def _job_forgotten(self, event: events.JobForgotten) -> None:
        del self.jobs[event.job_id]

    def _partition_dropped(self, event: events.PartitionDropped) -> None:
        job = self.jobs[event.job_id]
        partition = job.partitions[event.partition]
        self._move_partition(job, partition, "failed", event.at)
        partition.error = event.error

    # Leases

    def _lease_taken(self, event: events.LeaseTaken) -> None:
        lease = event.lease
        job = self.jobs[lease.job_id]
        partition = job.partitions[lease.partition]
        self.ledger.take(lease, event.at)
        job.leases += 1
        if job.state == "queued":
            self._move_job(job, "running", event.at)
            job.started_at = event.at
        partition.process = lease.process
        if lease.kind == "synthesis":
            self._move_partition(job, partition, "synthesizing", event.at)
            partition.synth_started, partition.synth_ms = event.at, None
            partition.gpu_started, partition.gpu_ms, partition.lane = None, None, None
            self._circuit(job).synthesizing += 1
        else:
            self._move_partition(job, partition, "gpu", event.at)
            partition.gpu_started = event.at
            partition.lane = lease.lane
            self._srs(job, lease).leases += 1

    def _lease_finalizing(self, event: events.LeaseFinalizing) -> None:
        self.ledger.finalize(event.lease, event.at)

    def _lease_ended(self, event: events.LeaseEnded) -> None:
        entry = self.ledger.end(event.lease, event.at)
        lease = entry.lease
        job = self.jobs[lease.job_id]
        job.leases -= 1
        partition = job.partitions[lease.partition]
        took = round((event.at - entry.since) * 1000)
        if lease.kind == "synthesis":
            partition.synth_ms = took
            circuit = self._circuit(job)
            circuit.synthesizing -= 1
            circuit.last_synthesized = event.at
        else:
            partition.gpu_ms = took
            srs = self._srs(job, lease)
            srs.leases -= 1
            srs.last_used = event.at
        if lease.lane is not None:
            lane = self.ledger.lanes[lease.lane]
            lane.finished += event.result == "ok"
            lane.last_error = event.error if event.result in ("retry", "failed") else lane.last_error
        self._end_partition(job, partition, lease, event)

    def _end_partition(self, job: Job, partition: Partition, lease: events.Lease, event: events.LeaseEnded) -> None:
        partition.process = None
        partition.error = event.error
        if event.result == "ok":
            self._move_partition(job, partition, "synth_done" if lease.kind == "synthesis" else "done", event.at)
            if lease.kind == "proof":
                job.done += 1
                self.counters["partitions_proved"] += 1
                self.partitions_proved.add(event.at, 1)
        elif event.result == "retry":
            self._move_partition(job, partition, "pending", event.at)
            partition.attempt += 1
            self.counters["partition_retries"] += 1
        else:
            self._move_partition(job, partition, "failed", event.at)

    # Processes and devices

    def _engine_moved(self, event: events.EngineMoved) -> None:
        self.engine = event

    def _journal_moved(self, event: events.JournalMoved) -> None:
        self.journal = event

    def _process_moved(self, event: events.ProcessMoved) -> None:
        process = self.processes.get(event.process)
        if process is None:
            self.processes[event.process] = Process(event.process, event.state, event.pid, reason=event.reason)
            return
        moved = self._move(states.PROCESS_TRANSITIONS, f"process {process.name}", process.state, event.state, ())
        if moved and event.state in ("restarting", "quarantined") and process.state in ("starting", "up"):
            process.restarts += 1
            self.counters["worker_deaths"] += 1
        process.state = event.state if moved else process.state
        process.pid = event.pid
        process.reason = event.reason

    def _device_found(self, event: events.DeviceFound) -> None:
        self.devices[event.device] = Device(event.device, event.ordinal, event.lanes)
        for lane in event.lanes:
            self.ledger.add_lane(lane, event.device, event.at)

    def _device_sampled(self, event: events.DeviceSampled) -> None:
        self.devices[event.device].sample = event

    def _gpus_sampled(self, event: events.GpusSampled) -> None:
        self.gpus = event

    def _device_fault(self, event: events.DeviceFault) -> None:
        self.devices[event.device].faults += 1

    def _verify_failed(self, event: events.VerifyFailed) -> None:
        self.counters["verify_failures"] += 1
        self._tell(self.jobs[event.job_id], event.at, f"partition {event.partition}: proof did not verify")

    # Memory and parameters

    def _reserved(self, event: events.Reserved) -> None:
        owner = event.owner
        before = self.reservations.get(owner, 0)
        self.memory_used += event.size - before
        if event.size:
            self.reservations[owner] = event.size
        else:
            self.reservations.pop(owner, None)
        if owner.kind == "partition" and (before == 0) != (event.size == 0):
            circuit = self._circuit(self.jobs[owner.name])
            circuit.refs += 1 if event.size else -1
            circuit.last_used = event.at

    def _standing_reserve(self, event: events.StandingReserve) -> None:
        self.standing_reserve = event.size

    def _file_moved(self, event: events.FileMoved) -> None:
        circuit = self.circuit(event.circuit_id)
        what = f"the parameter file of {circuit.circuit_id}"
        if self._move(states.FILE_TRANSITIONS, what, circuit.file, event.state, ()):
            circuit.file = event.state
        circuit.error = event.error

    def _srs_moved(self, event: events.SrsMoved) -> None:
        circuit = self.circuit(event.circuit_id)
        srs = circuit.srs.setdefault(event.device, Srs())
        srs.last_used = event.at
        what = f"the SRS of {circuit.circuit_id} on {event.device}"
        if self._move(states.SRS_TRANSITIONS, what, srs.state, event.state, ()):
            srs.state = event.state
        if event.load_ms is not None:
            srs.load_ms, srs.loaded_at = event.load_ms, event.at
        circuit.last_used = event.at

    def _waiting(self, event: events.Waiting) -> None:
        circuit = self.circuit(event.circuit_id)
        circuit.waits_synthesis, circuit.waits_device = event.synthesis, event.device

    def circuit(self, circuit_id: str) -> Circuit:
        """Return what is known of a circuit."""
        return self.circuits.setdefault(circuit_id, Circuit(circuit_id))

    def _circuit(self, job: Job) -> Circuit:
        assert job.circuit_id is not None  # noqa: S101 (a job has partitions only with its circuit)
        return self.circuit(job.circuit_id)

    def _srs(self, job: Job, lease: events.Lease) -> Srs:
        return self._circuit(job).srs.setdefault(lease.process, Srs())

    # Transitions

    def _move_job(self, job: Job, state: JobState, at: float) -> None:
        if self._move(states.JOB_TRANSITIONS, f"job {job.job_id}", job.state, state, job.story):
            job.state = state
            self._tell(job, at, state)

    def _move_partition(self, job: Job, partition: Partition, state: PartitionState, at: float) -> None:
        what = f"partition {partition.index} of job {job.job_id}"
        if self._move(states.PARTITION_TRANSITIONS, what, partition.state, state, job.story):
            partition.state = state
            self._tell(job, at, f"partition {partition.index} attempt {partition.attempt}: {state}")
        partition.shown = None

    def _move(
        self, table: dict[tuple[str, str], str], what: str, start: str, finish: str, story: deque[str] | tuple[()]
    ) -> bool:
        if (start, finish) in table:
            return True
        error = InvalidTransitionError(what, start, finish, list(story))
        if self.validate:
            raise error
        log.error("invalid transition ignored", what=what, start=start, finish=finish, story=list(story))
        return False

    def _tell(self, job: Job, at: float, what: str) -> None:
        job.story.append(f"{at - job.submitted_at:+.3f} s {what}")
