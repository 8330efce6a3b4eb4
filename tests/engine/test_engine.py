"""The engine with real processes and real proofs over small circuits; the status is polled and checked throughout."""

import asyncio
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from cuzk.devices.nvml import Gpu
from cuzk.engine import CheckFailedError, DrainingError, Engine, NeverFitsError, QueueFullError, UnknownJobError
from cuzk.engine import engine as engine_module
from cuzk.engine import pipeline as pipeline_module
from cuzk.engine.events import Event, JobQueued, LeaseEnded, LeaseTaken
from cuzk.errors import InputError
from cuzk.filecoin.kinds import Kind
from tests.engine import small
from tests.engine.conftest import EngineFactory, make_config
from tests.engine.loop import in_loop, until


@in_loop
async def test_jobs_of_ten_and_sixteen_partitions_give_proofs_that_verify(
    engine_in: EngineFactory, folder: Path
) -> None:
    async with engine_in() as engine:
        requests = [small.request(Kind.POREP, "a"), small.request(Kind.SNAP, "b"), small.request(Kind.WINNING, "c")]
        outcomes = await asyncio.gather(*(engine.prove(request) for request in requests))
        for request, outcome in zip(requests, outcomes, strict=True):
            assert outcome.status == "completed", outcome
            assert len(outcome.proof) == 192 * small.PARTITIONS[request.kind]
            assert small.check_proof(folder, request, outcome.proof)
            assert outcome.job_id == request.request_id
        counters = engine.status().counters
        assert counters.completed_by_kind == {"porep-c2": 1, "snap-update": 1, "window-post": 0, "winning-post": 1}
        assert counters.partitions_proved == 27
        assert "partition 0 attempt 1: done" in " ".join(engine.story("a"))


@in_loop
async def test_without_overlap_the_same_code_makes_the_same_proofs(engine_in: EngineFactory, folder: Path) -> None:
    async with engine_in(pipeline={"enabled": False}) as engine:
        request = small.request(Kind.POREP, "a")
        assert small.check_proof(folder, request, (await engine.prove(request)).proof)
        assert len(engine.status().gpu_workers) == 1


@in_loop
async def test_the_same_request_attaches_while_it_runs_and_gets_the_stored_proof_afterwards(
    engine_in: EngineFactory,
) -> None:
    async with engine_in() as engine:
        request = small.request(Kind.POREP, "miner [1 2]~")
        outcomes = await asyncio.gather(*(engine.prove(request) for _ in range(3)))
        assert len({outcome.proof for outcome in outcomes}) == 1
        receipt = await engine.submit(request)
        assert (receipt.job_id, receipt.attached) == ("miner [1 2]~", True)
        assert (await engine.wait(receipt.job_id)).proof == outcomes[0].proof
        assert engine.status().counters.partitions_proved == 10


@in_loop
async def test_other_content_under_the_same_id_is_another_job(engine_in: EngineFactory) -> None:
    async with engine_in() as engine:
        first = await engine.submit(small.request(Kind.WINNING, "x", start=3))
        second = await engine.submit(small.request(Kind.WINNING, "x", start=4))
        assert (first.job_id, second.job_id) == ("x", "x~2")
        newest, by_id = await engine.wait("x"), await engine.wait("x~2")
        assert newest == by_id
        assert newest.job_id == "x~2"


@in_loop
async def test_a_failed_job_starts_anew(engine_in: EngineFactory) -> None:
    async with engine_in() as engine:
        request = small.request(Kind.WINNING, "x", faults={"synthesis 0": "input"})
        failed = await engine.prove(request)
        assert failed.status == "failed"
        assert failed.error == "partition 0 failed: synthesis of partition 0 was told to be wrong"
        again = await engine.prove(request)
        assert (again.status, again.job_id) == ("completed", "x~2")
        assert [job.attempt for job in engine.status().pipelines] == [1, 2]


@in_loop
async def test_bad_input_is_refused_before_there_is_a_job(engine_in: EngineFactory) -> None:
    async with engine_in() as engine:
        bad = small.request(Kind.WINNING, "x", faults={"check 0": "input"}, times=9)
        with pytest.raises(InputError, match="check of partition 0 was told to be wrong"):
            await engine.submit(bad)
        with pytest.raises(UnknownJobError, match="job not found: x"):
            await engine.wait("x")
        assert not engine.status().pipelines
        assert engine.status().counters.refused == 1
        assert not [r for r in engine.status().memory.reservations if r.kind == "payload"]


@in_loop
async def test_a_request_that_kills_its_checking_process_costs_nobody_else(engine_in: EngineFactory) -> None:
    async with engine_in() as engine:
        deadly = [
            engine.submit(small.request(Kind.WINNING, f"x{fault}", faults={"check 0": fault}))
            for fault in ("segfault", "die", "raise")
        ]
        results = await asyncio.gather(*deadly, engine.prove(small.request(Kind.WINNING, "y")), return_exceptions=True)
        assert [type(result) for result in results[:3]] == [CheckFailedError] * 3
        assert "died of it (signal 11 (SIGSEGV))" in str(results[0])
        assert getattr(results[3], "status", results[3]) == "completed"


@in_loop
async def test_of_44_submits_at_once_as_many_are_accepted_as_there_is_room_for(engine_in: EngineFactory) -> None:
    async with engine_in({"slow": 0.05}, jobs={"max_pending": 15}) as engine:
        requests = [small.request(Kind.WINNING, f"job {number}", start=number) for number in range(44)]
        results = await asyncio.gather(*map(engine.submit, requests), return_exceptions=True)
        refused = [result for result in results if isinstance(result, QueueFullError)]
        assert len(refused) == 29
        assert "15 jobs are unfinished, and jobs.max_pending is 15" in str(refused[0])
        accepted = [result for result in results if not isinstance(result, BaseException)]
        assert accepted[0].queue_position == 0
        outcomes = await asyncio.gather(*(engine.wait(receipt.job_id) for receipt in accepted))
        assert {outcome.status for outcome in outcomes} == {"completed"}


@in_loop
async def test_winning_post_starts_at_the_next_stage_boundary(engine_in: EngineFactory) -> None:
    async with engine_in({"slow": 0.1}, synthesis={"threads": 2}) as engine:
        large = await engine.submit(small.request(Kind.SNAP, "large"))
        await engine.preload("winning-small")
        await until(lambda: engine.status().counters.partitions_proved >= 2)
        told: list[Event] = []
        engine.subscribe(told.append)
        winning = await engine.submit(small.request(Kind.WINNING, "winning"))
        assert (await engine.wait(winning.job_id)).status == "completed"
        assert engine.status().counters.partitions_proved < 17
        assert (await engine.wait(large.job_id)).status == "completed"
    queued = next(n for n, event in enumerate(told) if isinstance(event, JobQueued))
    leases = [event.lease for event in told[queued:] if isinstance(event, LeaseTaken)]
    assert leases[0].job_id == "winning", "nothing else begins once it is in line"
    synthesized = next(
        n for n, event in enumerate(told) if isinstance(event, LeaseEnded) and event.lease == leases[0].number
    )
    proofs = (event.lease for event in told[synthesized:] if isinstance(event, LeaseTaken))
    assert next(lease for lease in proofs if lease.kind == "proof").job_id == "winning"


@in_loop
async def test_cancel_ends_a_job_and_gives_everything_back(engine_in: EngineFactory) -> None:
    async with engine_in({"slow": 0.1}) as engine:
        receipt = await engine.submit(small.request(Kind.SNAP, "x"))
        await until(lambda: engine.status().counters.partitions_proved >= 1)
        assert await engine.cancel("x")
        assert (await engine.wait(receipt.job_id)).status == "cancelled"
        assert not await engine.cancel("x")
        await until(lambda: engine.status().threads.used == 0)
        assert {r.kind for r in engine.status().memory.reservations} <= {"srs", "work", "circuit", "pool"}
        with pytest.raises(UnknownJobError):
            await engine.cancel("y")


@in_loop
async def test_a_job_can_be_cancelled_while_it_is_checked(engine_in: EngineFactory) -> None:
    async with engine_in() as engine:
        submitting = asyncio.create_task(engine.submit(small.request(Kind.WINNING, "x", check_seconds=0.3)))
        await until(lambda: engine.status().pipelines)
        assert await engine.cancel("x")
        assert (await submitting).job_id == "x"
        assert (await engine.wait("x")).status == "cancelled"


@in_loop
async def test_a_job_whose_caller_left_waits_for_a_retry_and_is_cancelled_without(engine_in: EngineFactory) -> None:
    request = small.request(Kind.SNAP, "x")

    async def give_up(engine: Engine) -> None:
        proving = asyncio.create_task(engine.prove(request))
        await until(lambda: engine.status().synthesis.active)
        proving.cancel()
        await asyncio.gather(proving, return_exceptions=True)

    async with engine_in({"slow": 0.3}, jobs={"orphan_grace": "1h"}) as engine:
        await give_up(engine)
        await give_up(engine)  # a retry attaches, and leaves too
        assert [job.state for job in engine.status().pipelines] == ["running"]
        outcome = await engine.prove(request)
        assert (outcome.status, outcome.job_id) == ("completed", "x")
    async with engine_in({"slow": 0.3}, jobs={"orphan_grace": "1s"}) as engine:
        request = small.request(Kind.SNAP, "y")
        await give_up(engine)
        outcome = await engine.wait("y")
        assert outcome.status == "cancelled"
        assert outcome.error == "its caller went away, and nobody asked for it again in 1 s"
        assert len(engine.status().pipelines) == 1


@in_loop
async def test_a_refused_job_does_not_orphan_the_next_of_its_id(engine_in: EngineFactory) -> None:
    async with engine_in({"slow": 0.2}, jobs={"orphan_grace": "1s"}) as engine:
        proving = asyncio.create_task(engine.prove(small.request(Kind.SNAP, "x", check_seconds=3600)))
        await until(lambda: engine._pipeline.request_checks.at_work)
        proving.cancel()
        await asyncio.gather(proving, return_exceptions=True)
        (checking,) = [worker.pid for worker in engine.status().synthesis.workers if worker.worker_id == "check-0"]
        os.kill(checking or 0, signal.SIGKILL)
        await until(lambda: not engine.status().pipelines)
        outcome = await engine.prove(small.request(Kind.SNAP, "x"))  # takes longer than a second
        assert (outcome.status, outcome.job_id) == ("completed", "x"), outcome.error


@in_loop
async def test_a_submitted_job_has_no_caller_to_lose(engine_in: EngineFactory) -> None:
    async with engine_in(jobs={"orphan_grace": "0s"}) as engine:
        request = small.request(Kind.POREP, "x")
        proving = asyncio.create_task(engine.prove(request))
        await engine.submit(request)
        proving.cancel()
        assert (await engine.wait("x")).status == "completed"


@in_loop
async def test_a_submitted_job_has_no_caller_to_lose_after_a_restart(engine_in: EngineFactory) -> None:
    request = small.request(Kind.POREP, "x")
    async with engine_in({"slow": 0.3}) as engine:
        proving = asyncio.create_task(engine.prove(request))
        await until(lambda: engine.status().synthesis.active)
        assert (await engine.submit(request)).attached
    await asyncio.gather(proving, return_exceptions=True)
    async with engine_in(jobs={"orphan_grace": "0s"}) as engine:
        assert (await engine.wait("x")).status == "completed"


@in_loop
async def test_a_job_can_be_cancelled_while_its_segment_is_made(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    make = pipeline_module.touched_segment

    def make_late(*arguments: Any) -> int:
        go_on.wait()
        return make(*arguments)

    monkeypatch.setattr(pipeline_module, "touched_segment", make_late)
    async with engine_in() as engine:
        await engine.submit(small.request(Kind.WINNING, "x"))
        await until(lambda: engine.status().synthesis.active)
        with capture_logs() as logs:
            assert await engine.cancel("x")
            go_on.set()
            await until(lambda: engine.status().threads.used == 0)
        assert [line["event"] for line in logs] == ["job ended"]
        assert (await engine.prove(small.request(Kind.WINNING, "y"))).status == "completed"


@in_loop
async def test_wait_gives_up_after_its_timeout(engine_in: EngineFactory) -> None:
    async with engine_in({"slow": 0.2}) as engine:
        await engine.submit(small.request(Kind.WINNING, "x"))
        outcome = await engine.wait("x", timeout=0.01)
        assert (outcome.status, outcome.proof) == ("timeout", b"")
        assert (await engine.wait("x")).status == "completed"


@in_loop
async def test_results_are_kept_for_a_time_and_up_to_a_number(engine_in: EngineFactory) -> None:
    async with engine_in(jobs={"max_results": 2}) as engine:
        for name in "abc":
            await engine.prove(small.request(Kind.WINNING, name))
        await until(lambda: not _known(engine, "a"))
        assert _known(engine, "b")
        assert _known(engine, "c")
    async with engine_in(jobs={"result_ttl": "0s"}) as engine:
        await until(lambda: not _known(engine, "c"))


@pytest.mark.parametrize("stage", ["check", "start"])
@in_loop
async def test_a_job_that_is_still_worked_on_is_not_forgotten(
    engine_in: EngineFactory, folder: Path, stage: str
) -> None:
    """Another of its id would get what comes late of it."""
    sections = {"gpus": {"gpu_threads": 1}, "synthesis": {"threads": 2}, "pipeline": {"synthesis_concurrency": 2}}
    async with engine_in(jobs={"result_ttl": "0s"}, **sections) as engine:
        request = small.request(Kind.WINNING, "x", faults={f"{stage} 0": "hang"})
        submitting = asyncio.create_task(engine.submit(request))
        if stage == "check":
            await until(lambda: engine._pipeline.request_checks.at_work)
        else:
            await until(lambda: "proving" in {worker.state for worker in engine.status().gpu_workers})
        assert await engine.cancel("x")
        await engine.prove(small.request(Kind.WINNING, "y"))
        await until(lambda: not _known(engine, "y"))
        assert _known(engine, "x")
        request = small.request(Kind.WINNING, "x", start=8)
        receipt = await engine.submit(request)
        assert receipt.job_id == "x~2"
        outcome = await engine.wait(receipt)
        assert small.check_proof(folder, request, outcome.proof)
    await asyncio.gather(submitting, return_exceptions=True)


@in_loop
async def test_a_receipt_of_a_job_that_is_forgotten_is_of_none(engine_in: EngineFactory) -> None:
    async with engine_in(jobs={"result_ttl": "0s"}) as engine:
        receipt = await engine.submit(small.request(Kind.WINNING, "x"))
        await engine.wait(receipt)
        await until(lambda: not _known(engine, "x"))
        with pytest.raises(UnknownJobError, match="job not found: x"):
            await engine.wait(receipt)


def _known(engine: Engine, job_id: str) -> bool:
    try:
        engine.story(job_id)
    except UnknownJobError:
        return False
    return True


@in_loop
async def test_preload_and_evict(engine_in: EngineFactory, folder: Path) -> None:
    async with engine_in({"bad": ["snap-small"]}) as engine:
        first = await engine.preload("porep-small")
        assert not first.already_loaded
        assert (await engine.preload("porep-small")).already_loaded
        (srs,) = engine.status().allocations.srs
        assert (srs.tier, srs.bytes) == ("hot", (folder / "porep-small.params").stat().st_size)
        used = engine.status().memory.used_bytes
        evicted = await engine.evict("porep-small")
        assert (evicted.was_loaded, evicted.freed_bytes) == (True, used)
        assert used > srs.bytes
        assert engine.status().memory.used_bytes == 0
        assert not (await engine.evict("porep-small")).was_loaded
        with pytest.raises(InputError, match=r"snap-small: snap-small\.params: expected another digest"):
            await engine.preload("snap-small")
        with pytest.raises(InputError, match=r"circuit_id: expected one of porep-small, .*; got 'porep-3g'"):
            await engine.preload("porep-3g")


@in_loop
async def test_parameters_are_gone_before_they_are_loaded_again(engine_in: EngineFactory) -> None:
    async with engine_in({"slow_unload": 0.5}) as engine:
        await engine.preload("porep-small")
        await engine.evict("porep-small")
        await engine.preload("porep-small")
        await asyncio.sleep(0.5)
        assert (await engine.prove(small.request(Kind.POREP, "x"))).status == "completed"
        assert engine.status().counters.partition_retries == 0


@in_loop
async def test_a_parameter_file_is_checked_once_for_each_identity(engine_in: EngineFactory, folder: Path) -> None:
    for _ in range(2):
        async with engine_in() as engine:
            await asyncio.gather(engine.preload("porep-small"), engine.preload("porep-small"))
            await engine.evict("porep-small")
            await engine.preload("porep-small")
    assert (folder / "file-checks").read_text() == "porep-small\n"
    target = (folder / "porep-small.params").resolve()
    content = target.read_bytes()
    (folder / "porep-small.params").unlink()
    (folder / "porep-small.params").write_bytes(content)
    async with engine_in() as engine:
        await engine.preload("porep-small")
    assert (folder / "file-checks").read_text() == "porep-small\n" * 2


@in_loop
async def test_bad_parameters_fail_only_the_jobs_that_need_them(engine_in: EngineFactory) -> None:
    async with engine_in({"bad": ["snap-small"]}) as engine:
        bad, good = await asyncio.gather(
            engine.prove(small.request(Kind.SNAP, "bad")), engine.prove(small.request(Kind.POREP, "good"))
        )
        assert (bad.status, good.status) == ("failed", "completed")
        assert bad.error == "parameters of snap-small: snap-small.params: expected another digest"


@in_loop
async def test_what_can_never_fit_is_refused_with_the_numbers(engine_in: EngineFactory) -> None:
    async with engine_in({"needs": 3 * small.MIB}, memory={"total_budget": "5MiB"}) as engine:
        with pytest.raises(
            NeverFitsError, match=r"a partition of porep-small takes 7\.\d MiB, the memory budget is 5\.0 M"
        ):
            await engine.submit(small.request(Kind.POREP, "x"))
        with pytest.raises(QueueFullError, match=r"there is no room for 6\.0 MiB of payload"), engine.payload(6 << 20):
            pass


@in_loop
async def test_a_drained_engine_ends_what_it_has_and_accepts_nothing(engine_in: EngineFactory) -> None:
    async with engine_in({"slow": 0.05}) as engine:
        assert engine.ready() is None or "no device is ready" in (engine.ready() or "")
        await engine.submit(small.request(Kind.POREP, "x"))
        draining = asyncio.create_task(engine.drain(timeout=30))
        await asyncio.sleep(0)
        with pytest.raises(DrainingError, match="accepts nothing more"):
            await engine.submit(small.request(Kind.POREP, "y"))
        assert engine.ready() == "the engine finishes what it has and accepts nothing more"
        assert not await engine.drain(timeout=0.01)
        assert await draining
        assert (await engine.wait("x")).status == "completed"


GPUS = {"devices": ["gpu:0", "gpu:1", "gpu:3"]}


@in_loop
async def test_the_gpus_that_are_named_prove(engine_in: EngineFactory) -> None:
    async with engine_in(GPUS, gpus={"devices": [3, 0], "gpu_workers_per_device": 1}) as engine:
        assert (await engine.prove(small.request(Kind.POREP, "x"))).status == "completed"
        assert [(device.id, device.ordinal) for device in engine.status().devices] == [("gpu:3", 3), ("gpu:0", 0)]
        assert [worker.gpu_ordinal for worker in engine.status().gpu_workers] == [3, 0]


@in_loop
async def test_a_gpu_that_is_not_there_is_refused(folder: Path) -> None:
    engine = Engine(make_config(folder, gpus={"devices": [0, 7]}), registry=small.source(folder, **GPUS))
    with pytest.raises(InputError, match=r"gpus\.devices: expected ordinals of GPUs that are here \(0, 1, 3\), got 7"):
        await engine.start()


@in_loop
async def test_without_gpus_the_cpu_proves_whatever_is_named(engine_in: EngineFactory) -> None:
    with capture_logs() as logs:
        async with engine_in(gpus={"devices": [0, 1]}) as engine:
            assert [device.id for device in engine.status().devices] == ["cpu"]
    assert "gpus.devices = [0, 1] has no effect: this engine knows no GPU here, the CPU proves" in str(logs)


GPU = Gpu(0, "NVIDIA RTX 4090", 24 << 30, 20 << 30, None, 0.5, {"temperature_c": "Not Supported"})


@pytest.mark.parametrize(
    ("found", "reason"), [([GPU], None), ([], "no NVIDIA driver: Driver Not Loaded")], ids=["a GPU", "none"]
)
@in_loop
async def test_status_shows_the_gpus_that_the_driver_knows_or_why_it_knows_none(
    engine_in: EngineFactory, monkeypatch: pytest.MonkeyPatch, found: list[Gpu], reason: str | None
) -> None:
    monkeypatch.setattr(engine_module, "gpus", lambda: (found, reason))
    async with engine_in() as engine:
        await until(lambda: json.loads(engine.status_json())["gpus"]["unknown"] == reason)
        shown = json.loads(engine.status_json())["gpus"]["found"]
        assert [entry["name"] for entry in shown] == [gpu.name for gpu in found]
        assert all(entry["unknown"] == {"temperature_c": "Not Supported"} for entry in shown)


@pytest.mark.parametrize("stage", ["check", "synthesis", "start"])
@in_loop
async def test_what_workers_log_is_in_the_engines_log(engine_in: EngineFactory, stage: str) -> None:
    async with engine_in() as engine:
        with capture_logs() as logs:
            await engine.prove(small.request(Kind.WINNING, faults={f"{stage} 0": "warn"}))
        (entry,) = [entry for entry in logs if entry.get("source") == "library"]
        assert (entry["event"], entry["log_level"]) == (f"{stage} of partition 0 is odd", "warning")
        assert entry["worker"]
