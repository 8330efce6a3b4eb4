"""Everything that can happen, as facts. Status is a fold over these; so are logs, metrics and a job's story.

`at` is in seconds of the engine's monotonic clock.
"""

from typing import Literal

import msgspec

from cuzk.devices.nvml import Gpu
from cuzk.engine.states import FileState, JobState, ProcessState, SrsState

LeaseKind = Literal["synthesis", "proof"]
LeaseResult = Literal["ok", "retry", "failed", "dropped"]
ReservationKind = Literal["srs", "work", "circuit", "partition", "payload", "pool"]


class Lease(msgspec.Struct, frozen=True):
    """The right of one worker to work on one attempt of one partition. Only its own end ends it."""

    number: int
    kind: LeaseKind
    process: str
    lane: int | None
    """The worker of a device process; None in a synthesis process."""
    job_id: str
    partition: int
    attempt: int
    threads: int


class Owner(msgspec.Struct, frozen=True, order=True):
    """Who holds a reservation: what it is, and of what."""

    kind: ReservationKind
    name: str
    """The circuit id, the job id, or what the pool holds."""
    place: str = ""
    """The process it lies in, where there is one for each."""
    partition: int | None = None


class Event(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """Base of all events."""

    at: float


class EngineMoved(Event, frozen=True):
    """The engine as a whole: starting, serving, draining, stopped."""

    state: Literal["starting", "serving", "draining", "stopped"]
    reason: str | None = None


class JournalMoved(Event, frozen=True):
    """The journal can be written, or not."""

    state: Literal["ok", "full"]
    error: str | None = None


class JobChecking(Event, frozen=True):
    """A request came in (or out of the journal) and is being checked."""

    job_id: str
    request_id: str
    kind: str
    priority: int
    attempt: int
    submitted_at: float
    deadline: float | None = None
    """On the clock of `at`."""


class JobRefused(Event, frozen=True):
    """A request did not pass; it never became a job."""

    job_id: str
    reason: str


class JobQueued(Event, frozen=True):
    """A request passed its check and is on disk; `proved` lists partitions whose proofs the journal had."""

    job_id: str
    circuit_id: str
    partitions: int
    proved: tuple[int, ...] = ()


class JobEnded(Event, frozen=True):
    """A job is done, failed or cancelled. Work on its partitions may still run to the next stage boundary."""

    job_id: str
    state: JobState
    error: str | None = None


class JobForgotten(Event, frozen=True):
    """A finished job leaves the status."""

    job_id: str


class PartitionDropped(Event, frozen=True):
    """A partition that nobody works on will not be proved, since its job ended."""

    job_id: str
    partition: int
    error: str


class LeaseTaken(Event, frozen=True):
    """Work on a partition begins."""

    lease: Lease


class LeaseFinalizing(Event, frozen=True):
    """`prove_start` returned: the lane is free for the next partition, the rest runs on the CPU."""

    lease: int


class LeaseEnded(Event, frozen=True):
    """Work on a partition ended. `retry`: it failed and is tried again; `dropped`: its job had ended."""

    lease: int
    result: LeaseResult
    error: str | None = None


class ProcessMoved(Event, frozen=True):
    """A worker process changed state."""

    process: str
    state: ProcessState
    pid: int | None = None
    reason: str | None = None


class DeviceFound(Event, frozen=True):
    """A device exists, and has these lanes."""

    device: str
    ordinal: int
    lanes: tuple[int, ...]
    """Ids of its workers; unique over all devices."""


class DeviceSampled(Event, frozen=True):
    """What is known of a device now; None is unknown."""

    device: str
    name: str
    kind: str
    memory_total: int | None = None
    memory_free: int | None = None
    temperature_c: float | None = None
    utilisation: float | None = None
    unknown: dict[str, str] = {}


class GpusSampled(Event, frozen=True):
    """What the driver tells of this machine's GPUs, whether anything is proved on them or not."""

    gpus: tuple[Gpu, ...]
    reason: str | None = None
    """Why none can be known."""


class DeviceFault(Event, frozen=True):
    """A device failed at a partition."""

    device: str
    error: str


class VerifyFailed(Event, frozen=True):
    """A proof did not verify with its job's public inputs."""

    job_id: str
    partition: int


class Reserved(Event, frozen=True):
    """An owner holds so many bytes of the budget from now on; 0 gives them back."""

    owner: Owner
    size: int


class StandingReserve(Event, frozen=True):
    """So many bytes are kept for CRITICAL jobs, beyond what they hold."""

    size: int


class FileMoved(Event, frozen=True):
    """A circuit's parameter file was, or is being, checked."""

    circuit_id: str
    state: FileState
    error: str | None = None


class SrsMoved(Event, frozen=True):
    """A circuit's parameters on one device."""

    circuit_id: str
    device: str
    state: SrsState
    load_ms: int | None = None


class Waiting(Event, frozen=True):
    """Why partitions of a circuit do not move: before synthesis, and before the device. None: nothing holds them."""

    circuit_id: str
    synthesis: str | None
    device: str | None
