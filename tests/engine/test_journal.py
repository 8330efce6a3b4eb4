"""The journal: what is written is there afterwards, what cannot be written is said, and tried again."""

import asyncio
import os
import resource
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from cuzk.engine.errors import StorageError
from cuzk.engine.journal import SPOOL_FROM, JobRecord, Journal, Timings
from cuzk.errors import InputError
from tests.engine.loop import in_loop, until


def record(job_id: str) -> JobRecord:
    return JobRecord(job_id, job_id, b"d" * 32, "porep-c2", 2, 1, True, 1000.5, None)


@asynccontextmanager
async def opened(
    folder: Path, states: list[str | None] | None = None
) -> AsyncIterator[tuple[Journal, list[JobRecord]]]:
    journal = Journal(folder, (states if states is not None else []).append)
    records = journal.open()
    try:
        yield journal, records
    finally:
        journal.close()


@in_loop
async def test_jobs_proofs_and_results_are_there_after_a_restart(tmp_path: Path) -> None:
    small, large = b"small", os.urandom(SPOOL_FROM)
    async with opened(tmp_path) as (journal, records):
        assert records == []
        await asyncio.gather(journal.add(record("a [1]"), small), journal.add(record("b"), large))
        journal.record_proof("b", 3, b"3" * 192)
        journal.record_proof("b", 3, b"x" * 192)  # the first one counts
        journal.record_proof("b", 0, b"0" * 192)
        await journal.add(record("c"), large)
        journal.finish("c", "done", 1002.0, b"proof", None, Timings(1, 2, 3, 4, 5))
        journal.record_proof("c", 0, b"0" * 192)
    async with opened(tmp_path) as (journal, records):
        assert [(r.job_id, r.state, r.finished) for r in records] == [
            ("a [1]", "queued", None),
            ("b", "queued", None),
            ("c", "done", 1002.0),
        ]
        assert records[0] == record("a [1]")
        assert (records[2].proof, records[2].timings.total_ms) == (b"proof", 5)
        assert await journal.payload("a [1]") == small
        assert await journal.payload("b") == large
        assert await journal.proofs("b") == {0: b"0" * 192, 3: b"3" * 192}
        assert len(list((tmp_path / "spool").iterdir())) == 1
        journal.forget(["c"])
    async with opened(tmp_path) as (_, records):
        assert [r.job_id for r in records] == ["a [1]", "b"]


@in_loop
async def test_a_job_that_ends_before_it_is_on_disk_leaves_no_file(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        adding = asyncio.create_task(journal.add(record("x"), os.urandom(SPOOL_FROM)))
        await asyncio.sleep(0)
        journal.finish("x", "cancelled", 1002.0, b"", "cancelled", Timings())
        await adding
        await journal.flush()
        assert not list((tmp_path / "spool").iterdir())


@in_loop
async def test_a_job_has_no_proofs_of_another_that_had_its_id(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await journal.add(record("x"), b"one")
        journal.forget(["x"])
        journal.record_proof("x", 0, b"0" * 192)  # as when the disk was full, and it is written late
        await journal.add(record("x"), b"another")
        assert await journal.proofs("x") == {}


@in_loop
async def test_files_that_no_job_names_are_removed(tmp_path: Path) -> None:
    async with opened(tmp_path):
        (tmp_path / "spool" / "left-over.request").write_bytes(b"x")
    async with opened(tmp_path):
        assert not list((tmp_path / "spool").iterdir())


@in_loop
async def test_one_folder_is_for_one_engine(tmp_path: Path) -> None:
    async with opened(tmp_path):
        with pytest.raises(InputError, match="another engine uses"):
            Journal(tmp_path, lambda _: None).open()


@in_loop
async def test_jobs_that_come_together_are_committed_together(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await asyncio.gather(*(journal.add(record(f"{number}"), b"x") for number in range(200)))
    with closing(sqlite3.connect(tmp_path / "journal.db")) as connection:
        assert connection.execute("SELECT count(*) FROM jobs").fetchone() == (200,)


@in_loop
async def test_a_full_disk_is_one_clear_error_and_needs_no_restart(tmp_path: Path) -> None:
    states: list[str | None] = []
    async with opened(tmp_path, states) as (journal, _):
        await journal.add(record("a"), b"x")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        try:
            # No file may grow beyond this: writes fail as they do on a full disk.
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
            with pytest.raises(StorageError, match="the journal cannot be written, so the job was not accepted"):
                await journal.add(record("b"), b"x" * (SPOOL_FROM - 1))
            with pytest.raises(StorageError):
                await journal.add(record("c"), b"x" * SPOOL_FROM)
            journal.record_proof("a", 1, os.urandom(1 << 18))
            await until(lambda: states)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert states[0]
        await journal.add(record("d"), b"x")
        await until(lambda: states[-1] is None)
        await until(lambda: len(_proofs(tmp_path)) == 1)
    async with opened(tmp_path) as (_, records):
        assert [r.job_id for r in records] == ["a", "d"]
        assert not list((tmp_path / "spool").iterdir())


def _proofs(folder: Path) -> list[tuple[int]]:
    with closing(sqlite3.connect(folder / "journal.db")) as connection:
        return connection.execute("SELECT partition FROM proofs").fetchall()


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"daemon\.data_dir: cannot write to .*file/data: Not a directory"):
        Journal(tmp_path / "file" / "data", lambda _: None).open()
