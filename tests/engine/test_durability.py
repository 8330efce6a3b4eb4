"""kill -9 of the engine, and of each kind of process under it, at each stage.

Every acknowledged job is completed by the next engine, no partition whose proof the journal has is proved again, and
nothing of the killed engine is left behind.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from cuzk.filecoin.kinds import Kind
from tests.conftest import REPOSITORY
from tests.engine import small

Words = list[Any]
PATIENCE = 120.0


class Daemon:
    """An engine in a process of its own."""

    def __init__(self, folder: Path, **told: Any) -> None:
        command = [sys.executable, "-m", "tests.engine.daemon", str(folder), json.dumps(told)]
        self.process = subprocess.Popen(
            command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.said: list[Words] = []

    def until(self, condition: Callable[[Words], bool]) -> Words:
        """Read what it says until it says that."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            words = json.loads(line)
            self.said.append(words)
            if condition(words):
                return words
        raise AssertionError(f"it ended with {self.process.wait()} and said {self.said[-5:]}")

    def outcomes(self) -> dict[str, tuple[str, bytes]]:
        """Wait until all jobs have ended and return how."""
        self.until(lambda words: words[0] == "proved")
        return {words[1]: (words[2], bytes.fromhex(words[3])) for words in self.said if words[0] == "outcome"}

    def workers(self) -> list[psutil.Process]:
        """Return all processes under it."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def kill(self) -> None:
        """Kill it where it stands, and check that nothing of it is left a moment later."""
        self.process.send_signal(signal.SIGSTOP)
        workers = self.workers()
        assert workers
        self.process.kill()
        self.close()
        _, alive = psutil.wait_procs(workers, timeout=PATIENCE)
        assert not alive, f"left behind: {alive}"

    def stop(self) -> None:
        """Let it stop by itself."""
        workers = self.workers()
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0
        self.close()
        assert not psutil.wait_procs(workers, timeout=PATIENCE)[1]

    def close(self) -> None:
        self.process.wait(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@contextmanager
def daemon(folder: Path, **told: Any) -> Iterator[Daemon]:
    """Start an engine that does not outlive the block."""
    running = Daemon(folder, **told)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
        running.close()


def unproved(folder: Path) -> int:
    """Return how many partitions of unfinished jobs have no proof in the journal."""
    with closing(sqlite3.connect(folder / "data" / "journal.db")) as connection:
        kinds = connection.execute("SELECT kind FROM jobs WHERE finished IS NULL").fetchall()
        proofs = connection.execute("SELECT count(*) FROM proofs").fetchone()[0]
    partitions = {kind.display: number for kind, number in small.PARTITIONS.items()}
    return sum(partitions[kind] for (kind,) in kinds) - int(proofs)


def ends_of_proofs(count: int) -> Callable[[Words], bool]:
    """Return a condition: so many partitions were proved."""
    seen = {"finalizing": 0}

    def condition(words: Words) -> bool:
        seen["finalizing"] += words[0] == "finalizing"
        return seen["finalizing"] > count and words[0] == "ended"

    return condition


MOMENTS: dict[str, Callable[[Words], bool]] = {
    "acknowledged": lambda words: words[0] == "accepted" and words[1] == "b",
    "synthesis": lambda words: words[:2] == ["taken", "synthesis"] and words[2] == 2,
    "prove_start": lambda words: words[:2] == ["taken", "proof"],
    "prove_finish": lambda words: words[0] == "finalizing",
    "some proofs made": ends_of_proofs(5),
    "a job done": lambda words: words[0] == "outcome",
}
JOBS = [["POREP", "a [1 2]", {}], ["SNAP", "b", {"start": 4, "padding": 2 << 20}]]


SLOW = pytest.mark.full
SOMETIMES = {"synthesis", "prove_finish", "a job done"}


@pytest.mark.parametrize(
    "moment", [pytest.param(moment, marks=[SLOW] if moment in SOMETIMES else []) for moment in MOMENTS]
)
def test_a_killed_engine_loses_nothing_that_was_acknowledged(folder: Path, moment: str) -> None:
    with daemon(folder, submit=JOBS, options={"slow": 0.03}) as first:
        if moment != "acknowledged":
            first.until(lambda words: words[0] == "accepted" and words[1] == "b")
        first.until(MOMENTS[moment])
        first.kill()
    missing = unproved(folder)
    with daemon(folder, wait=["a [1 2]", "b"]) as second:
        outcomes = second.outcomes()
        proved = second.said[-1][1]
        second.stop()
    assert proved == missing
    for kind, name, vanilla in JOBS:
        status, proof = outcomes[name]
        assert status == "completed"
        assert small.check_proof(folder, small.request(Kind[kind], name, **vanilla), proof)
    assert not list((folder / "data" / "spool").iterdir())


@SLOW
def test_an_engine_killed_over_and_over_gets_done_in_the_end(folder: Path) -> None:
    with daemon(folder, submit=JOBS[1:], options={"slow": 0.05}) as first:
        first.until(MOMENTS["acknowledged"])
        first.kill()
    for _ in range(3):
        with daemon(folder, wait=["b"], options={"slow": 0.05}) as again:
            again.until(ends_of_proofs(2))
            again.kill()
    with daemon(folder, wait=["b"]) as last:
        assert last.outcomes()["b"][0] == "completed"
        assert last.said[-1][1] <= 14


@pytest.mark.parametrize(
    "victim", [pytest.param("check-0", marks=SLOW), "synthesis-0", "cpu", pytest.param("forkserver", marks=SLOW)]
)
def test_killed_workers_cost_no_job(folder: Path, victim: str) -> None:
    with daemon(folder, submit=JOBS, options={"slow": 0.03}) as running:
        running.until(MOMENTS["prove_start"])
        pids = {words[1]: words[2] for words in running.said if words[0] == "up"}
        pids["forkserver"] = psutil.Process(pids["cpu"]).ppid()
        os.kill(pids[victim], signal.SIGKILL)
        if victim == "forkserver":  # the next worker needs another one
            os.kill(pids["cpu"], signal.SIGKILL)
        outcomes = running.outcomes()
        assert {status for status, _ in outcomes.values()} == {"completed"}
        assert len(outcomes) == 2
        running.stop()


def test_a_second_engine_may_not_use_the_same_folder(folder: Path) -> None:
    with daemon(folder) as first:
        first.until(lambda words: words[0] == "started")
        second = Daemon(folder)
        assert second.process.wait(PATIENCE) == 1
        second.close()
        first.stop()
