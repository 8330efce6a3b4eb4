"""How a request becomes a job: checked, on disk, in line; and how the journal's unfinished jobs come back."""

import asyncio
import os
from collections.abc import Callable
from typing import Any, TypeVar

import structlog

from cuzk.engine.book import Handle, JobBook
from cuzk.engine.checks import CheckedRequest
from cuzk.engine.core import Core
from cuzk.engine.encoded import EncodedRequest
from cuzk.engine.errors import CheckFailedError, DrainingError, EngineError, NeverFitsError, QueueFullError
from cuzk.engine.explain import mib
from cuzk.engine.identity import Known
from cuzk.engine.journal import JobRecord, Journal
from cuzk.engine.messages import reason_of
from cuzk.engine.pipeline import Pipeline
from cuzk.engine.results import outcome_of_record
from cuzk.engine.segments import in_thread, write_segment
from cuzk.errors import InputError
from cuzk.filecoin.request import Priority, Request

log = structlog.get_logger("cuzk.engine")

T = TypeVar("T")

_SMALL = 1 << 16
_RECOVERY_ATTEMPTS = 3
_RETRY_SECONDS = 0.5


class Intake:
    """Takes requests in."""

    def __init__(
        self, core: Core, pipeline: Pipeline, journal: Journal, book: JobBook, wall_clock: Callable[[], float]
    ) -> None:
        self._core = core
        self._pipeline = pipeline
        self._journal = journal
        self._book = book
        self._wall_clock = wall_clock
        self.under_way: set[str] = set()
        """Jobs that are being taken in, even if they have ended meanwhile."""

    async def encoded(self, request: Request) -> EncodedRequest:
        """Return a request as the message that it would come as."""
        return await _run(EncodedRequest.of_request, request, big=_is_big(request))

    async def digest(self, request: EncodedRequest) -> bytes:
        """Return what tells this request from others."""
        return await _run(request.digest, big=len(request.data) > _SMALL)

    def take_up(self, handle: Handle, kind: str, priority: Priority) -> None:
        """Make a job known that is about to be checked."""
        known, now = handle.known, self._wall_clock()
        clock = self._core.context.clock()
        todo = self._core.job_checking(
            known.job_id,
            known.request_id,
            kind,
            priority,
            attempt=known.attempt,
            submitted_at=clock - (now - handle.submitted),
            deadline=None if handle.deadline is None else clock + (handle.deadline - now),
        )
        self._book.open(handle)
        self.under_way.add(known.job_id)
        self._pipeline.perform(todo)

    async def accept(self, handle: Handle, request: EncodedRequest) -> None:
        """Check a request and put it on disk; whatever comes of it goes to `handle.accepted`."""
        job_id = handle.known.job_id
        try:
            await self._accept(handle, request)
        except asyncio.CancelledError:
            self._refuse(handle, DrainingError("the engine was stopped before the job was on disk"))
            raise
        except (EngineError, InputError) as error:
            self._refuse(handle, error)
        except Exception as error:
            log.exception("a request could not be accepted", job=job_id)
            self._refuse(handle, CheckFailedError(f"the request could not be checked: {reason_of(error)}"))
        else:
            handle.accepted.set_result(None)
        finally:
            self.under_way.discard(job_id)

    def recover(self, records: list[JobRecord]) -> list[str]:
        """Take the journal's jobs in; return the unfinished ones, which `take_up_again` wants."""
        unfinished = []
        for record in records:
            known = Known(record.job_id, record.request_id, record.digest, record.attempt, record.state)
            if record.finished is not None:
                self._book.recovered(known, outcome_of_record(record))
                continue
            handle = Handle(known, record.submitted, record.deadline, kept=not record.attended)
            handle.accepted.set_result(None)
            self.take_up(handle, record.kind, Priority(record.priority))
            self._book.watch(handle)
            unfinished.append(record.job_id)
        return unfinished

    async def take_up_again(self, job_ids: list[str]) -> None:
        """Check unfinished jobs again, one after the other, and put them in line without what they have already."""
        for job_id in job_ids:
            try:
                proofs = await self._journal.proofs(job_id)
                checked = await self._check_again(job_id)
                self._queue(job_id, checked, {i: proof for i, proof in proofs.items() if i < checked.partitions})
            except Exception as error:
                if not isinstance(error, (InputError, EngineError)):
                    log.exception("a job could not be taken up again", job=job_id)
                self._pipeline.perform(self._core.job_failed(job_id, f"after a restart: {reason_of(error)}"))
            finally:
                self.under_way.discard(job_id)

    def take_payload(self, name: str, size: int, *, critical: bool) -> None:
        """Claim memory for bytes in flight; QueueFullError if there is none."""
        taken, todo = self._core.take_payload(name, size, critical=critical)
        self._pipeline.perform(todo)
        if not taken:
            raise QueueFullError(f"there is no room for {mib(size)} of payload now; try again later")

    def budget(self) -> str:
        """Say what the memory budget is."""
        reserve = self._core.memory.critical_need
        kept = f", of which {mib(reserve)} are kept for CRITICAL jobs" if reserve else ""
        return f"the memory budget is {mib(self._core.memory.total)}{kept}"

    async def _accept(self, handle: Handle, request: EncodedRequest) -> None:
        job_id, critical = handle.known.job_id, request.priority == Priority.CRITICAL
        checked = await self._check(job_id, request.data, critical=critical)
        try:
            if (need := self._core.never_fits(checked.circuit_id, checked.size, critical=critical)) is not None:
                raise NeverFitsError(f"a partition of {checked.circuit_id} takes {mib(need)}, {self.budget()}")
            if self._is_open(job_id):
                await self._journal.add(_record(handle, request), request.data)
        except BaseException:
            os.close(checked.descriptor)
            raise
        self._queue(job_id, checked, {})

    async def _check(self, job_id: str, payload: bytes | memoryview, *, critical: bool) -> CheckedRequest:
        """Have a request checked; while that lasts its bytes count twice, here and in the segment."""
        self.take_payload(job_id, 2 * len(payload), critical=critical)
        try:
            checked = await self._checked(payload)
        except BaseException:
            self._pipeline.perform(self._core.set_payload(job_id, 0))
            raise
        self._pipeline.perform(self._core.set_payload(job_id, checked.size))
        return checked

    async def _checked(self, payload: bytes | memoryview) -> CheckedRequest:
        """Have a request checked, and what its circuit needs be known from here on."""
        arguments = "cuzk-request", [payload]
        segment = await in_thread(write_segment, *arguments) if len(payload) > _SMALL else write_segment(*arguments)
        try:
            checked = await self._pipeline.request_checks.check(segment)
        finally:
            os.close(segment)
        facts = self._core.context.circuits[checked.circuit_id]
        try:
            await asyncio.to_thread(lambda: facts.needs)
        except BaseException:
            os.close(checked.descriptor)
            raise
        return checked

    async def _check_again(self, job_id: str) -> CheckedRequest:
        payload = await self._journal.payload(job_id)
        request = await _run(EncodedRequest.of_message, payload, big=True)
        critical = request.priority == Priority.CRITICAL
        attempts = 0
        while True:
            try:
                return await self._check(job_id, payload, critical=critical)
            except QueueFullError:  # no room yet: others must end first
                await asyncio.sleep(_RETRY_SECONDS)
            except CheckFailedError:
                attempts += 1
                if attempts == _RECOVERY_ATTEMPTS:
                    raise

    def _queue(self, job_id: str, checked: CheckedRequest, proved: dict[int, bytes]) -> None:
        if self._is_open(job_id):
            self._pipeline.keep_job(job_id, checked.descriptor)
            self._pipeline.perform(self._core.job_queued(job_id, checked.circuit_id, checked.partitions, proved))
        else:  # cancelled meanwhile
            os.close(checked.descriptor)
            self._pipeline.perform(self._core.set_payload(job_id, 0))

    def _refuse(self, handle: Handle, error: Exception) -> None:
        job = self._core.world.jobs.get(handle.known.job_id)
        if job is not None and job.state == "checking":
            self._pipeline.perform(self._core.job_refused(job.job_id, str(error)))
            self._book.refused(handle, error)
        elif job is not None and job.unfinished:  # too late to refuse it: it is a job, and one that failed
            self._pipeline.perform(self._core.job_failed(job.job_id, reason_of(error)))
            handle.accepted.set_result(None)
        else:  # cancelled meanwhile
            handle.refuse(error)
            self._pipeline.perform(self._core.set_payload(handle.known.job_id, 0))

    def _is_open(self, job_id: str) -> bool:
        job = self._core.world.jobs.get(job_id)
        return job is not None and job.unfinished


def _record(handle: Handle, request: EncodedRequest) -> JobRecord:
    known = handle.known
    return JobRecord(
        known.job_id,
        known.request_id,
        known.digest,
        request.kind.display,
        int(request.priority),
        known.attempt,
        not handle.kept,
        handle.submitted,
        handle.deadline,
    )


def _is_big(request: Request) -> bool:
    return len(request.vanilla_proof) + sum(map(len, request.vanilla_proofs)) > _SMALL


async def _run(function: Callable[..., T], *arguments: Any, big: bool) -> T:
    """Call a function, in a thread if it has much to do."""
    return await asyncio.to_thread(function, *arguments) if big else function(*arguments)
