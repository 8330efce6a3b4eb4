"""The jobs that callers can ask for: who waits for which, who holds the line, and the results that are kept."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from cuzk.engine.errors import DrainingError, UnknownJobError
from cuzk.engine.identity import Identities, Known
from cuzk.engine.results import Outcome
from cuzk.engine.states import JobState


@dataclass
class Handle:
    """An unfinished job, as its callers have it."""

    known: Known
    submitted: float
    """Unix time, as is the deadline."""
    deadline: float | None
    kept: bool
    """Somebody submitted it without holding the line, so it is never orphaned."""
    callers: int = 0
    orphan_timer: asyncio.TimerHandle | None = None
    accepted: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    ended: "asyncio.Future[Outcome]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def refuse(self, error: BaseException) -> None:
        """Tell all who wait that nothing will come."""
        for future in (self.accepted, self.ended):
            if not future.done():
                future.set_exception(error)
                future.exception()  # there may be nobody to see it


class JobBook:
    """Handles of unfinished jobs, outcomes of finished ones."""

    def __init__(self, orphan_grace: float, cancel: Callable[[str, str], None]) -> None:
        self.identities = Identities()
        self.handles: dict[str, Handle] = {}
        self.outcomes: dict[str, Outcome] = {}
        self._orphan_grace = orphan_grace
        self._cancel = cancel

    def find(self, job_id: str) -> str:
        """Return the job that a caller means by an id."""
        name = self.identities.find(job_id)
        if name is None:
            raise UnknownJobError(f"job not found: {job_id}")
        return name

    def outcome(self, job_id: str) -> Outcome:
        """Return how a job ended; UnknownJobError if that is not known any more."""
        try:
            return self.outcomes[job_id]
        except KeyError:
            raise UnknownJobError(f"job not found: {job_id}") from None

    def open(self, handle: Handle) -> None:
        """Take an unfinished job in."""
        self.identities.add(handle.known)
        self.handles[handle.known.job_id] = handle

    def refused(self, handle: Handle, error: BaseException) -> None:
        """Forget a job that never came to be."""
        self.identities.forget(handle.known.job_id)
        self.handles.pop(handle.known.job_id, None)
        self._stop_timer(handle)
        handle.refuse(error)

    def recovered(self, known: Known, outcome: Outcome) -> None:
        """Take a finished job of the journal in."""
        self.identities.add(known)
        self.outcomes[known.job_id] = outcome

    def ended(self, state: JobState, outcome: Outcome) -> None:
        """Tell those who wait how a job ended, and keep it."""
        handle = self.handles.pop(outcome.job_id)
        self._stop_timer(handle)
        self.identities.moved(outcome.job_id, state)
        self.outcomes[outcome.job_id] = outcome
        if not handle.ended.done():  # the engine may have stopped waiting for it
            handle.ended.set_result(outcome)

    def forget(self, older_than: float, more_than: int, in_use: Callable[[str], bool]) -> list[str]:
        """Forget outcomes that are old or too many; return whose. Ids in use must not be given to others yet."""
        surplus = len(self.outcomes) - more_than
        old = [
            job_id
            for number, (job_id, outcome) in enumerate(self.outcomes.items())
            if (number < surplus or outcome.finished < older_than) and not in_use(job_id)
        ]
        for job_id in old:
            del self.outcomes[job_id]
            self.identities.forget(job_id)
        return old

    def hold(self, handle: Handle, *, attended: bool) -> None:
        """Count a caller; one who does not hold the line keeps the job for good."""
        handle.kept = handle.kept or not attended
        handle.callers += attended
        if handle.kept or handle.callers:
            self._stop_timer(handle)

    def release(self, handle: Handle) -> None:
        """Count a caller less; the last one starts the time after which the job is cancelled."""
        handle.callers -= 1
        if self.handles.get(handle.known.job_id) is handle:  # not refused meanwhile, so that the id is another's
            self.watch(handle)

    def watch(self, handle: Handle) -> None:
        """Start the orphan timer of a job that nobody holds."""
        if handle.kept or handle.callers or handle.orphan_timer is not None:
            return
        loop = asyncio.get_running_loop()
        handle.orphan_timer = loop.call_later(self._orphan_grace, self._orphaned, handle.known.job_id)

    def close(self) -> None:
        """Let all callers go."""
        refusal = DrainingError("the engine was stopped; the job is kept and goes on at the next start")
        for handle in self.handles.values():
            self._stop_timer(handle)
            handle.refuse(refusal)

    def _orphaned(self, job_id: str) -> None:
        reason = f"its caller went away, and nobody asked for it again in {self._orphan_grace:.0f} s"
        self._cancel(job_id, reason)

    @staticmethod
    def _stop_timer(handle: Handle) -> None:
        if handle.orphan_timer is not None:
            handle.orphan_timer.cancel()
            handle.orphan_timer = None
