"""Workers that die, fail or err, at each stage: what it costs, and that everything else goes on.

| what happens                                | what becomes of it                                             |
|---------------------------------------------|----------------------------------------------------------------|
| a synthesis or device process dies once     | its partitions cost one attempt more, the job is completed     |
| a stage raises once                         | that partition is tried again, the job is completed            |
| a proof does not verify once                | it is proved again, on another lane                            |
| the same, always                            | the job fails after three attempts and names the partition     |
| a device dies of one job                    | other jobs' proofs are made, the device is there at the end    |
| a device fails and another does not         | it is quarantined, jobs are completed on the other             |
| a process is stopped, or its work hangs     | it is killed and counts as dead; what it held is free again    |
| a proof takes long                          | the process gives signs of life and is left alone              |
"""

import asyncio
import os
import re
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from cuzk.engine import CheckFailedError, Engine, Outcome
from cuzk.engine.events import ProcessMoved
from cuzk.engine.messages import Alive
from cuzk.engine.pipeline import Pipeline
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Request
from tests.engine import small
from tests.engine.conftest import EngineFactory
from tests.engine.loop import in_loop, until

STAGES = ("synthesis", "start", "finish")
SOON = "3s"
"""For whoever hangs. Workers that are well but slower than that are killed as well, which costs them an attempt."""
MANY = {"max_attempts": 1000}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", ["die", "segfault", "raise", "exit"])
@in_loop
async def test_one_fault_costs_one_attempt(engine_in: EngineFactory, folder: Path, stage: str, fault: str) -> None:
    async with engine_in() as engine:
        request = small.request(Kind.POREP, "x", faults={f"{stage} 3": fault, f"{stage} 7": fault})
        outcome = await engine.prove(request)
        assert outcome.status == "completed", outcome.error
        assert small.check_proof(folder, request, outcome.proof)
        status = engine.status()
        attempts = [partition.attempt for partition in status.pipelines[0].partitions]
        if fault == "raise":
            assert attempts == [2 if partition in (3, 7) else 1 for partition in range(10)]
        else:  # whoever was in the process as well has one attempt more
            assert min(attempts[3], attempts[7]) >= 2
            assert max(attempts) <= 3
        assert status.counters.partition_retries == sum(attempts) - 10
        assert (status.counters.worker_deaths > 0) == (fault != "raise")


@in_loop
async def test_a_proof_that_does_not_verify_is_made_again(engine_in: EngineFactory, folder: Path) -> None:
    async with engine_in() as engine:
        request = small.request(Kind.POREP, "x", faults={"finish 4": "wrong"})
        outcome = await engine.prove(request)
        assert small.check_proof(folder, request, outcome.proof)
        assert engine.status().counters.verify_failures == 1
        assert "partition 4: proof did not verify" in " ".join(engine.story("x"))


@pytest.mark.parametrize(
    ("stage", "fault", "error"),
    [
        ("synthesis", "die", "synthesis-[01] died: signal 9 .SIGKILL."),
        ("synthesis", "raise", "MemoryError: synthesis of partition 5 was told to fail"),
        ("start", "segfault", "cpu died: signal 11 .SIGSEGV."),
        ("finish", "wrong", "the proof did not verify with the job's public inputs"),
    ],
)
@in_loop
async def test_a_fault_that_stays_fails_the_job_and_names_the_partition(
    engine_in: EngineFactory, stage: str, fault: str, error: str
) -> None:
    async with engine_in() as engine:
        request = small.request(Kind.SNAP, "x", faults={f"{stage} 5": fault}, times=3)
        other = small.request(Kind.POREP, "y")
        outcome, fine = await asyncio.gather(engine.prove(request), engine.prove(other))
        assert outcome.status == "failed"
        _assert_matches(outcome, f"partition 5 failed 3 times: {error}")
        assert fine.status == "completed", fine.error


def _assert_matches(outcome: Outcome, pattern: str) -> None:
    with pytest.raises(RuntimeError, match=f"^{pattern}$"):
        raise RuntimeError(outcome.error)


@pytest.mark.parametrize(
    ("fault", "workers", "reason"),
    [
        ("stop", {"freeze_timeout": SOON}, "it gave no sign of life for 3 s, so it was killed"),
        (
            "hang",
            {"check_timeout": SOON, "synthesis_timeout": SOON, "proof_timeout": SOON},
            r"the (check|(synthesis|proof) of partition \d of x) took more than 3 s, so it was killed",
        ),
    ],
    ids=["stop", "hang"],
)
@in_loop
async def test_whoever_hangs_is_killed_and_its_work_done_again(
    engine_in: EngineFactory, folder: Path, fault: str, workers: dict[str, str], reason: str
) -> None:
    async with engine_in(jobs=MANY, workers=workers) as engine:
        errors: list[str] = []
        engine.subscribe(lambda event: errors.append(getattr(event, "error", None) or ""))
        faults = dict.fromkeys(("check 0", "synthesis 3", "start 5", "finish 7"), fault)
        request = small.request(Kind.POREP, "x", faults=faults)
        with pytest.raises(CheckFailedError, match=rf"the checking process died of it \({reason}\)"):
            await engine.submit(request)
        outcome = await prove_at_last(engine, request)
        assert outcome.status == "completed", outcome.error
        assert small.check_proof(folder, request, outcome.proof)
        died = [error for error in errors if re.fullmatch(rf"(cpu|synthesis-\d) died: {reason}", error)]
        assert {error.partition(" ")[0] for error in died} >= {"cpu"}
        assert any(error.startswith("synthesis-") for error in died)
        status = engine.status()
        assert status.counters.worker_deaths >= 3  # the device hangs at two partitions, perhaps at once
        assert {r.kind for r in status.memory.reservations} <= {"srs", "work", "circuit", "pool"}
        assert status.threads.used == 0


@in_loop
async def test_a_job_that_always_hangs_fails(engine_in: EngineFactory) -> None:
    async with engine_in(jobs={"max_attempts": 2}, workers={"freeze_timeout": SOON}) as engine:
        request = small.request(Kind.WINDOW, "x", faults={"start 0": "stop"}, times=2)
        outcome = await prove_at_last(engine, request)
        died = r"(cpu|synthesis-\d) died: it gave no sign of life for 3 s, so it was killed"
        _assert_matches(outcome, f"partition 0 failed 2 times: {died}")


@in_loop
async def test_idle_processes_that_were_stopped_are_replaced(engine_in: EngineFactory) -> None:
    async with engine_in(jobs=MANY, workers={"freeze_timeout": SOON}) as engine:
        await prove_at_last(engine, small.request(Kind.POREP, "before"))
        status = engine.status()
        workers = [worker.pid for worker in status.synthesis.workers] + [device.pid for device in status.devices]
        pids = {pid for pid in workers if pid}
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        assert (await prove_at_last(engine, small.request(Kind.POREP, "after"))).status == "completed"
        await until(lambda: not any(map(psutil.pid_exists, pids)))


@in_loop
async def test_who_works_for_long_gives_signs_of_life(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: Counter[str] = Counter()
    take = Pipeline._take

    def count(self: Pipeline, name: str, message: object, descriptors: list[int]) -> None:
        heard[name] += isinstance(message, Alive)
        take(self, name, message, descriptors)  # type: ignore[arg-type]

    monkeypatch.setattr(Pipeline, "_take", count)
    async with engine_in(gpus={"gpu_threads": 1}, synthesis={"threads": 2}) as engine:
        await engine.submit(small.request(Kind.WINDOW, "x", faults={"start 0": "hang"}))
        await engine.submit(small.request(Kind.SNAP, "y", faults={"synthesis 0": "hang"}))
        await until(lambda: "proving" in {worker.state for worker in engine.status().gpu_workers})
        await until(lambda: engine.status().synthesis.active)
        heard.clear()
        await until(lambda: min(heard[name] for name in ("cpu", "synthesis-0")) >= 3)
        assert engine.status().counters.worker_deaths == 0


async def prove_at_last(engine: Engine, request: Request) -> Outcome:
    """Prove, whatever happens to checking processes meanwhile."""
    while True:
        with suppress(CheckFailedError):
            return await engine.prove(request)


@in_loop
async def test_a_failing_device_is_quarantined_and_the_other_goes_on(engine_in: EngineFactory, folder: Path) -> None:
    async with engine_in({"devices": ["broken", "good"], "slow": 0.02}) as engine:
        moves: list[ProcessMoved] = []
        engine.subscribe(lambda event: moves.append(event) if isinstance(event, ProcessMoved) else None)
        await until(lambda: {device.state for device in engine.status().devices} == {"ok"})
        requests = [small.request(Kind.SNAP, f"{number}", start=number) for number in range(3)]
        outcomes = await asyncio.gather(*map(engine.prove, requests))
        for request, outcome in zip(requests, outcomes, strict=True):
            assert small.check_proof(folder, request, outcome.proof)
        broken, good = engine.status().devices
        assert good.state == "ok"
        assert broken.faults >= 3
        quarantined = [move for move in moves if move.state == "quarantined"]
        assert {move.process for move in quarantined} == {"broken"}
        reason = quarantined[0].reason or ""
        assert "3 faults without a success, the last: RuntimeError: this device is broken" in reason
