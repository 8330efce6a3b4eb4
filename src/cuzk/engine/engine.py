"""The engine: what the daemon, the command line and Python programs call.

All methods belong to the event loop that called `start`, and none of them holds it up: what takes time runs in worker
processes, what blocks runs in threads.
"""

import asyncio
import platform
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from itertools import chain
from typing import Any, Literal

import msgspec
import numpy as np
import structlog

from cuzk.devices.nvml import gpus
from cuzk.engine import events
from cuzk.engine import instructions as do
from cuzk.engine.book import Handle, JobBook
from cuzk.engine.checks import FileChecks
from cuzk.engine.config import Config
from cuzk.engine.context import Context, Settings
from cuzk.engine.core import Core
from cuzk.engine.encoded import EncodedRequest
from cuzk.engine.errors import DrainingError, NeverFitsError, QueueFullError
from cuzk.engine.explain import mib
from cuzk.engine.intake import Intake
from cuzk.engine.journal import Journal
from cuzk.engine.kinds import RegistrySource
from cuzk.engine.limits import cpu_limit, memory_limit
from cuzk.engine.pipeline import CHECKING, Callbacks, Pipeline
from cuzk.engine.pool import start_forkserver
from cuzk.engine.results import Evicted, Outcome, Preloaded, Receipt, timings_of_job
from cuzk.engine.snapshot import Identity, snapshot
from cuzk.engine.status import Status
from cuzk.engine.worker import SAMPLE_EVERY
from cuzk.engine.world import World
from cuzk.errors import InputError
from cuzk.filecoin.request import Request

log = structlog.get_logger("cuzk.engine")

TICK_SECONDS = 0.5


class Engine:
    """Takes requests, makes proofs that have verified, and says at every moment what it does."""

    def __init__(
        self,
        config: Config,
        *,
        registry: RegistrySource | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        validate: bool = False,
    ) -> None:
        self.config = config
        self._source = _filecoin(config) if registry is None else registry
        self._registry = self._source.load()
        self._clock = clock
        self._wall_clock = wall_clock
        settings = _settings(config, validate=validate)
        self._world = World(
            started_at=clock(),
            memory_total=settings.memory_total,
            threads_total=settings.threads_total,
            validate=validate,
        )
        self._context = Context(settings, self._registry.circuits, clock, self._world)
        self._core = Core(self._context)
        self._book = JobBook(config.jobs.orphan_grace, self._cancel)
        self._journal = Journal(config.daemon.data_dir, self._journal_moved)
        file_checks = FileChecks(config.daemon.data_dir / "verified.json")
        callbacks = Callbacks(self._job_finished, self._preload_finished)
        circuits = self._registry.circuits
        self._pipeline = Pipeline(self._core, self._journal, self._source, circuits, file_checks, callbacks)
        self._intake = Intake(self._core, self._pipeline, self._journal, self._book, wall_clock)
        self._identity = Identity(
            boot_id=uuid.uuid4().hex,
            host=platform.node(),
            versions={"cuzk": version("cuzk"), "python": platform.python_version(), "numpy": np.__version__},
            dev_params=config.srs.dev_params,
            kinds=list(self._registry.kinds),
            synthesis_slots=settings.synthesis_slots,
        )
        self._preloads: dict[str, list[asyncio.Future[None]]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._messages = 0

    # Life

    async def start(self) -> None:
        """Start worker processes, open the journal, take up again what it has. InputError, StorageError."""
        devices = self._devices()
        start_forkserver(self._source)
        self._loop = asyncio.get_running_loop()
        records = await asyncio.to_thread(self._journal.open)
        self._core.memory.keep_for_critical(await asyncio.to_thread(self._critical_need))
        lane, lanes = 0, self.config.gpus.gpu_workers_per_device if self.config.pipeline.enabled else 1
        for number, device in enumerate(devices):
            self._perform(self._core.device_found(device, _ordinal(device, number), range(lane, lane + lanes)))
            lane += lanes
        for number in range(self.config.pipeline.synthesis_concurrency):
            self._perform(self._core.start_process(f"{CHECKING}{number}"))
        unfinished = self._intake.recover(records)
        if unfinished:
            log.info("taking up unfinished jobs", jobs=len(unfinished))
            self._spawn(self._intake.take_up_again(unfinished))
        self._spawn(self._tick())
        self._spawn(self._watch_gpus())
        self._move("serving")

    async def drain(self, timeout: float | None = None) -> bool:
        """Accept nothing more and wait for what is unfinished; say whether all of it ended in time."""
        if self._world.engine.state == "serving":
            self._move("draining", "the engine finishes what it has and accepts nothing more")
        ends = [handle.ended for handle in self._book.handles.values()]
        if ends:
            await asyncio.wait(ends, timeout=timeout)
        return not self._book.handles

    async def stop(self) -> None:
        """End all processes and close the journal; unfinished jobs stay in it, for the next start."""
        self._move("stopped", "the engine was stopped")
        for task in list(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        self._book.close()
        for future in chain.from_iterable(self._preloads.values()):
            if not future.done():
                future.set_exception(DrainingError("the engine was stopped before the parameters were loaded"))
        self._perform(self._core.stop_all())
        await self._pipeline.close()
        await asyncio.to_thread(self._journal.close)

    def ready(self) -> str | None:
        """Return why no proof can be made now, or None if one can."""
        world = self._world
        if world.engine.state != "serving":
            return world.engine.reason or world.engine.state
        if world.journal.error is not None:
            return f"the journal cannot be written: {world.journal.error}"
        states = {name: world.processes[name].state for name in world.devices}
        if "up" not in states.values():
            return f"no device is ready: {', '.join(f'{name} is {state}' for name, state in states.items())}"
        return None

    # Jobs

    async def submit(
        self, request: Request | EncodedRequest, *, attended: bool = False, deadline: float | None = None
    ) -> Receipt:
        """Accept a request: it is checked, and on disk, when this returns. See docs/engine.md for errors and identity.

        `attended`: the caller holds the line, and calls `release` when it lets go. `deadline` is a Unix time.
        """
        self._must_serve()
        encoded = request if isinstance(request, EncodedRequest) else await self._intake.encoded(request)
        digest = await self._intake.digest(encoded)
        self._must_serve()
        known = self._book.identities.resolve(request.request_id or str(uuid.uuid4()), digest)
        attached = known.job_id in self._book.identities
        if not attached:
            self._must_have_room()
            handle = Handle(known, self._wall_clock(), deadline, kept=not attended)
            self._intake.take_up(handle, request.kind.display, request.priority)
            self._spawn(self._intake.accept(handle, encoded))
        waiting = self._book.handles.get(known.job_id)
        if waiting is not None:
            self._book.hold(waiting, attended=attended)
            try:
                await asyncio.shield(waiting.accepted)
            except BaseException:
                if attended:
                    self._book.release(waiting)
                raise
            if attached and not attended:
                await self._journal.keep(known.job_id)
        return Receipt(known.job_id, self._position(known.job_id), attached)

    async def wait(self, job: str | Receipt, timeout: float | None = None) -> Outcome:
        """Wait for a job's end, at most so many seconds; UnknownJobError if there is no such job.

        A receipt means its own job; a bare request id means the newest of that id, which may be another's.
        """
        name = job.job_id if isinstance(job, Receipt) else self._book.find(job)
        handle = self._book.handles.get(name)
        if handle is None:
            return self._book.outcome(name)
        done, _ = await asyncio.wait([handle.ended], timeout=timeout)
        return handle.ended.result() if done else Outcome(name, "timeout")

    async def prove(self, request: Request, *, deadline: float | None = None) -> Outcome:
        """Submit and wait. Whoever is cancelled here leaves the job to `jobs.orphan_grace`."""
        receipt = await self.submit(request, attended=True, deadline=deadline)
        try:
            return await self.wait(receipt)
        finally:
            self.release(receipt.job_id)

    def release(self, job_id: str) -> None:
        """Let go of a job that was submitted `attended`; the last to do so leaves it to `jobs.orphan_grace`."""
        if (handle := self._book.handles.get(job_id)) is not None:
            self._book.release(handle)

    async def cancel(self, job_id: str) -> bool:
        """Cancel a job; say whether it was unfinished. UnknownJobError if there is no such job."""
        name = self._book.find(job_id)
        unfinished = name in self._book.handles
        if unfinished:
            self._cancel(name, "cancelled")
        return unfinished

    def story(self, job_id: str) -> list[str]:
        """Return what happened to a job so far, as long as status shows it; UnknownJobError."""
        job = self._world.jobs.get(self._book.find(job_id))
        return [] if job is None else list(job.story)

    # Parameters

    async def preload(self, circuit_id: str) -> Preloaded:
        """Have a circuit's parameters loaded and wait for it; InputError says why that cannot be."""
        self._must_serve()
        self._must_know(circuit_id)
        if self._core.srs.devices_in(circuit_id, "hot"):
            return Preloaded(already_loaded=True, load_time_ms=0)
        begin = self._clock()
        spec = self._registry.circuits[circuit_id]
        needs = await asyncio.to_thread(lambda: spec.needs)
        if (need := self._core.memory.never_fits([needs.parameters], critical=spec.critical)) is not None:
            raise NeverFitsError(f"the parameters of {circuit_id} take {mib(need)}, {self._intake.budget()}")
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._preloads.setdefault(circuit_id, []).append(future)
        self._perform(self._core.preload(circuit_id))
        await future
        return Preloaded(already_loaded=False, load_time_ms=round((self._clock() - begin) * 1000))

    async def evict(self, circuit_id: str) -> Evicted:
        """Give a circuit's parameters back, unless they are in use; InputError for an unknown circuit."""
        self._must_know(circuit_id)
        (was_loaded, freed), todo = self._core.evict(circuit_id)
        self._perform(todo)
        return Evicted(was_loaded, freed)

    # What is seen

    def status(self) -> Status:
        """Return a snapshot."""
        return snapshot(self._world, self._identity, now=self._clock(), time=self._wall_clock())

    def status_json(self) -> bytes:
        """Return a snapshot as JSON."""
        return msgspec.json.encode(self.status())

    def subscribe(self, callback: Callable[[events.Event], None]) -> Callable[[], None]:
        """Have every event from now on given to a callback; return what ends that."""
        self._context.listeners.append(callback)
        return lambda: self._context.listeners.remove(callback)

    @contextmanager
    def payload(self, nbytes: int) -> Iterator[None]:
        """Count the bytes of a message in flight while the block runs; QueueFullError if there is no room for them."""
        self._messages += 1
        name = f"message {self._messages}"
        self._intake.take_payload(name, nbytes, critical=False)
        try:
            yield
        finally:
            self._perform(self._core.set_payload(name, 0))

    # Within

    def _perform(self, todo: list[do.Instruction]) -> None:
        self._pipeline.perform(todo)

    def _cancel(self, job_id: str, reason: str) -> None:
        self._perform(self._core.cancel(job_id, reason))

    def _job_finished(self, end: do.FinishJob) -> None:
        timings = timings_of_job(self._world, self._world.jobs[end.job_id])
        finished = self._wall_clock()
        self._book.ended(end.state, Outcome.ended(end.job_id, end.state, end.proof, end.error, finished, timings))
        self._journal.finish(end.job_id, end.state, finished, end.proof, end.error, timings)
        log.info("job ended", job=end.job_id, state=end.state, error=end.error, total_ms=timings.total_ms)

    def _preload_finished(self, end: do.FinishPreload) -> None:
        for future in self._preloads.pop(end.circuit_id, []):
            if not future.done() and end.error is None:
                future.set_result(None)
            elif not future.done():
                future.set_exception(InputError(end.error))

    def _journal_moved(self, error: str | None) -> None:
        """Take note, in the journal's thread, of what the journal can do."""
        if self._loop is not None:
            with suppress(RuntimeError):  # a closed loop: nobody looks any more
                self._loop.call_soon_threadsafe(lambda: self._perform(self._core.journal_moved(error)))

    async def _tick(self) -> None:
        jobs = self.config.jobs
        while True:
            await asyncio.sleep(TICK_SECONDS)
            try:
                self._perform(self._core.tick(self._pipeline.request_checks.at_work))
                older_than = self._wall_clock() - jobs.result_ttl
                if old := self._book.forget(older_than, jobs.max_results, self._is_worked_on):
                    self._journal.forget(old)
            except Exception:  # the next one may do better, and without ticks jobs could wait forever
                log.exception("a tick failed")

    def _is_worked_on(self, job_id: str) -> bool:
        """Say whether something may still come of a job, though it has ended."""
        job = self._world.jobs.get(job_id)
        return job_id in self._intake.under_way or (job is not None and job.leases > 0)

    async def _watch_gpus(self) -> None:
        while True:
            found, reason = await asyncio.to_thread(gpus)
            self._context.emit(events.GpusSampled(at=self._clock(), gpus=tuple(found), reason=reason))
            await asyncio.sleep(SAMPLE_EVERY)

    def _devices(self) -> list[str]:
        """Return what to prove on: the GPUs that `gpus.devices` names, or all, or where there are none the CPU."""
        known, wanted = list(self._registry.devices()), self.config.gpus.devices
        usable = {_ordinal(device, 0): device for device in known if _is_gpu(device)}
        if wanted and not usable:
            log.warning(f"gpus.devices = {list(wanted)} has no effect: this engine knows no GPU here, the CPU proves")
        if not wanted or not usable:
            return known
        if missing := sorted(set(wanted) - usable.keys()):
            there = ", ".join(map(str, sorted(usable)))
            raise InputError(f"gpus.devices: expected ordinals of GPUs that are here ({there}), got {missing[0]}")
        return [usable[ordinal] for ordinal in dict.fromkeys(wanted)]

    def _critical_need(self) -> int:
        """Return what one partition of the critical kind needs, of the largest circuit whose parameters are here."""
        if self.config.memory.critical_reserve is not None:
            return self.config.memory.critical_reserve
        needs = [0]
        for spec in self._registry.circuits.values():
            with suppress(InputError):
                if spec.critical and spec.parameters.identity:
                    needs.append(spec.needs.parameters + spec.needs.circuit + spec.needs.partition)
        return max(needs)

    def _must_serve(self) -> None:
        engine = self._world.engine
        if engine.state != "serving":
            raise DrainingError(engine.reason or f"the engine is {engine.state}")

    def _must_have_room(self) -> None:
        unfinished, limit = len(self._book.handles), self.config.jobs.max_pending
        if unfinished >= limit:
            raise QueueFullError(f"{unfinished} jobs are unfinished, and jobs.max_pending is {limit}; try again later")

    def _must_know(self, circuit_id: str) -> None:
        if circuit_id not in self._registry.circuits:
            known = ", ".join(self._registry.circuits)
            raise InputError(f"circuit_id: expected one of {known}; got {circuit_id!r}")

    def _position(self, job_id: str) -> int:
        ahead = 0
        for name, job in self._world.jobs.items():
            if name == job_id:
                break
            ahead += job.unfinished and job.started_at is None
        return ahead

    def _move(self, state: Literal["serving", "draining", "stopped"], reason: str | None = None) -> None:
        self._context.emit(events.EngineMoved(at=self._clock(), state=state, reason=reason))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _is_gpu(device: str) -> bool:
    return ":" in device


def _ordinal(device: str, number: int) -> int:
    """Return a GPU's ordinal, which is in its name (`opencl:0`), or `number` for other devices."""
    return int(device.rpartition(":")[2]) if _is_gpu(device) else number


def _filecoin(config: Config) -> RegistrySource:
    arguments = {"param_cache": config.srs.param_cache, "dev_params": config.srs.dev_params}
    return RegistrySource("cuzk.engine.filecoin:registry", arguments)


def _settings(config: Config, *, validate: bool) -> Settings:
    budget = config.memory.total_budget
    if budget is None:
        limit = memory_limit()
        budget = max(limit - config.memory.safety_margin, limit // 2)
    threads = config.synthesis.threads or cpu_limit()
    return Settings(
        memory_total=budget,
        threads_total=threads,
        synthesis_slots=max(1, min(config.pipeline.max_parallel_synthesis or 18, threads)),
        max_attempts=config.jobs.max_attempts,
        overlap=config.pipeline.enabled,
        queue_target=config.pipeline.max_gpu_queue_depth,
        device_threads=config.gpus.gpu_threads,
        eviction_min_idle=config.memory.eviction_min_idle,
        sort_by_type=config.scheduler.sort_by_type,
        max_batch_size=config.scheduler.max_batch_size,
        max_batch_wait=config.scheduler.max_batch_wait_ms / 1000,
        freeze_timeout=config.workers.freeze_timeout,
        check_timeout=config.workers.check_timeout,
        synthesis_timeout=config.workers.synthesis_timeout,
        proof_timeout=config.workers.proof_timeout,
        load_timeout=config.workers.load_timeout,
        validate=validate,
    )
