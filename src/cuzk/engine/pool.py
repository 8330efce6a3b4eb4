"""Worker processes as the engine holds them: started by a forkserver, reached over channels, noticed when they die."""

import asyncio
import atexit
import multiprocessing
import os
import signal
import sys
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerProcess

import msgspec
import structlog

from cuzk.engine import messages as say
from cuzk.engine.kinds import RegistrySource
from cuzk.engine.signals import ENDING
from cuzk.engine.worker import Role, main

log = structlog.get_logger("cuzk.engine")

OnMessage = Callable[[str, say.FromWorker, list[int]], None]
OnDeath = Callable[[str, str], None]

_JOIN_SECONDS = 5.0

_hiding_main = threading.Lock()
_running: "weakref.WeakSet[ForkServerProcess]" = weakref.WeakSet()


@atexit.register
def _kill_what_runs() -> None:
    """End the workers of an engine that was not stopped: multiprocessing would wait for them."""
    for process in list(_running):
        with suppress(ValueError):  # closed meanwhile
            process.kill()


def start_forkserver(source: RegistrySource) -> None:
    """Start the process that workers are forked from; to be called before this process has threads or drivers."""
    forkserver.set_forkserver_preload(["cuzk.engine.forkserver", source.module])
    with _with_forkserver():
        pass


@contextmanager
def _with_forkserver() -> Iterator[None]:
    """Have the forkserver run, and multiprocessing's tracker, which no signal ends that ends the engine.

    Until they can ignore those signals, none reaches them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        resource_tracker.ensure_running()  # it ignores a SIGINT and a SIGTERM, and a SIGHUP stays blocked in it;
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # to start it let the first two through here
        forkserver.ensure_running()
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module, which multiprocessing would run again in each worker: they need nothing of it."""
    with _hiding_main:
        main_module = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main_module


class WorkerProcess:
    """One worker process. All methods but `spawn` belong to the event loop's thread."""

    def __init__(self, name: str, role: Role, source: RegistrySource, on_message: OnMessage, on_death: OnDeath) -> None:
        self.name = name
        self._role = role
        self._source = source
        self._on_message = on_message
        self._on_death = on_death
        self._end, self._theirs = say.channel()
        self._end.setblocking(False)
        self._process: ForkServerProcess | None = None
        self._unsent: deque[tuple[say.ToWorker, Sequence[int]]] = deque()
        self._dying: asyncio.Task[None] | None = None
        self._closed = False
        self._silent = False

    @property
    def pid(self) -> int:
        """The process id, once spawned."""
        return 0 if self._process is None else self._process.pid or 0

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._silent

    def spawn(self) -> None:
        """Start the process (blocking, for the time of a fork); may run in any thread."""
        context = multiprocessing.get_context("forkserver")
        process = context.Process(
            target=main, args=(self._role, self.name, self._theirs, self._source), name=self.name, daemon=True
        )
        try:
            with _without_main(), _with_forkserver():
                process.start()
        finally:
            self._theirs.close()
        self._process = process
        _running.add(process)
        if self._silent:  # stopped meanwhile
            process.kill()

    def listen(self) -> None:
        """Begin to take messages."""
        if not self._closed:
            asyncio.get_running_loop().add_reader(self._end, self._readable)

    def send(self, message: say.ToWorker, descriptors: Sequence[int] = ()) -> None:
        """Send a task; if the worker is gone its death will be told."""
        if self._closed:
            return
        copies: list[int] = []
        try:
            copies.extend(os.dup(descriptor) for descriptor in descriptors)
        except OSError:
            _close_all(copies)
            raise
        self._unsent.append((message, copies))
        self._flush()

    def stop(self) -> None:
        """End the process at once; its death is not told."""
        self._silent = True
        if self._process is not None:
            self._process.kill()
        self._close()

    def kill(self, reason: str) -> None:
        """End the process at once; its death is told, with this reason, even if the system cannot end it."""
        if self._closed:
            return
        if self._process is not None:
            self._process.kill()
        self._dies(reason)

    async def joined(self) -> int | None:
        """Wait until the process is gone and return its exit code, if it can be known."""
        process, self._process = self._process, None
        if process is None:
            return None
        await asyncio.to_thread(process.join, _JOIN_SECONDS)
        exitcode = process.exitcode
        if exitcode is not None:
            process.close()
        return exitcode

    def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        while self._unsent:
            message, copies = self._unsent[0]
            try:
                say.send(self._end, message, copies)
            except BlockingIOError:
                loop.add_writer(self._end, self._flush)
                return
            except OSError:  # the reader will see the end
                break
            self._unsent.popleft()
            _close_all(copies)
        loop.remove_writer(self._end)

    def _readable(self) -> None:
        try:
            data, descriptors = say.receive(self._end)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        message = None
        with suppress(msgspec.MsgspecError):  # what is no message comes from a process that is beside itself
            message = say.from_worker.decode(data) if data else None
        if isinstance(message, say.Logged):
            log.log(message.level, message.text, worker=self.name, source=message.logger)
            _close_all(descriptors)
            return
        if message is not None:
            self._on_message(self.name, message, descriptors)
            return
        _close_all(descriptors)
        if data and self._process is not None:
            self._process.kill()
        self._dies(None)

    def _dies(self, reason: str | None) -> None:
        self._close()
        self._dying = asyncio.get_running_loop().create_task(self._died(reason))

    async def _died(self, reason: str | None) -> None:
        exitcode = None
        try:
            exitcode = await self.joined()
        finally:
            if not self._silent:
                self._silent = True
                self._on_death(self.name, _reason(exitcode) if reason is None else reason)

    def _close(self) -> None:
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        with suppress(ValueError):
            loop.remove_reader(self._end)
            loop.remove_writer(self._end)
        self._end.close()
        for _, copies in self._unsent:
            _close_all(copies)
        self._unsent.clear()


def _close_all(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _reason(exitcode: int | None) -> str:
    if exitcode is None:
        return "it closed its channel"
    if exitcode >= 0:
        return f"exit code {exitcode}"
    with suppress(ValueError):
        return f"signal {-exitcode} ({signal.Signals(-exitcode).name})"
    return f"signal {-exitcode}"
