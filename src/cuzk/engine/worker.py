"""What runs in a worker process: a thread that reads tasks, and threads that do them.

The reading thread ends the process as soon as the engine's end of the channel is gone, so that no worker outlives its
engine, and nothing a task does can stop it from noticing (kernels release the GIL). Another thread gives signs of life.
"""

import ctypes
import logging
import os
import queue
import socket
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from cuzk.engine import messages as say
from cuzk.engine.encoded import decode_request
from cuzk.engine.kinds import CompiledCircuit, Prover, Registry, RegistrySource
from cuzk.engine.payloads import PreparedReader, pack_prepared, total_size
from cuzk.engine.segments import mapped, write_segment
from cuzk.engine.signals import ignore_ending
from cuzk.errors import InputError, UnsatisfiedError

Role = Literal["check", "synthesis", "device"]

SAMPLE_EVERY = 5.0
BEAT_EVERY = 1.0

_M_ARENA_MAX = -8
_libc = ctypes.CDLL(None)


def main(role: Role, name: str, end: socket.socket, source: RegistrySource) -> None:
    """Be a worker until the engine is gone."""
    ignore_ending()
    share_one_heap()
    engine = _EngineEnd(end)
    threading.Thread(target=engine.beat, daemon=True).start()
    registry = source.load()
    worker: _Worker
    if role == "check":
        worker = _CheckWorker(engine, registry)
    elif role == "synthesis":
        worker = _SynthesisWorker(engine, registry)
    else:
        worker = _DeviceWorker(engine, registry.prover(name))
    logging.getLogger().handlers = [_ToEngine(engine)]
    engine.send(say.Ready())
    worker.read()


def share_one_heap() -> None:
    """Have all threads from here on use one heap: `give_memory_back` leaves the ends of their own ones alone."""
    if hasattr(_libc, "mallopt"):
        _libc.mallopt(_M_ARENA_MAX, 1)


def give_memory_back() -> None:
    """Give the system what was freed, so that who does nothing holds no more than the budget says."""
    if hasattr(_libc, "malloc_trim"):
        _libc.malloc_trim(0)


class _EngineEnd:
    """The channel to the engine, for all threads."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._sending = threading.Lock()

    def send(self, message: say.FromWorker, descriptors: tuple[int, ...] = ()) -> None:
        """Tell the engine; nobody may be there any more, which `_Worker.read` will notice."""
        with self._sending, suppress(ConnectionError):
            say.send(self.channel, message, descriptors)

    def beat(self) -> None:
        """Give signs of life."""
        while True:
            self.send(say.Alive())
            time.sleep(BEAT_EVERY)


class _ToEngine(logging.Handler):
    """Hands what is logged here to the engine, whose log has one form and one place."""

    def __init__(self, engine: _EngineEnd) -> None:
        super().__init__()
        self._engine = engine

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record's text."""
        self._engine.send(say.Logged(record.name, record.levelno, record.getMessage()[: say.MAX_TEXT]))


class _Worker:
    """Reads tasks and hands them to a thread, in order; subclasses do them."""

    def __init__(self, engine: _EngineEnd) -> None:
        self._engine = engine
        self.send = engine.send
        self._tasks: queue.SimpleQueue[tuple[Any, list[int]]] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        threading.Thread(target=self._work, daemon=True).start()

    def read(self) -> None:
        """Read tasks until the engine is gone, then end the process."""
        while True:
            data, descriptors = say.receive(self._engine.channel)
            if not data:
                os._exit(0)
            task = say.to_worker.decode(data)
            if isinstance(task, say.CancelTask):
                self._cancelled.add(task.lease)
            else:
                self.accept(task, descriptors)

    def accept(self, task: say.ToWorker, descriptors: list[int]) -> None:
        """Take a task in: put it in line."""
        self._tasks.put((task, descriptors))

    def do(self, task: Any, descriptors: list[int]) -> None:
        """Do one task."""
        raise AssertionError(f"no worker does {task} with {descriptors}")

    def _work(self) -> None:
        while True:
            task, descriptors = self._tasks.get()
            self.run(task, descriptors)
            del task

    def run(self, task: Any, descriptors: list[int]) -> None:
        """Do one task and give back what it took; a process that cannot even tell of a failure ends, which is told."""
        try:
            self.do(task, descriptors)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
            give_memory_back()

    def attempt(self, lease: int, work: Callable[[], None]) -> None:
        """Do the work of a lease and report its failure, if it fails."""
        try:
            if lease in self._cancelled:
                self.send(say.Failed(lease, "cancelled"))
            else:
                work()
        except (InputError, UnsatisfiedError) as error:
            self.send(say.Failed(lease, say.text_of(error), permanent=True))
        except Exception as error:  # the engine decides whether to try again
            self.send(say.Failed(lease, say.reason_of(error)))
        self._cancelled.discard(lease)


class _CheckWorker(_Worker):
    """Decodes and checks requests."""

    def __init__(self, engine: _EngineEnd, registry: Registry) -> None:
        super().__init__(engine)
        self._registry = registry

    def do(self, task: say.CheckRequest, descriptors: list[int]) -> None:
        """Check one request."""
        try:
            with mapped(descriptors[0], writable=False) as view:
                request = decode_request(view)
            prepared = self._registry.prepare(request)
            parts = pack_prepared(prepared)
            job = write_segment("cuzk-job", parts)
        except InputError as error:
            self.send(say.Refused(task.number, say.text_of(error)))
            return
        except Exception as error:  # nothing that a client sends may end this process
            self.send(say.Broken(task.number, say.reason_of(error)))
            return
        partitions = len(prepared.public_inputs)
        self.send(say.Checked(task.number, prepared.circuit_id, partitions, total_size(parts)), (job,))
        os.close(job)


class _SynthesisWorker(_Worker):
    """Writes assignments; keeps compiled circuits."""

    def __init__(self, engine: _EngineEnd, registry: Registry) -> None:
        super().__init__(engine)
        self._registry = registry
        self._compiled: dict[str, CompiledCircuit] = {}

    def do(self, task: say.SynthesizeTask | say.UnloadTask, descriptors: list[int]) -> None:
        """Synthesize one partition, or forget a circuit."""
        if isinstance(task, say.UnloadTask):
            self._compiled.pop(task.circuit_id, None)
            return
        self.attempt(task.lease, lambda: self._synthesize(task, *descriptors))

    def _synthesize(self, task: say.SynthesizeTask, job: int, segment: int) -> None:
        circuit = self._compiled.get(task.circuit_id)
        if circuit is None:
            circuit = self._registry.circuits[task.circuit_id].compile()
            self._compiled[task.circuit_id] = circuit
        with mapped(job, writable=False) as prepared, mapped(segment, writable=True) as target:
            circuit.synthesize(PreparedReader(prepared).job(), task.partition, target, threads=task.threads)
        self.send(say.Synthesized(task.lease))


class _DeviceWorker(_Worker):
    """Proves on one device; each task has a thread of its own, since the engine decides how many there are."""

    def __init__(self, engine: _EngineEnd, prover: Prover) -> None:
        super().__init__(engine)
        self._prover = prover
        threading.Thread(target=self._sample, daemon=True).start()

    def accept(self, task: say.ToWorker, descriptors: list[int]) -> None:
        """Take a task in: start it."""
        if isinstance(task, say.UnloadTask):  # at once: a load that is asked for next must not be undone
            self.run(task, descriptors)
            return
        threading.Thread(target=self.run, args=(task, descriptors), daemon=True).start()

    def do(self, task: say.ProveTask | say.LoadTask | say.UnloadTask, descriptors: list[int]) -> None:
        """Prove, load or unload."""
        if isinstance(task, say.ProveTask):
            self.attempt(task.lease, lambda: self._prove(task, *descriptors))
        elif isinstance(task, say.LoadTask):
            self._load(task)
        else:
            self._prover.unload(task.circuit_id)

    def _prove(self, task: say.ProveTask, job: int, segment: int) -> None:
        with mapped(job, writable=False) as prepared:
            public_inputs = PreparedReader(prepared).public_inputs(task.partition)
        with mapped(segment, writable=True) as assignment:
            started = self._prover.start(task.circuit_id, assignment, threads=task.threads)
            self.send(say.Started(task.lease))
            if task.lease in self._cancelled:
                self.send(say.Failed(task.lease, "cancelled"))
                return
            proof = self._prover.finish(started, threads=task.threads)
            del started
        if self._prover.verify(task.circuit_id, public_inputs, proof):
            self.send(say.Proved(task.lease, proof))
        else:
            error = "the proof did not verify with the job's public inputs"
            self.send(say.Failed(task.lease, error, unverified=True))

    def _load(self, task: say.LoadTask) -> None:
        begin = time.monotonic()
        try:
            size = self._prover.load(task.circuit_id)
        except Exception as error:  # the engine fails the jobs that need them
            self.send(say.NotLoaded(task.circuit_id, say.text_of(error)))
        else:
            self.send(say.Loaded(task.circuit_id, size, round((time.monotonic() - begin) * 1000)))

    def _sample(self) -> None:
        while True:
            sample = self._prover.sample()
            self.send(
                say.Sampled(
                    sample.name,
                    sample.kind,
                    sample.memory_total,
                    sample.memory_free,
                    sample.temperature_c,
                    sample.utilisation,
                    dict(sample.unknown or {}),
                )
            )
            time.sleep(SAMPLE_EVERY)
