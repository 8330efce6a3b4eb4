"""What the core tells the shell around it to do; the shell does it and reports what became of it."""

from dataclasses import dataclass

from cuzk.engine.events import Lease
from cuzk.engine.states import JobState


@dataclass(frozen=True, slots=True)
class StartProcess:
    """Start a worker process after a delay; report `process_up` or `process_died`."""

    process: str
    delay: float


@dataclass(frozen=True, slots=True)
class StopProcess:
    """End a worker process; it must not be restarted by itself."""

    process: str


@dataclass(frozen=True, slots=True)
class KillProcess:
    """End a worker process that hangs; report `process_died` with this reason."""

    process: str
    reason: str


@dataclass(frozen=True, slots=True)
class Synthesize:
    """Send a partition, with a segment of this size, to a synthesis process; report `synthesized` or `lease_failed`."""

    lease: Lease
    circuit_id: str
    segment_size: int


@dataclass(frozen=True, slots=True)
class Prove:
    """Send a synthesized partition to a device process; report `started`, then `proved` or `lease_failed`."""

    lease: Lease
    circuit_id: str


@dataclass(frozen=True, slots=True)
class CancelLease:
    """Tell a worker that the result of a lease is not wanted, so that it stops at its next step."""

    lease: Lease


@dataclass(frozen=True, slots=True)
class ReleaseSegment:
    """A partition needs its segment no longer; keep it in the pool, or close it."""

    job_id: str
    partition: int
    size: int
    keep: bool


@dataclass(frozen=True, slots=True)
class TrimSegment:
    """Give the pages of a and b back: the last bytes of the segment."""

    job_id: str
    partition: int
    tail: int


@dataclass(frozen=True, slots=True)
class DropPooled:
    """Close one free segment of this size."""

    size: int


@dataclass(frozen=True, slots=True)
class CheckFile:
    """Check a circuit's parameter file; report `file_checked`."""

    circuit_id: str


@dataclass(frozen=True, slots=True)
class LoadSrs:
    """Load a circuit's parameters on a device; report `srs_loaded` or `srs_failed`."""

    circuit_id: str
    device: str


@dataclass(frozen=True, slots=True)
class UnloadSrs:
    """Give a circuit's parameters on a device back."""

    circuit_id: str
    device: str


@dataclass(frozen=True, slots=True)
class UnloadCircuit:
    """Give a compiled circuit in a synthesis process back."""

    circuit_id: str
    process: str


@dataclass(frozen=True, slots=True)
class RecordProof:
    """Put the proof of one partition into the journal."""

    job_id: str
    partition: int
    proof: bytes


@dataclass(frozen=True, slots=True)
class FinishJob:
    """A job ended: put it into the journal and tell those who wait; `proof` is all partitions' when done."""

    job_id: str
    state: JobState
    proof: bytes
    error: str | None


@dataclass(frozen=True, slots=True)
class FinishPreload:
    """The parameters that were wanted are hot, or cannot be."""

    circuit_id: str
    error: str | None


Instruction = (
    StartProcess
    | StopProcess
    | KillProcess
    | Synthesize
    | Prove
    | CancelLease
    | ReleaseSegment
    | TrimSegment
    | DropPooled
    | CheckFile
    | LoadSrs
    | UnloadSrs
    | UnloadCircuit
    | RecordProof
    | FinishJob
    | FinishPreload
)
