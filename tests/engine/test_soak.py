"""Long runs with real processes: no snapshot contradicts itself, memory stays flat."""

import asyncio
import time
from pathlib import Path

import psutil
import pytest

from cuzk.filecoin.kinds import Kind
from tests.engine import invariants, small
from tests.engine.conftest import EngineFactory
from tests.engine.loop import in_loop, until

MIB = 1 << 20


def proportional_set_size() -> int:
    """Return the memory of this process and all below it, shared pages by their share."""
    me = psutil.Process()
    return sum(process.memory_full_info().pss for process in [me, *me.children(recursive=True)])


@pytest.mark.full
@in_loop
async def test_no_poll_of_a_soak_contradicts_itself(engine_in: EngineFactory) -> None:
    """320 partitions on two lanes, with finalizers that take ten times as long as the device work."""
    options = {"slow": 0.002, "slow_finish": 0.05}
    async with engine_in(options, gpus={"gpu_workers_per_device": 2}, synthesis={"threads": 6}) as engine:
        requests = [small.request(Kind.SNAP, f"soak {number}", start=number) for number in range(20)]
        jobs = [asyncio.create_task(engine.prove(request)) for request in requests]
        polls, overlaps, last = 0, 0, None
        while not all(job.done() for job in jobs):
            status = invariants.parse(engine.status_json())
            invariants.check_after(last, status)
            last, polls = status, polls + 1
            overlaps += any(w["state"] == "proving" and w["finalizing"] for w in status["gpu_workers"])
            await asyncio.sleep(0.02)
        assert {job.result().status for job in jobs} == {"completed"}
        assert engine.status().counters.partitions_proved == 320
        print(f"{polls} polls, {overlaps} of them with a lane that proves while it finishes another partition")
        assert overlaps > 20


@pytest.mark.full
@in_loop
async def test_memory_stays_flat(engine_in: EngineFactory) -> None:
    """After warm-up, 50 more proofs of three kinds leave the sum of all processes' memory as it was."""
    async with engine_in(jobs={"max_results": 5}, daemon={}) as engine:

        async def prove(first: int, count: int) -> int:
            for number in range(first, first + count, 2):
                kinds = (Kind.WINNING, Kind.WINDOW)
                await asyncio.gather(
                    *(engine.prove(small.request(kind, f"{number} {kind}", start=number)) for kind in kinds)
                )
            await engine.prove(small.request(Kind.POREP, f"{first}", start=first))
            await until(lambda: not engine.status().pipelines)  # what has ended is shown for half a minute
            return proportional_set_size()

        await prove(0, 20)
        before = await prove(100, 50)
        after = await prove(200, 50)
        print(f"{before / MIB:.1f} MiB before, {after / MIB:.1f} MiB after 50 more proofs")
        assert after - before < 3 * MIB


@pytest.mark.full
@in_loop
async def test_workers_killed_at_random_cost_no_job(engine_in: EngineFactory, folder: Path) -> None:
    async with engine_in({"slow": 0.02}, jobs={"max_attempts": 20}) as engine:
        requests = [small.request(Kind.POREP, f"{number}", start=number) for number in range(6)]
        jobs = [asyncio.create_task(engine.prove(request)) for request in requests]
        end, number = time.monotonic() + 8.0, 0
        while time.monotonic() < end and not all(job.done() for job in jobs):
            await asyncio.sleep(0.5)
            workers = [
                worker for worker in engine.status().synthesis.workers if worker.pid and worker.worker_id[0] == "s"
            ]
            pids = [worker.pid for worker in workers] + [device.pid for device in engine.status().devices]
            victims = [pid for pid in pids if pid]
            if victims:
                psutil.Process(victims[number % len(victims)]).kill()
                number += 1
        outcomes = await asyncio.gather(*jobs)
        assert {outcome.status for outcome in outcomes} == {"completed"}
        for request, outcome in zip(requests, outcomes, strict=True):
            assert small.check_proof(folder, request, outcome.proof)
        assert engine.status().counters.worker_deaths >= 3
