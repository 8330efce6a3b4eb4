"""What the engine answers."""

from dataclasses import dataclass, field
from typing import Literal

from cuzk.engine.journal import JobRecord, Timings
from cuzk.engine.states import JobState
from cuzk.engine.world import Job, World

OutcomeStatus = Literal["completed", "failed", "cancelled", "timeout"]


@dataclass(frozen=True)
class Receipt:
    """What a submit answers: the job, how many are before it, and whether it existed already."""

    job_id: str
    queue_position: int
    attached: bool


@dataclass(frozen=True)
class Outcome:
    """How a job ended, or `timeout` if it has not yet. `proof` is never empty when completed."""

    job_id: str
    status: OutcomeStatus
    proof: bytes = b""
    error: str = ""
    timings: Timings = field(default_factory=Timings)
    finished: float = 0.0
    """Unix time."""


@dataclass(frozen=True)
class Preloaded:
    """What a preload did."""

    already_loaded: bool
    load_time_ms: int


@dataclass(frozen=True)
class Evicted:
    """What an eviction did; nothing is freed of what is in use."""

    was_loaded: bool
    freed_bytes: int


def outcome_status(state: JobState) -> OutcomeStatus:
    """Return what callers are told of a job that ended."""
    if state == "done":
        return "completed"
    return "failed" if state == "failed" else "cancelled"


def outcome_of_record(record: JobRecord) -> Outcome:
    """Return the outcome of a finished job of the journal."""
    finished = record.finished or record.submitted
    status = outcome_status(record.state)
    return Outcome(record.job_id, status, record.proof, record.error or "", record.timings, finished)


def timings_of_job(world: World, job: Job) -> Timings:
    """Return what a finished job took."""
    end = job.submitted_at if job.finished_at is None else job.finished_at
    started = end if job.started_at is None else job.started_at
    return Timings(
        queue_wait_ms=round((started - job.submitted_at) * 1000),
        srs_load_ms=_load_ms(world, job, started),
        synthesis_ms=job.synthesis_ms,
        gpu_compute_ms=job.gpu_ms,
        total_ms=round((end - job.submitted_at) * 1000),
    )


def _load_ms(world: World, job: Job, started: float) -> int:
    """Return how long parameters were loaded while this job waited for them."""
    circuit = world.circuits.get(job.circuit_id or "")
    loads = () if circuit is None else circuit.srs.values()
    return max((srs.load_ms or 0 for srs in loads if srs.loaded_at is not None and srs.loaded_at >= started), default=0)
