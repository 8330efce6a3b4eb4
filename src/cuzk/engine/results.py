"""What the engine answers."""

from dataclasses import dataclass
from typing import Literal, Self

import msgspec

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
    finished: float = 0.0
    """Unix time."""
    queue_wait_ms: int = 0
    srs_load_ms: int = 0
    synthesis_ms: int = 0
    """Sum over partitions, as is the next."""
    gpu_compute_ms: int = 0
    total_ms: int = 0

    @classmethod
    def ended(
        cls, job_id: str, state: JobState, proof: bytes, error: str | None, finished: float, timings: Timings
    ) -> Self:
        """Return how a job ended."""
        status: OutcomeStatus = "completed" if state == "done" else "failed" if state == "failed" else "cancelled"
        return cls(job_id, status, proof, error or "", finished, *msgspec.structs.astuple(timings))


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


def outcome_of_record(record: JobRecord) -> Outcome:
    """Return the outcome of a finished job of the journal."""
    finished = record.finished or record.submitted
    return Outcome.ended(record.job_id, record.state, record.proof, record.error, finished, record.timings)


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
