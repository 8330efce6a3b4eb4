"""Workers that die, fail or err, at each stage: what it costs, and that everything else goes on.

| what happens                                | what becomes of it                                             |
|---------------------------------------------|----------------------------------------------------------------|
| a synthesis or device process dies once     | its partitions cost one attempt more, the job is completed     |
| a stage raises once                         | that partition is tried again, the job is completed            |
| a proof does not verify once                | it is proved again, on another lane                            |
| the same, always                            | the job fails after three attempts and names the partition     |
| a device dies of one job                    | other jobs' proofs are made, the device is there at the end    |
| a device fails and another does not         | it is quarantined, jobs are completed on the other             |
"""

import asyncio
from pathlib import Path

import pytest

from cuzk.engine import Outcome
from cuzk.engine.events import ProcessMoved
from cuzk.filecoin.kinds import Kind
from tests.engine import small
from tests.engine.conftest import EngineFactory
from tests.engine.loop import in_loop, until

STAGES = ("synthesis", "start", "finish")


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
