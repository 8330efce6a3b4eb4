"""The eight calls, over a real channel."""

import asyncio
import time

import grpc
import pytest

from cuzk.engine.errors import (
    CheckFailedError,
    DrainingError,
    NeverFitsError,
    QueueFullError,
    StorageError,
    UnknownJobError,
)
from cuzk.errors import InputError
from cuzk.proto import proving_pb2 as pb
from tests.server.conftest import Running


def winning(request_id: str = "a job [1 2]", **fields: object) -> pb.SubmitProofRequest:
    return pb.SubmitProofRequest(request_id=request_id, proof_kind=pb.WINNING_POST, vanilla_proofs=[b"v"], **fields)


async def refused(call: object) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call  # type: ignore[misc]
    return caught.value


def test_submit_then_await(serve) -> None:
    async def story(running: Running) -> None:
        reply = await running.stub.SubmitProof(winning(miner_id=7, randomness=b"r" * 32))
        assert (reply.job_id, reply.queue_position, reply.assigned_gpu) == ("a job [1 2]", 0, "")
        request = running.engine.requests["a job [1 2]"]
        assert (request.kind.display, request.miner_id, request.randomness) == ("winning-post", 7, b"r" * 32)
        assert request.vanilla_proofs == (b"v",)
        running.engine.finish("a job [1 2]")
        result = await running.stub.AwaitProof(pb.AwaitProofRequest(job_id="a job [1 2]"))
        assert result.status == pb.AwaitProofResponse.COMPLETED
        assert result.proof == b"\x01" * 192
        timings = (
            result.queue_wait_ms,
            result.srs_load_ms,
            result.synthesis_ms,
            result.gpu_compute_ms,
            result.total_ms,
        )
        assert timings == (1, 2, 3, 4, 10)

    serve(story)


def test_prove_returns_failures_as_replies(serve) -> None:
    async def story(running: Running) -> None:
        call = running.stub.Prove(pb.ProveRequest(submit=winning()), timeout=1000)
        while not running.engine.jobs:
            await asyncio.sleep(0.01)
        assert running.engine.attended["a job [1 2]"] == 1
        assert running.engine.deadlines["a job [1 2]"] == pytest.approx(time.time() + 1000, abs=200)
        running.engine.finish("a job [1 2]", "failed", error="partition 0: no luck")
        result = (await call).result
        assert (result.status, result.error_message) == (pb.AwaitProofResponse.FAILED, "partition 0: no luck")
        assert running.engine.attended["a job [1 2]"] == 0

    serve(story)


def test_a_caller_that_leaves_is_released_and_its_job_goes_on(serve) -> None:
    async def story(running: Running) -> None:
        call = running.stub.Prove(pb.ProveRequest(submit=winning()))
        while not running.engine.attended["a job [1 2]"]:
            await asyncio.sleep(0.01)
        call.cancel()
        while running.engine.attended["a job [1 2]"]:
            await asyncio.sleep(0.01)
        assert not running.engine.jobs["a job [1 2]"].done()

    serve(story)


def test_await_gives_timeout(serve) -> None:
    async def story(running: Running) -> None:
        await running.stub.SubmitProof(winning())
        result = await running.stub.AwaitProof(pb.AwaitProofRequest(job_id="a job [1 2]", timeout_ms=20))
        assert result.status == pb.AwaitProofResponse.TIMEOUT
        assert result.proof == b""

    serve(story)


def test_cancel(serve) -> None:
    async def story(running: Running) -> None:
        await running.stub.SubmitProof(winning())
        assert (await running.stub.CancelProof(pb.CancelProofRequest(job_id="a job [1 2]"))).was_running
        assert not (await running.stub.CancelProof(pb.CancelProofRequest(job_id="a job [1 2]"))).was_running
        result = await running.stub.AwaitProof(pb.AwaitProofRequest(job_id="a job [1 2]"))
        assert result.status == pb.AwaitProofResponse.CANCELLED
        error = await refused(running.stub.CancelProof(pb.CancelProofRequest(job_id="other")))
        assert error.code() is grpc.StatusCode.NOT_FOUND

    serve(story)


def test_preload_and_evict(serve) -> None:
    async def story(running: Running) -> None:
        loaded = await running.stub.PreloadSRS(pb.PreloadSrsRequest(circuit_id="winning-2k"))
        assert (loaded.already_loaded, loaded.load_time_ms) == (False, 42)
        error = await refused(running.stub.PreloadSRS(pb.PreloadSrsRequest(circuit_id="porep-1k")))
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        evicted = await running.stub.EvictSRS(pb.EvictSrsRequest(circuit_id="winning-2k"))
        assert (evicted.was_loaded, evicted.freed_bytes) == (True, 123)

    serve(story)


def test_status_lists_every_kind_and_each_device_once(serve) -> None:
    async def story(running: Running) -> None:
        reply = await running.stub.GetStatus(pb.GetStatusRequest())
        assert [(q.proof_kind, q.pending, q.in_progress) for q in reply.queues] == [
            ("winning-post", 0, 1),
            ("window-post", 1, 0),
            ("porep-c2", 0, 1),
            ("snap-update", 1, 1),
        ]
        (gpu,) = reply.gpus
        assert (gpu.name, gpu.current_job_id, gpu.current_proof_kind) == (
            "NVIDIA RTX 4090",
            "porep-1000-42",
            "porep-c2",
        )
        assert [(srs.circuit_id, srs.ref_count) for srs in reply.loaded_srs] == [
            ("porep-32g", 4),
            ("snap-32g", 5),
            ("winning-32g", 1),
        ]
        memory = running.engine.snapshot["memory"]
        assert reply.pinned_memory_bytes == memory["used_bytes"]
        assert reply.pinned_memory_limit_bytes == memory["total_bytes"]
        assert (reply.total_proofs_completed, reply.total_proofs_failed) == (412, 1)

    serve(story)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("randomness: expected 32 bytes, got 31"), grpc.StatusCode.INVALID_ARGUMENT),
        (QueueFullError("full"), grpc.StatusCode.RESOURCE_EXHAUSTED),
        (NeverFitsError("never"), grpc.StatusCode.FAILED_PRECONDITION),
        (DrainingError("draining"), grpc.StatusCode.UNAVAILABLE),
        (StorageError("disk full"), grpc.StatusCode.UNAVAILABLE),
        (UnknownJobError("none"), grpc.StatusCode.NOT_FOUND),
        (CheckFailedError("died"), grpc.StatusCode.INTERNAL),
    ],
)
def test_engine_errors_become_statuses(serve, error: Exception, code: grpc.StatusCode) -> None:
    async def story(running: Running) -> None:
        running.engine.error = error
        for call in (running.stub.SubmitProof(winning()), running.stub.Prove(pb.ProveRequest(submit=winning()))):
            answer = await refused(call)
            assert (answer.code(), answer.details()) == (code, str(error))

    serve(story)


def test_a_fault_of_ours_is_internal_and_says_nothing_else(serve) -> None:
    async def story(running: Running) -> None:
        running.engine.error = KeyError("a secret")
        answer = await refused(running.stub.SubmitProof(winning()))
        assert (answer.code(), answer.details()) == (grpc.StatusCode.INTERNAL, "internal error: KeyError")

    serve(story)


def test_bad_messages_are_invalid_arguments(serve) -> None:
    async def story(running: Running) -> None:
        def raw(name: str):
            return running.channel.unary_unary(f"/cuzk.v1.ProvingEngine/{name}")

        for name in ("SubmitProof", "Prove", "AwaitProof", "CancelProof"):
            answer = await refused(raw(name)(b"\xff\xff\xff"))
            assert answer.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert "the message is not a" in (answer.details() or "")
        answer = await refused(running.stub.Prove(pb.ProveRequest()))
        assert "submit" in (answer.details() or "")
        answer = await refused(running.stub.SubmitProof(pb.SubmitProofRequest(proof_kind=9)))
        assert (answer.details() or "").startswith("proof_kind: expected")
        answer = await refused(running.stub.AwaitProof(pb.AwaitProofRequest()))
        assert (answer.details() or "").startswith("job_id:")
        assert not running.engine.jobs

    serve(story)


def test_messages_beyond_the_limit_are_refused_and_the_daemon_lives(serve) -> None:
    async def story(running: Running) -> None:
        big = winning()
        big.vanilla_proofs.append(bytes(2 << 20))
        for call in (running.stub.SubmitProof(big), running.stub.Prove(pb.ProveRequest(submit=big))):
            assert (await refused(call)).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await running.stub.SubmitProof(winning())
        assert list(running.engine.jobs) == ["a job [1 2]"]

    serve(story, max_message_bytes=1 << 20)


def test_bytes_in_flight_are_counted_until_the_job_is_accepted(serve) -> None:
    async def story(running: Running) -> None:
        big = winning()
        big.vanilla_proofs.append(bytes(1 << 20))
        await running.stub.SubmitProof(big)
        assert running.engine.peak_in_flight == big.ByteSize()
        assert running.engine.in_flight == 0

    serve(story)


def test_overload_accepts_exactly_max_pending(serve) -> None:
    async def story(running: Running) -> None:
        calls = [running.stub.SubmitProof(winning(f"job-{n}")) for n in range(44)]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        accepted = [answer for answer in answers if isinstance(answer, pb.SubmitProofResponse)]
        codes = {answer.code() for answer in answers if isinstance(answer, grpc.aio.AioRpcError)}
        assert (len(accepted), codes) == (15, {grpc.StatusCode.RESOURCE_EXHAUSTED})

    serve(story)
