# ruff: noqa: D102 (docs/engine.md documents the methods)
"""The engine as the daemon sees it; docs/engine.md says what each method promises."""

from contextlib import AbstractContextManager
from typing import Protocol

from cuzk.engine.request import ProofRequest
from cuzk.engine.status import Status


class Receipt(Protocol):
    """A job is on disk."""

    job_id: str
    queue_position: int


class Outcome(Protocol):
    """How a job ended, or that it has not yet."""

    job_id: str
    status: str
    proof: bytes
    error: str
    queue_wait_ms: int
    srs_load_ms: int
    synthesis_ms: int
    gpu_compute_ms: int
    total_ms: int


class Preloaded(Protocol):
    """A circuit's parameters are hot."""

    already_loaded: bool
    load_time_ms: int


class Evicted(Protocol):
    """A circuit's parameters are gone, unless a job uses them."""

    was_loaded: bool
    freed_bytes: int


class Engine(Protocol):
    """What takes requests, proves, and says what it is doing."""

    async def start(self) -> None: ...

    async def submit(
        self, request: ProofRequest, *, attended: bool = False, deadline: float | None = None
    ) -> Receipt: ...

    async def wait(self, job_id: str, timeout: float | None = None) -> Outcome: ...

    def release(self, job_id: str) -> None: ...

    async def cancel(self, job_id: str) -> bool: ...

    async def preload(self, circuit_id: str) -> Preloaded: ...

    async def evict(self, circuit_id: str) -> Evicted: ...

    def status(self) -> Status: ...

    def status_json(self) -> bytes: ...

    def ready(self) -> str | None: ...

    def payload(self, nbytes: int) -> AbstractContextManager[None]: ...

    async def drain(self, timeout: float) -> bool: ...

    async def stop(self) -> None: ...
