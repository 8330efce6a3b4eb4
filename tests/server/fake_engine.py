"""An engine that proves nothing: jobs end when the test says so."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from cuzk.engine import (
    DrainingError,
    Evicted,
    Outcome,
    Preloaded,
    QueueFullError,
    Receipt,
    Request,
    Status,
    UnknownJobError,
)
from cuzk.engine.encoded import EncodedRequest
from cuzk.engine.events import Event
from cuzk.errors import InputError
from tests.panel import snapshots


class FakeEngine:
    """Holds jobs in a dictionary; `finish` ends one."""

    def __init__(self, max_pending: int = 15) -> None:
        self.max_pending = max_pending
        self.requests: dict[str, Request] = {}
        self.jobs: dict[str, asyncio.Future[Outcome]] = {}
        self.attended: Counter[str] = Counter()
        self.deadlines: dict[str, float | None] = {}
        self.in_flight = 0
        self.peak_in_flight = 0
        self.error: Exception | None = None
        self.snapshot = snapshots.busy()
        self.not_ready: str | None = "starting"
        self.life: list[str] = []

    async def start(self) -> None:
        self.not_ready = None
        self.life.append("start")

    async def submit(
        self, request: EncodedRequest, *, attended: bool = False, deadline: float | None = None
    ) -> Receipt:
        if self.error is not None:
            raise self.error
        if self.not_ready is not None:
            raise DrainingError(self.not_ready)
        unfinished = sum(not job.done() for job in self.jobs.values())
        if unfinished >= self.max_pending:
            raise QueueFullError(f"{unfinished} jobs are unfinished, of at most {self.max_pending}")
        job_id = request.request_id or f"made-{len(self.jobs)}"
        attached = job_id in self.jobs
        self.jobs.setdefault(job_id, asyncio.get_running_loop().create_future())
        self.requests[job_id] = request.decode()
        self.attended[job_id] += attended
        self.deadlines[job_id] = deadline
        return Receipt(job_id, unfinished, attached)

    def release(self, job_id: str) -> None:
        self.attended[job_id] -= 1

    def finish(self, job_id: str, status: str = "completed", proof: bytes = b"\x01" * 192, error: str = "") -> None:
        proof = proof if status == "completed" else b""
        self.jobs[job_id].set_result(Outcome(job_id, status, proof, error, 0.0, 1, 2, 3, 4, 10))

    async def wait(self, job: str | Receipt, timeout: float | None = None) -> Outcome:
        job_id = job.job_id if isinstance(job, Receipt) else job
        if job_id not in self.jobs:
            raise UnknownJobError(f"no job has the id {job_id!r}")
        try:
            return await asyncio.wait_for(asyncio.shield(self.jobs[job_id]), timeout)
        except TimeoutError:
            return Outcome(job_id, "timeout", error=f"not finished after {timeout} s")

    async def cancel(self, job_id: str) -> bool:
        if job_id not in self.jobs:
            raise UnknownJobError(f"no job has the id {job_id!r}")
        if self.jobs[job_id].done():
            return False
        self.finish(job_id, "cancelled")
        return True

    async def preload(self, circuit_id: str) -> Preloaded:
        if circuit_id != "winning-2k":
            raise InputError(f"circuit_id: expected one of winning-2k, got {circuit_id!r}")
        return Preloaded(False, 42)

    async def evict(self, circuit_id: str) -> Evicted:
        return Evicted(circuit_id == "winning-2k", 123 if circuit_id == "winning-2k" else 0)

    def status(self) -> Status:
        return msgspec.convert(self.snapshot, Status)

    def status_json(self) -> bytes:
        return msgspec.json.encode(self.snapshot)

    def subscribe(self, callback: Callable[[Event], None]) -> None:
        self.callback = callback

    def ready(self) -> str | None:
        return self.not_ready

    @contextlib.contextmanager
    def payload(self, nbytes: int) -> Iterator[None]:
        self.in_flight += nbytes
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        try:
            yield
        finally:
            self.in_flight -= nbytes

    async def drain(self, timeout: float) -> bool:
        self.not_ready = "draining"
        self.life.append("drain")
        unfinished = [job for job in self.jobs.values() if not job.done()]
        if unfinished:
            _, left = await asyncio.wait(unfinished, timeout=timeout)
            return not left
        return True

    async def stop(self) -> None:
        self.life.append("stop")
