"""Which job a request means.

A job is known by (request id, digest of the content). The same pair attaches while it runs, and gets the stored proof
once it is done; after failure or cancellation it starts anew. The same request id with other content is another job.
The first job of a request id has that id for its own, the others `<request id>~2`, `~3`, …; ids may hold any character.
"""

from dataclasses import dataclass, replace

from cuzk.engine.states import JobState


@dataclass(frozen=True)
class Known:
    """A job that the engine remembers."""

    job_id: str
    request_id: str
    digest: bytes
    attempt: int
    """How often this pair was started, this time included."""
    state: JobState = "checking"

    @property
    def attachable(self) -> bool:
        """Another request of the same pair can have its result."""
        return self.state not in ("failed", "cancelled")


class Identities:
    """All jobs that the engine remembers, by their ids."""

    def __init__(self) -> None:
        self._by_job: dict[str, Known] = {}
        self._by_request: dict[str, list[str]] = {}

    def resolve(self, request_id: str, digest: bytes) -> Known:
        """Return the job to attach to, or a new one, not yet added (its id is not `in` this)."""
        same = [known for known in self._of_request(request_id) if known.digest == digest]
        if same and same[-1].attachable:
            return same[-1]
        attempt = same[-1].attempt + 1 if same else 1
        return Known(self._free_id(request_id), request_id, digest, attempt)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._by_job

    def add(self, known: Known) -> None:
        """Remember a job."""
        self._by_job[known.job_id] = known
        self._by_request.setdefault(known.request_id, []).append(known.job_id)

    def moved(self, job_id: str, state: JobState) -> None:
        """Take note of a job's new state."""
        self._by_job[job_id] = replace(self._by_job[job_id], state=state)

    def forget(self, job_id: str) -> None:
        """Forget a job."""
        known = self._by_job.pop(job_id, None)
        if known is None:
            return
        jobs = self._by_request[known.request_id]
        jobs.remove(job_id)
        if not jobs:
            del self._by_request[known.request_id]

    def find(self, name: str) -> str | None:
        """Return the job that a caller means: an id that was handed out, or the newest job of a bare request id."""
        known = self._by_job.get(name)
        if known is not None and known.request_id != name:
            return name
        jobs = self._by_request.get(name)
        return jobs[-1] if jobs else None

    def _of_request(self, request_id: str) -> list[Known]:
        return [self._by_job[job_id] for job_id in self._by_request.get(request_id, ())]

    def _free_id(self, request_id: str) -> str:
        if request_id not in self._by_job and request_id not in self._by_request:
            return request_id
        number = 2
        while f"{request_id}~{number}" in self._by_job or f"{request_id}~{number}" in self._by_request:
            number += 1
        return f"{request_id}~{number}"
