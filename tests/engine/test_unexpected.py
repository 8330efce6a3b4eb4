"""What nobody thought of: whatever fails, and wherever in the engine, every job ends, with a sentence."""

import asyncio
import errno
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cuzk.engine import CheckFailedError, DrainingError, StorageError
from cuzk.engine import checks as checks_module
from cuzk.engine import pipeline as pipeline_module
from cuzk.engine import pool as pool_module
from cuzk.engine.core import Core
from cuzk.engine.journal import Journal
from cuzk.engine.pool import WorkerProcess
from cuzk.errors import InputError
from cuzk.filecoin.kinds import Kind
from tests.conftest import REPOSITORY
from tests.engine import small
from tests.engine.conftest import EngineFactory, make_config
from tests.engine.loop import in_loop, until

NO_DESCRIPTORS = OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def failing(function: Callable[..., Any], error: Exception, times: int) -> Callable[..., Any]:
    """Return a function that raises so many times, and then does what it should."""
    left = [times]

    def call(*arguments: Any, **named: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise error
        return function(*arguments, **named)

    return call


@in_loop
async def test_a_check_of_parameters_that_fails_in_a_way_of_its_own(engine_in: EngineFactory) -> None:
    async with engine_in({"odd": ["snap-small"]}) as engine:
        outcome = await engine.prove(small.request(Kind.SNAP, "x"))
        assert outcome.status == "failed"
        assert outcome.error == "parameters of snap-small: KeyError: 'snap-small.params'"
        with pytest.raises(InputError, match="snap-small: KeyError"):
            await engine.preload("snap-small")
        assert (await engine.prove(small.request(Kind.POREP, "y"))).status == "completed"


INTERRUPTED = """
import multiprocessing, os, signal, sys
from pathlib import Path
from cuzk.engine.pool import start_forkserver
from cuzk.engine.signals import ENDING
from tests.conftest import REPOSITORY
from tests.engine import small
for number in ENDING:
    signal.signal(number, lambda *_: print("told", flush=True))
start_forkserver(small.source(Path(sys.argv[1])))
for number in ENDING:
    os.killpg(0, number)
process = multiprocessing.get_context("forkserver").Process(target=print, args=("at work",))
process.start()
process.join()
"""


def test_a_signal_to_all_processes_while_the_engine_starts_reaches_it_alone(tmp_path: Path) -> None:
    """As a terminal's Ctrl-C: the engine is told, and the forkserver, which does not yet run, lives."""
    command = [sys.executable, "-c", INTERRUPTED, tmp_path]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, start_new_session=True, cwd=REPOSITORY, timeout=120
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sorted(ended.stdout.split("\n")) == ["", "at work", "told", "told", "told"]


@pytest.mark.parametrize("error", [NO_DESCRIPTORS, RuntimeError("can't start new thread")])
@pytest.mark.parametrize(("times", "status"), [(2, "completed"), (1000, "failed")])
@in_loop
async def test_no_segment_can_be_made(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch, error: Exception, times: int, status: str
) -> None:
    make = failing(pipeline_module.touched_segment, error, times)
    monkeypatch.setattr(pipeline_module, "touched_segment", make)
    async with engine_in() as engine:
        outcome = await engine.prove(small.request(Kind.POREP, "x"))
        assert outcome.status == status
        if status == "failed":
            assert "failed 3 times: " in outcome.error
            assert str(error) in outcome.error


@in_loop
async def test_no_descriptor_is_left_for_a_task(engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    async with engine_in() as engine:
        await engine.prove(small.request(Kind.POREP, "before"))
        send = WorkerProcess.send
        monkeypatch.setattr(WorkerProcess, "send", failing(send, NO_DESCRIPTORS, 1))
        with pytest.raises(CheckFailedError, match=r"could not be handed to a checking process: .*Too many open files"):
            await engine.submit(small.request(Kind.POREP, "x"))
        receipt = await engine.submit(small.request(Kind.POREP, "y"))
        monkeypatch.setattr(WorkerProcess, "send", failing(send, NO_DESCRIPTORS, 2))
        outcome = await engine.wait(receipt)
        assert outcome.status == "completed", outcome.error
        assert engine.status().counters.partition_retries == 2


@in_loop
async def test_a_checked_request_arrives_without_its_segment(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with engine_in() as engine:
        answered = checks_module.RequestChecks.answered

        def without(self: Any, process: str, message: Any, descriptors: list[int]) -> None:
            for descriptor in descriptors:
                os.close(descriptor)
            answered(self, process, message, [])

        with monkeypatch.context() as patch:
            patch.setattr(checks_module.RequestChecks, "answered", without)
            with pytest.raises(CheckFailedError, match="no descriptor is free"):
                await engine.submit(small.request(Kind.WINNING, "x"))
        assert (await engine.prove(small.request(Kind.WINNING, "x"))).status == "completed"


@pytest.mark.parametrize("error", [NO_DESCRIPTORS, RuntimeError("can't start new thread"), EOFError()])
@in_loop
async def test_a_process_that_cannot_be_started_is_started_later(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(pool_module, "_without_main", failing(pool_module._without_main, error, 3))
    async with engine_in() as engine:
        assert (await engine.prove(small.request(Kind.POREP, "x"))).status == "completed"
        assert engine.status().counters.worker_deaths == 3


@in_loop
async def test_a_process_whose_start_fails_after_it_was_given_up(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, failing_at_last = threading.Event(), failing(pool_module._without_main, EOFError(), 1)

    def start_late() -> Any:
        monkeypatch.setattr(pool_module, "_without_main", without_main)
        stuck.wait()
        return failing_at_last()

    without_main = pool_module._without_main
    monkeypatch.setattr(pool_module, "_without_main", start_late)
    async with engine_in(workers={"freeze_timeout": "3s"}) as engine:
        await until(lambda: engine.ready() is None and engine.status().counters.worker_deaths)
        before = engine.status()
        stuck.set()
        await until(lambda: not engine._pipeline._spawning)
        assert (await engine.prove(small.request(Kind.POREP, "x"))).status == "completed"
        assert [device.pid for device in engine.status().devices] == [device.pid for device in before.devices]


@in_loop
async def test_what_a_job_needs_cannot_be_known(engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    async with engine_in() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(small.SmallCircuit, "needs", property(failing(abs, OSError("no such device"), 1)))
            with pytest.raises(CheckFailedError, match="could not be checked: no such device"):
                await engine.submit(small.request(Kind.POREP, "x"))
        assert engine.status().memory.used_bytes == 0


@in_loop
async def test_the_proofs_of_an_unfinished_job_cannot_be_read(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with engine_in({"slow": 0.2}) as engine:
        await engine.submit(small.request(Kind.POREP, "x"))
    monkeypatch.setattr(Journal, "_read_proofs", failing(abs, sqlite3.OperationalError("disk I/O error"), 1))
    async with engine_in() as engine:
        outcome = await engine.wait("x")
        assert outcome.status == "failed"
        assert outcome.error == "after a restart: OperationalError: disk I/O error"


@in_loop
async def test_a_worker_that_talks_nonsense_is_ended_and_its_work_done_again(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with engine_in() as engine:
        await engine.prove(small.request(Kind.WINNING, "before"))
        receive = pipeline_module.say.receive

        def nonsense(end: Any) -> tuple[bytes, list[int]]:
            monkeypatch.setattr(pipeline_module.say, "receive", receive)
            receive(end)
            return b"\xff", []

        receipt = await engine.submit(small.request(Kind.POREP, "x"))
        monkeypatch.setattr(pipeline_module.say, "receive", nonsense)
        assert (await engine.wait(receipt)).status == "completed"
        assert engine.status().counters.worker_deaths == 1


@pytest.mark.parametrize("stimulus", ["synthesized", "started", "proved"])
@in_loop
async def test_a_fault_of_the_engine_itself_ends_the_job(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch, stimulus: str
) -> None:
    monkeypatch.setattr(Core, stimulus, failing(getattr(Core, stimulus), LookupError("a bug"), 1))
    async with engine_in() as engine:
        outcome = await engine.prove(small.request(Kind.POREP, "x"))
        assert (outcome.status, outcome.error.endswith("internal error: LookupError: a bug")) == ("failed", True)
        assert (await engine.prove(small.request(Kind.POREP, "y"))).status == "completed"
        await until(lambda: engine.status().threads.used == 0)


@in_loop
async def test_a_job_that_cannot_be_put_in_line_fails(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = Core._finish_if_done  # called when the job is in line already
    async with engine_in() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(Core, "_finish_if_done", failing(finish, LookupError("a bug"), 1))
            receipt = await engine.submit(small.request(Kind.POREP, "x"))
        outcome = await engine.wait(receipt)
        assert outcome.status == "failed"
        assert outcome.error == "the request could not be checked: LookupError: a bug"
        assert (await engine.prove(small.request(Kind.POREP, "x"))).status == "completed"


@in_loop
async def test_a_subscriber_that_fails_stops_nobody(engine_in: EngineFactory) -> None:
    def fail(_event: object) -> None:
        raise LookupError("a bug of who looks on")

    async with engine_in() as engine:
        engine.subscribe(fail)
        assert (await engine.prove(small.request(Kind.POREP, "x"))).status == "completed"


@in_loop
async def test_ticks_go_on_after_one_failed(engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Core, "tick", failing(Core.tick, LookupError("a bug"), 1))
    async with engine_in(jobs={"max_results": 1}) as engine:
        for name in "ab":
            await engine.prove(small.request(Kind.WINNING, name))
        await until(lambda: len(engine._book.outcomes) == 1)


@in_loop
async def test_a_damaged_request_of_the_journal_fails_its_own_job(engine_in: EngineFactory, folder: Path) -> None:
    async with engine_in({"slow": 0.2}) as engine:
        for number, name in enumerate("abc"):
            await engine.submit(small.request(Kind.POREP, name, start=number))
    with closing(sqlite3.connect(folder / "data" / "journal.db")) as connection:
        connection.execute("UPDATE jobs SET payload = ? WHERE job_id = 'a'", (b"\xff\xff\xff",))
        connection.commit()
    async with engine_in() as engine:
        damaged, *others = [await engine.wait(name) for name in "abc"]
        assert damaged.status == "failed"
        assert damaged.error.startswith("after a restart: the message is not a SubmitProofRequest: ")
        assert [outcome.status for outcome in others] == ["completed"] * 2


@in_loop
async def test_a_damaged_journal_is_said_at_the_start(folder: Path, engine_in: EngineFactory) -> None:
    async with engine_in() as engine:
        await engine.prove(small.request(Kind.WINNING, "x"))
    with closing(sqlite3.connect(folder / "data" / "journal.db")) as connection:
        connection.execute("UPDATE jobs SET timings = ?", (b"nonsense",))
        connection.commit()
    journal = Journal(make_config(folder).daemon.data_dir, lambda _: None)
    with pytest.raises(StorageError, match=r"daemon\.data_dir: the journal in .* cannot be read: "):
        journal.open()
    journal.close()


@in_loop
async def test_an_operation_that_the_journal_cannot_do_is_told_to_who_waits(folder: Path) -> None:
    journal = Journal(folder / "data", lambda _: None)
    journal.open()
    journal.record_proof("\ud800", 0, b"")  # no UTF-8: SQLite's driver raises UnicodeEncodeError
    with pytest.raises(StorageError, match="the journal cannot be written"):
        await journal._wait_for(journal_operation())
    await journal.flush()
    journal.close()


def journal_operation() -> Any:
    from cuzk.engine.journal import _Operation

    def fail(_connection: sqlite3.Connection) -> None:
        raise LookupError("a bug")

    return _Operation(fail)


@in_loop
async def test_who_waits_for_parameters_hears_that_the_engine_stops(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with engine_in() as engine:
        monkeypatch.setattr(checks_module.FileChecks, "check", lambda *_: asyncio.sleep(60))
        loading = asyncio.create_task(engine.preload("porep-small"))
        await until(lambda: engine._preloads)
    with pytest.raises(DrainingError, match="the engine was stopped before the parameters were loaded"):
        await loading
