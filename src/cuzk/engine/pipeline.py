"""The shell around the core: carries its instructions out and tells it what became of them.

It decides nothing. What a worker says goes to the core; what the core says goes to a worker, the journal or the engine.
Whatever goes wrong here is told to the core as the failure of what was to be done, so that no job waits for it forever.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial

import structlog

from cuzk.engine import instructions as do
from cuzk.engine import messages as say
from cuzk.engine.checks import FileChecks, RequestChecks
from cuzk.engine.core import Core
from cuzk.engine.events import DeviceSampled
from cuzk.engine.journal import Journal
from cuzk.engine.kinds import CircuitSpec, RegistrySource
from cuzk.engine.pool import WorkerProcess
from cuzk.engine.segments import SegmentStore, drop_tail, in_thread, touched_segment
from cuzk.engine.worker import Role
from cuzk.errors import InputError

log = structlog.get_logger("cuzk.engine")

CHECKING = "check-"


@dataclass(frozen=True)
class Callbacks:
    """What the engine wants to know."""

    job_finished: Callable[[do.FinishJob], None]
    preload_finished: Callable[[do.FinishPreload], None]


class Pipeline:
    """Worker processes, segments and checks of one engine. All methods belong to the event loop's thread."""

    def __init__(
        self,
        core: Core,
        journal: Journal,
        source: RegistrySource,
        circuits: Mapping[str, CircuitSpec],
        file_checks: FileChecks,
        callbacks: Callbacks,
    ) -> None:
        self._core = core
        self._journal = journal
        self._source = source
        self._circuits = circuits
        self._file_checks = file_checks
        self._callbacks = callbacks
        self.request_checks = RequestChecks(self._send)
        self._workers: dict[str, WorkerProcess] = {}
        self._segments = SegmentStore()
        self._jobs: dict[str, int] = {}
        """Segments of checked jobs, by job id."""
        self._todo: deque[do.Instruction] = deque()
        self._performing = False
        self._closing = False
        self._tasks: set[asyncio.Task[object]] = set()
        self._spawning: set[asyncio.Task[object]] = set()
        """Of the tasks, those that start processes or wait for their end: they must not be cancelled."""

    def perform(self, instructions: list[do.Instruction]) -> None:
        """Carry instructions out, in order; one that cannot be costs the others nothing."""
        self._todo.extend(instructions)
        if self._performing:
            return
        self._performing = True
        try:
            while self._todo:
                instruction = self._todo.popleft()
                try:
                    self._perform(instruction)
                except Exception as error:
                    self._could_not(instruction, error)
        finally:
            self._performing = False

    def keep_job(self, job_id: str, descriptor: int) -> None:
        """Take over the segment of a checked job."""
        self._jobs[job_id] = descriptor

    async def close(self) -> None:
        """End the processes and wait until they are gone; give all memory back."""
        self._closing = True
        for task in self._tasks - self._spawning:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for worker in self._workers.values():
            worker.stop()
        await asyncio.gather(*(worker.joined() for worker in self._workers.values()))
        self._workers.clear()
        self.request_checks.close()
        self._file_checks.close()
        self._segments.close()
        for descriptor in self._jobs.values():
            os.close(descriptor)
        self._jobs.clear()

    # Instructions

    def _perform(self, instruction: do.Instruction) -> None:
        match instruction:
            case do.StartProcess(process, delay):
                self._spawn(self._start(instruction, process, delay), instruction)
            case do.StopProcess(process):
                self._stop(process)
            case do.KillProcess(process, reason):
                if (worker := self._workers.get(process)) is not None:
                    worker.kill(reason)
            case do.Synthesize():
                self._synthesize(instruction)
            case do.Prove():
                self._prove(instruction)
            case do.CancelLease(lease):
                self._send(lease.process, say.CancelTask(lease.number), [])
            case do.ReleaseSegment(job_id, partition, size, keep):
                self._segments.release(job_id, partition, size, keep=keep)
            case do.TrimSegment(job_id, partition, tail):
                descriptor = self._segments.descriptor(job_id, partition)
                if descriptor is not None:
                    drop_tail(descriptor, tail)
            case do.DropPooled(size):
                self._segments.drop_free(size)
            case do.CheckFile(circuit_id):
                self._spawn(self._check_file(circuit_id), instruction)
            case do.LoadSrs(circuit_id, device):
                self._send(device, say.LoadTask(circuit_id), [])
            case do.UnloadSrs(circuit_id, process) | do.UnloadCircuit(circuit_id, process):
                self._send(process, say.UnloadTask(circuit_id), [])
            case do.RecordProof(job_id, partition, proof):
                self._journal.record_proof(job_id, partition, proof)
            case do.FinishJob(job_id):
                if (descriptor := self._jobs.pop(job_id, None)) is not None:
                    os.close(descriptor)
                self._callbacks.job_finished(instruction)
            case do.FinishPreload():
                self._callbacks.preload_finished(instruction)

    def _could_not(self, instruction: do.Instruction, error: BaseException) -> None:
        """Tell the core that an instruction failed, and go on."""
        trace = None if isinstance(error, (InputError, OSError, MemoryError)) else error
        log.warning("could not be done", what=type(instruction).__name__, error=repr(error), exc_info=trace)
        if self._closing:
            return
        reason = say.reason_of(error)
        match instruction:
            case do.Synthesize(lease) | do.Prove(lease):
                self._give_up_lease(lease.number, lease.job_id, reason, permanent=False)
            case do.CheckFile(circuit_id):
                self.perform(self._core.file_checked(circuit_id, reason))
            case do.LoadSrs(circuit_id, device):
                self.perform(self._core.srs_failed(circuit_id, device, reason))
            case do.StartProcess(process):
                self._on_death(process, f"it could not be started: {reason}")

    def _give_up_lease(self, lease: int, job_id: str, reason: str, *, permanent: bool) -> None:
        """End a lease; if the core cannot go on with its job, or must not, end that."""
        try:
            self.perform(self._core.lease_failed(lease, reason, permanent=permanent))
        except Exception:
            log.exception("a lease could not be ended", lease=lease, job=job_id)
            permanent = True
        if permanent:
            self.perform(self._core.job_failed(job_id, reason))

    def _synthesize(self, instruction: do.Synthesize) -> None:
        lease, size = instruction.lease, instruction.segment_size
        if self._segments.take_free(lease.job_id, lease.partition, size):
            self._send_synthesis(instruction)
        else:
            self._spawn(self._make_segment(instruction), instruction)

    async def _make_segment(self, instruction: do.Synthesize) -> None:
        lease, size = instruction.lease, instruction.segment_size
        descriptor = await in_thread(touched_segment, "cuzk-assignment", size, lease.threads)
        if lease.number not in self._core.world.ledger.open:
            self._segments.put_late(size, descriptor)
            return
        self._segments.put(lease.job_id, lease.partition, size, descriptor)
        if lease.job_id in self._jobs:
            self._send_synthesis(instruction)
        else:
            self.perform(self._core.lease_failed(lease.number, "cancelled"))

    def _send_synthesis(self, instruction: do.Synthesize) -> None:
        lease = instruction.lease
        task = say.SynthesizeTask(lease.number, instruction.circuit_id, lease.partition, lease.threads)
        self._send(lease.process, task, self._descriptors(lease.job_id, lease.partition))

    def _prove(self, instruction: do.Prove) -> None:
        lease = instruction.lease
        task = say.ProveTask(lease.number, instruction.circuit_id, lease.partition, lease.threads)
        self._send(lease.process, task, self._descriptors(lease.job_id, lease.partition))

    def _descriptors(self, job_id: str, partition: int) -> list[int]:
        segment = self._segments.descriptor(job_id, partition)
        if segment is None:
            raise RuntimeError(f"partition {partition} of {job_id} has no segment")
        return [self._jobs[job_id], segment]

    async def _check_file(self, circuit_id: str) -> None:
        await self._file_checks.check(self._circuits[circuit_id].parameters)
        self.perform(self._core.file_checked(circuit_id, None))

    # Processes

    async def _start(self, instruction: do.StartProcess, name: str, delay: float) -> None:
        await asyncio.sleep(delay)
        if self._core.process_starting(name):
            worker = WorkerProcess(name, self._role(name), self._source, self._on_message, self._on_death)
            self._workers[name] = worker
            self._spawning.add(self._spawn(self._spawn_worker(worker), instruction))

    async def _spawn_worker(self, worker: WorkerProcess) -> None:
        try:
            await asyncio.to_thread(worker.spawn)
        except BaseException:
            given_up = worker.stopped  # and that was told
            worker.stop()
            if not given_up:
                raise
            return
        if worker.stopped:
            await worker.joined()
        else:
            worker.listen()

    def _role(self, name: str) -> Role:
        if name in self._core.world.devices:
            return "device"
        return "check" if name.startswith(CHECKING) else "synthesis"

    def _stop(self, name: str) -> None:
        worker = self._workers.pop(name, None)
        if worker is not None:
            worker.stop()
            self._spawning.add(self._spawn(worker.joined()))

    def _send(self, name: str, message: say.ToWorker, descriptors: list[int]) -> None:
        worker = self._workers.get(name)
        if worker is not None:
            worker.send(message, descriptors)

    def _on_death(self, name: str, reason: str) -> None:
        self._workers.pop(name, None)
        log.warning("worker process died", process=name, reason=reason)
        self.request_checks.died(name, reason)
        self.perform(self._core.process_died(name, reason))

    def _on_message(self, name: str, message: say.FromWorker, descriptors: list[int]) -> None:
        number = getattr(message, "lease", None)
        entry = None if number is None else self._core.world.ledger.open.get(number)
        try:
            self._take(name, message, descriptors)
        except Exception as error:
            log.exception("a message could not be dealt with", process=name, message=type(message).__name__)
            if entry is not None:
                reason = f"internal error: {say.reason_of(error)}"
                self._give_up_lease(entry.lease.number, entry.lease.job_id, reason, permanent=True)

    def _take(self, name: str, message: say.FromWorker, descriptors: list[int]) -> None:
        core = self._core
        match message:
            case say.Alive():
                core.heard(name)
            case say.Ready():
                self.perform(core.process_up(name, self._workers[name].pid))
                if self._role(name) == "check":
                    self.request_checks.ready(name)
            case say.Checked() | say.Refused() | say.Broken():
                self.request_checks.answered(name, message, descriptors)
            case say.Synthesized(lease):
                self.perform(core.synthesized(lease))
            case say.Started(lease):
                self.perform(core.started(lease))
            case say.Proved(lease, proof):
                self.perform(core.proved(lease, proof))
            case say.Failed(lease, error, permanent, unverified):
                self.perform(core.lease_failed(lease, error, permanent=permanent, unverified=unverified))
            case say.Loaded(circuit_id, size, load_ms):
                self.perform(core.srs_loaded(circuit_id, name, size, load_ms))
            case say.NotLoaded(circuit_id, error):
                self.perform(core.srs_failed(circuit_id, name, error))
            case say.Sampled():
                self._sampled(name, message)

    def _sampled(self, device: str, sample: say.Sampled) -> None:
        self._core.context.emit(
            DeviceSampled(
                at=self._core.context.clock(),
                device=device,
                name=sample.name,
                kind=sample.kind,
                memory_total=sample.memory_total,
                memory_free=sample.memory_free,
                temperature_c=sample.temperature_c,
                utilisation=sample.utilisation,
                unknown=sample.unknown,
            )
        )

    def _spawn(
        self, work: Coroutine[object, object, object], instruction: do.Instruction | None = None
    ) -> "asyncio.Task[object]":
        """Start what an instruction takes; if that fails, so has the instruction."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(self._spawning.discard)
        if instruction is not None:
            task.add_done_callback(partial(self._ended, instruction))
        return task

    def _ended(self, instruction: do.Instruction, task: "asyncio.Task[object]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._could_not(instruction, error)
