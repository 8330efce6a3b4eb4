"""Checks that must not hold up the event loop: of requests, in processes of their own, and of parameter files.

A request is decoded and checked in a checking process before there is a job, so that a hostile one can at most cost
that process. A parameter file is read and digested once for each identity of it and its manifest, over restarts too.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec
import structlog

from cuzk.engine import messages as say
from cuzk.engine.errors import CheckFailedError
from cuzk.engine.kinds import ParameterFile
from cuzk.errors import InputError
from cuzk.files import read_bounded, replacing

log = structlog.get_logger("cuzk.engine")

_MAX_VERIFIED_SIZE = 1 << 20


@dataclass(frozen=True)
class CheckedRequest:
    """A request that passed: its circuit, and the segment of the checked job, owned by who has this."""

    circuit_id: str
    partitions: int
    size: int
    descriptor: int


class RequestChecks:
    """Hands requests to the checking processes, one each at a time, in the order in which they came."""

    def __init__(self, send: Callable[[str, say.CheckRequest, list[int]], None]) -> None:
        self._send = send
        self._idle: list[str] = []
        self._waiting: deque[tuple[int, int]] = deque()
        self._answers: dict[int, asyncio.Future[CheckedRequest]] = {}
        self._at: dict[str, int] = {}
        self._numbers = 0

    async def check(self, request: int) -> CheckedRequest:
        """Check the request in a segment; InputError if it is wrong, CheckFailedError if nobody can tell."""
        self._numbers += 1
        number = self._numbers
        answer: asyncio.Future[CheckedRequest] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._waiting.append((number, request))
        try:
            self._hand_out()
            return await answer
        finally:
            self._answers.pop(number, None)
            self._waiting = deque(waiting for waiting in self._waiting if waiting[0] != number)

    @property
    def at_work(self) -> list[tuple[str, int]]:
        """The processes that check, each with the number of its check."""
        return list(self._at.items())

    def ready(self, process: str) -> None:
        """Take note that a checking process is up."""
        self._idle.append(process)
        self._hand_out()

    def answered(self, process: str, message: say.Checked | say.Refused | say.Broken, descriptors: list[int]) -> None:
        """Take an answer."""
        self._at.pop(process, None)
        answer = self._answers.get(message.number)
        if answer is None or answer.done():
            for descriptor in descriptors:
                os.close(descriptor)
        elif isinstance(message, say.Checked) and not descriptors:
            answer.set_exception(CheckFailedError("the checked request did not arrive: no descriptor is free"))
        elif isinstance(message, say.Checked):
            answer.set_result(CheckedRequest(message.circuit_id, message.partitions, message.size, *descriptors))
        elif isinstance(message, say.Refused):
            answer.set_exception(InputError(message.error))
        else:
            answer.set_exception(CheckFailedError(f"the request could not be checked: {message.error}"))
        self.ready(process)

    def died(self, process: str, reason: str) -> None:
        """Take note that a checking process is gone, and with it what it checked."""
        if process in self._idle:
            self._idle.remove(process)
        answer = self._answers.get(self._at.pop(process, 0))
        if answer is not None and not answer.done():
            error = f"the request could not be checked: the checking process died of it ({reason})"
            answer.set_exception(CheckFailedError(error))

    def close(self) -> None:
        """Give up on everything."""
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(CheckFailedError("the request could not be checked: the engine stops"))

    def _hand_out(self) -> None:
        while self._idle and self._waiting:
            process = self._idle.pop(0)
            number, request = self._waiting.popleft()
            self._at[process] = number
            try:
                self._send(process, say.CheckRequest(number), [request])
            except Exception as error:
                del self._at[process]
                self._idle.append(process)
                reason = f"the request could not be handed to a checking process: {say.reason_of(error)}"
                self._answers[number].set_exception(CheckFailedError(reason))


class FileChecks:
    """Checks parameter files in threads; remembers, in a file, which identities were found good."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="parameters")
        self._good: dict[str, str] = self._remembered()

    async def check(self, file: ParameterFile) -> None:
        """Check a file unless that was done; InputError says what is wrong with it."""
        await asyncio.get_running_loop().run_in_executor(self._threads, self._check, file)

    def close(self) -> None:
        """End the threads, once what they do is done."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _check(self, file: ParameterFile) -> None:
        name, identity = str(file.path), file.identity
        if self._good.get(name) == identity:
            return
        self._good.pop(name, None)
        file.check()
        self._good[name] = identity
        try:
            with replacing(self._memory) as memory:
                memory.write(msgspec.json.encode(self._good))
        except (InputError, OSError) as error:  # the file is good all the same; a later start checks it again
            log.warning("cannot remember a checked file", file=name, error=str(error))

    def _remembered(self) -> dict[str, str]:
        try:
            return msgspec.json.decode(read_bounded(self._memory, _MAX_VERIFIED_SIZE), type=dict[str, str])
        except (InputError, msgspec.MsgspecError):
            return {}  # nothing is remembered, so everything is checked
