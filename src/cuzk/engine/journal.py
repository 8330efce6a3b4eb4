"""What survives a crash: jobs, the proofs of their partitions, results; SQLite in WAL mode, written by one thread.

Operations that come while a commit runs go into the next one together (group commit). Payloads of a MiB or more lie in
files of a spool folder, written and synced before the row that names them. What cannot be written now, because the disk
is full, is refused if a caller waits for it, and else kept and tried again until it can be written.
"""

import asyncio
import contextlib
import errno
import fcntl
import os
import queue
import sqlite3
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from cuzk.engine.errors import StorageError
from cuzk.engine.states import JobState
from cuzk.errors import InputError

SPOOL_FROM = 1 << 20
_RETRY_SECONDS = 1.0
_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    job_id TEXT PRIMARY KEY, request_id TEXT NOT NULL, digest BLOB NOT NULL, kind TEXT NOT NULL,
    priority INTEGER NOT NULL, attempt INTEGER NOT NULL, attended INTEGER NOT NULL, submitted REAL NOT NULL,
    deadline REAL, payload BLOB, spool TEXT, state TEXT NOT NULL DEFAULT 'queued',
    finished REAL, proof BLOB, error TEXT, timings BLOB
) STRICT;
CREATE TABLE IF NOT EXISTS proofs (
    job_id TEXT NOT NULL, partition INTEGER NOT NULL, proof BLOB NOT NULL, PRIMARY KEY (job_id, partition)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_finished ON jobs (finished);
"""


class Timings(msgspec.Struct, frozen=True):
    """What a finished job took, in milliseconds; synthesis and device are sums over partitions."""

    queue_wait_ms: int = 0
    srs_load_ms: int = 0
    synthesis_ms: int = 0
    gpu_compute_ms: int = 0
    total_ms: int = 0


@dataclass(frozen=True)
class JobRecord:
    """A job as the journal has it; times are Unix times."""

    job_id: str
    request_id: str
    digest: bytes
    kind: str
    priority: int
    attempt: int
    attended: bool
    submitted: float
    deadline: float | None
    state: JobState = "queued"
    finished: float | None = None
    proof: bytes = b""
    error: str | None = None
    timings: Timings = field(default_factory=Timings)


@dataclass
class _Operation:
    """One change, and who waits for it; without anybody it is tried until it succeeds."""

    apply: Callable[[sqlite3.Connection], None]
    done: Callable[[Exception | None], None] | None = None
    spool: tuple[Path, bytes | memoryview] | None = None
    unlink: Path | None = None


class Journal:
    """The journal in one folder, which no other engine may use. Methods may be called from the event loop's thread."""

    def __init__(self, folder: Path, on_state: Callable[[str | None], None]) -> None:
        self._folder = folder
        self._spool_folder = folder / "spool"
        self._on_state = on_state
        self._operations: queue.SimpleQueue[_Operation | None] = queue.SimpleQueue()
        self._spooled: dict[str, Path] = {}
        self._thread: threading.Thread | None = None
        self._lock: int | None = None
        self._error: str | None = None

    def open(self) -> list[JobRecord]:
        """Open or make the journal and return all its jobs, oldest first (blocking)."""
        self._lock_folder()
        connection = self._connect()
        try:
            connection.executescript(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
            records = [_record(row) for row in connection.execute(_SELECT)]
            spooled = connection.execute("SELECT job_id, spool FROM jobs WHERE spool IS NOT NULL")
            self._spooled = {job_id: self._spool_folder / name for job_id, name in spooled}
            for path in set(self._spool_folder.iterdir()) - set(self._spooled.values()):
                path.unlink()
        except (sqlite3.Error, msgspec.MsgspecError, OSError) as error:
            connection.close()
            raise StorageError(f"daemon.data_dir: the journal in {self._folder} cannot be read: {error}") from error
        self._thread = threading.Thread(target=self._run, args=(connection,), name="journal", daemon=True)
        self._thread.start()
        return records

    async def add(self, record: JobRecord, payload: bytes | memoryview) -> None:
        """Put a job on disk; StorageError if that cannot be done now."""
        spool = None
        if len(payload) >= SPOOL_FROM:
            spool = (self._spool_folder / f"{uuid.uuid4().hex}.request", payload)
        row = (
            record.job_id,
            record.request_id,
            record.digest,
            record.kind,
            record.priority,
            record.attempt,
            int(record.attended),
            record.submitted,
            record.deadline,
            payload if spool is None else None,
            None if spool is None else spool[0].name,
        )
        if spool is not None:
            self._spooled[record.job_id] = spool[0]  # known from here on to `finish`, which may come first
        try:
            await self._wait_for(_Operation(lambda connection: _insert(connection, row), spool=spool))
        except StorageError:
            self._spooled.pop(record.job_id, None)
            raise

    async def keep(self, job_id: str) -> None:
        """Put on disk that somebody wants a job who does not hold the line; StorageError if that cannot be done now."""
        statement = "UPDATE jobs SET attended = 0 WHERE job_id = ?"
        await self._wait_for(_Operation(lambda connection: _execute(connection, statement, (job_id,))))

    async def payload(self, job_id: str) -> bytes:
        """Return the request of an unfinished job."""
        path = self._spooled.get(job_id)
        try:
            if path is not None:
                return await asyncio.to_thread(path.read_bytes)
            return await asyncio.to_thread(self._read_payload, job_id)
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"the request of {job_id} cannot be read: {error}") from error

    async def proofs(self, job_id: str) -> dict[int, bytes]:
        """Return the proofs of an unfinished job's partitions that were recorded."""
        return await asyncio.to_thread(self._read_proofs, job_id)

    def record_proof(self, job_id: str, partition: int, proof: bytes) -> None:
        """Put a partition's proof on disk, soon."""
        statement = "INSERT OR IGNORE INTO proofs VALUES (?, ?, ?)"
        self._later(_Operation(lambda connection: _execute(connection, statement, (job_id, partition, proof))))

    def finish(
        self, job_id: str, state: JobState, finished: float, proof: bytes, error: str | None, timings: Timings
    ) -> None:
        """Put a job's end on disk, soon; its request and its partitions' proofs go."""
        row = (state, finished, proof, error, msgspec.json.encode(timings), job_id)
        self._later(_Operation(lambda connection: _finish(connection, row), unlink=self._spooled.pop(job_id, None)))

    def forget(self, job_ids: list[str]) -> None:
        """Take finished jobs off the disk, soon."""
        rows = [(job_id,) for job_id in job_ids]
        self._later(_Operation(lambda connection: _forget(connection, rows)))

    async def flush(self) -> None:
        """Wait until all that was said so far is on disk; StorageError if it cannot be."""
        await self._wait_for(_Operation(lambda _: None))

    def close(self) -> None:
        """Write what is left, if that can be, and end (blocking)."""
        if self._thread is not None:
            self._operations.put(None)
            self._thread.join()
            self._thread = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # Within

    def _lock_folder(self) -> None:
        lock = None
        try:
            self._spool_folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if lock is not None:
                os.close(lock)
            if isinstance(error, BlockingIOError):
                raise InputError(f"daemon.data_dir: another engine uses {self._folder}") from error
            refusal = StorageError if error.errno in (errno.ENOSPC, errno.EDQUOT) else InputError
            raise refusal(f"daemon.data_dir: cannot write to {self._folder}: {error.strerror}") from error
        self._lock = lock

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self._folder / "journal.db", isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error as error:
            raise StorageError(f"daemon.data_dir: the journal in {self._folder} cannot be opened: {error}") from error
        return connection

    async def _wait_for(self, operation: _Operation) -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def done(error: Exception | None) -> None:
            refusal = None
            if error is not None:
                refusal = StorageError(f"the journal cannot be written, so the job was not accepted: {error}")
            with contextlib.suppress(RuntimeError):  # a closed loop: nobody waits any more
                loop.call_soon_threadsafe(_resolve, future, refusal)

        operation.done = done
        self._operations.put(operation)
        await future

    def _later(self, operation: _Operation) -> None:
        self._operations.put(operation)

    def _run(self, connection: sqlite3.Connection) -> None:
        unsaved: list[_Operation] = []
        closing = False
        while not closing:
            operations, closing = self._next(unsaved)
            unsaved = self._commit(connection, operations)
        connection.close()

    def _next(self, unsaved: list[_Operation]) -> tuple[list[_Operation], bool]:
        """Wait for something to do; return all there is, what could not be saved before first."""
        operations = list(unsaved)
        with contextlib.suppress(queue.Empty):
            first = self._operations.get(timeout=_RETRY_SECONDS if unsaved else None)
            while True:
                if first is None:
                    return operations, True
                operations.append(first)
                first = self._operations.get_nowait()
        return operations, False

    def _commit(self, connection: sqlite3.Connection, operations: list[_Operation]) -> list[_Operation]:
        """Commit all at once or, if that fails, each by itself; return those that must be tried again."""
        if self._transaction(connection, operations) is None:
            self._tell(None)
            return []
        unsaved: list[_Operation] = []
        failure = None
        for operation in operations:
            error = self._transaction(connection, [operation])
            failure = failure or error
            if error is not None and operation.done is not None:
                operation.done(error)
            elif error is not None:
                unsaved.append(operation)
        self._tell(None if failure is None else str(failure))
        return unsaved

    def _transaction(self, connection: sqlite3.Connection, operations: list[_Operation]) -> Exception | None:
        written: list[Path] = []
        try:
            for operation in operations:
                if operation.spool is not None:
                    written.append(operation.spool[0])
                    _write_synced(*operation.spool)
            if written:
                _sync_folder(self._spool_folder)
            connection.execute("BEGIN IMMEDIATE")
            for operation in operations:
                operation.apply(connection)
            connection.execute("COMMIT")
        except Exception as error:  # whatever it is, those who wait must hear of it
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            for path in written:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
            return error
        for operation in operations:
            if operation.done is not None:
                operation.done(None)
            if operation.unlink is not None:
                with contextlib.suppress(OSError):  # the next start sees to it
                    operation.unlink.unlink(missing_ok=True)
        return None

    def _tell(self, error: str | None) -> None:
        if error != self._error:
            self._error = error
            self._on_state(error)

    def _read_payload(self, job_id: str) -> bytes:
        with contextlib.closing(self._connect()) as connection:
            row = connection.execute("SELECT payload FROM jobs WHERE job_id = ?", (job_id,)).fetchone()
        return bytes(row[0]) if row and row[0] is not None else b""

    def _read_proofs(self, job_id: str) -> dict[int, bytes]:
        with contextlib.closing(self._connect()) as connection:
            rows = connection.execute("SELECT partition, proof FROM proofs WHERE job_id = ?", (job_id,))
            return {int(partition): bytes(proof) for partition, proof in rows}


_SELECT = """
SELECT job_id, request_id, digest, kind, priority, attempt, attended, submitted, deadline,
       state, finished, proof, error, timings FROM jobs ORDER BY submitted, rowid
"""


def _record(row: tuple[Any, ...]) -> JobRecord:
    job_id, request_id, digest, kind, priority, attempt, attended, submitted, deadline = row[:9]
    state, finished, proof, error, timings = row[9:]
    return JobRecord(
        job_id,
        request_id,
        digest,
        kind,
        priority,
        attempt,
        bool(attended),
        submitted,
        deadline,
        state,
        finished,
        proof or b"",
        error,
        msgspec.json.decode(timings, type=Timings) if timings else Timings(),
    )


def _execute(connection: sqlite3.Connection, statement: str, row: tuple[object, ...]) -> None:
    connection.execute(statement, row)


def _insert(connection: sqlite3.Connection, row: tuple[object, ...]) -> None:
    connection.execute(
        "INSERT INTO jobs (job_id, request_id, digest, kind, priority, attempt, attended, submitted, deadline, "
        "payload, spool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    connection.execute("DELETE FROM proofs WHERE job_id = ?", row[:1])  # of a job that had its id before


def _finish(connection: sqlite3.Connection, row: tuple[object, ...]) -> None:
    connection.execute(
        "UPDATE jobs SET state = ?, finished = ?, proof = ?, error = ?, timings = ?, payload = NULL, spool = NULL "
        "WHERE job_id = ?",
        row,
    )
    connection.execute("DELETE FROM proofs WHERE job_id = ?", (row[-1],))


def _forget(connection: sqlite3.Connection, rows: list[tuple[str]]) -> None:
    connection.executemany("DELETE FROM jobs WHERE job_id = ?", rows)
    connection.executemany("DELETE FROM proofs WHERE job_id = ?", rows)


def _write_synced(path: Path, data: bytes | memoryview) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _resolve(future: "asyncio.Future[None]", error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
