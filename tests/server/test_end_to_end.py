"""A daemon in its own process, real circuits, raw messages."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from cuzk.proto import proving_pb2 as pb
from tests.cli.runner import cuzk
from tests.filecoin.post.fixtures import WINDOW_2K, WINDOW_2K_PADDED, request
from tests.server.real import Caller, development_parameters, device_stopped, proof_is_valid, serving


@pytest.fixture(scope="module", autouse=True)
def parameters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with development_parameters(tmp_path_factory.mktemp("cache")):
        yield


@pytest.fixture(scope="module")
def daemon(parameters: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with serving(tmp_path_factory.mktemp("daemon"), "--set", "daemon.max_message_size=1MiB") as caller:
        yield caller


def window(request_id: str = "window", **changes: object) -> pb.SubmitProofRequest:
    message = request(WINDOW_2K).to_message()
    message.request_id = request_id
    for name, value in changes.items():
        setattr(message, name, value)
    return message


@pytest.mark.parametrize("case", [WINDOW_2K, WINDOW_2K_PADDED], ids=str)
def test_filecoins_requests_give_proofs_that_verify(daemon: Caller, case) -> None:
    asked = request(case)
    result = daemon.prove(asked.to_message())
    assert result.status == pb.AwaitProofResponse.COMPLETED, result.error_message
    assert proof_is_valid(asked, result.proof)
    assert result.total_ms >= result.gpu_compute_ms > 0
    again = daemon.prove(asked.to_message())
    assert again.proof == result.proof, "the same request again gives the stored proof"


def test_sector_size_zero_is_accepted(daemon: Caller) -> None:
    assert daemon.prove(window("size zero", sector_size=0)).status == pb.AwaitProofResponse.COMPLETED


def test_status_answers_while_garbage_comes_in(daemon: Caller) -> None:
    garbage = [os.urandom(1000) for _ in range(50)] + [bytes(2 << 20)]
    codes = set()

    def throw() -> None:
        for data in garbage:
            for name in ("SubmitProof", "Prove"):
                try:
                    daemon.call(name, data)
                except grpc.RpcError as error:
                    codes.add(error.code())

    thread = threading.Thread(target=throw)
    thread.start()
    while thread.is_alive():
        assert daemon.status()["state"] == "serving"
    thread.join()
    assert codes == {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED}


def test_a_retry_attaches_to_the_job_that_its_caller_left(daemon: Caller) -> None:
    message = window("left and asked again")

    def jobs() -> list[dict[str, object]]:
        return [job for job in daemon.status()["pipelines"] if job["request_id"] == message.request_id]

    prove = daemon.channel.unary_unary("/cuzk.v1.ProvingEngine/Prove")
    call = prove.future(pb.ProveRequest(submit=message).SerializeToString(), timeout=60)
    while not jobs():  # the caller leaves as soon as there is a job: before its end or, on a fast machine, after
        assert not call.done()
        time.sleep(0.005)
    call.cancel()
    result = daemon.prove(message)
    assert (result.job_id, result.status) == ("left and asked again", pb.AwaitProofResponse.COMPLETED)
    assert [job["attempt"] for job in jobs()] == [1]


def test_two_proves_of_one_id_get_each_its_own_proof(daemon: Caller) -> None:
    other = request(WINDOW_2K_PADDED)
    messages = [window("one id"), other.to_message()]
    messages[1].request_id = "one id"
    results: dict[int, pb.AwaitProofResponse] = {}
    threads = [threading.Thread(target=lambda n=n: results.update({n: daemon.prove(messages[n])})) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(result.job_id for result in results.values()) == ["one id", "one id~2"]
    assert proof_is_valid(request(WINDOW_2K), results[0].proof)
    assert proof_is_valid(other, results[1].proof)


def test_forty_four_submits_at_max_pending_fifteen(tmp_path: Path) -> None:
    with serving(tmp_path, "--set", "jobs.max_pending=15") as daemon, device_stopped(daemon):
        submit = daemon.channel.unary_unary("/cuzk.v1.ProvingEngine/SubmitProof")
        messages = [window(f"job {n}").SerializeToString() for n in range(44)]
        calls = [submit.future(message, timeout=60) for message in messages]
        errors = [call.exception() for call in calls]
        codes = [error.code() for error in errors if error is not None]
        assert codes == [grpc.StatusCode.RESOURCE_EXHAUSTED] * 29
        accepted = [f"job {n}" for n, error in enumerate(errors) if error is None]
        assert len(accepted) == 15
        assert all(daemon.cancel(job_id) for job_id in accepted)
        assert {daemon.wait(job_id).status for job_id in accepted} == {pb.AwaitProofResponse.CANCELLED}


@pytest.mark.full
def test_a_signal_drains_a_second_stops_and_the_next_start_goes_on(tmp_path: Path) -> None:
    with serving(tmp_path) as daemon:
        daemon.submit(window("kept"))
        daemon.submit(window("kept too", priority=pb.LOW))
        with device_stopped(daemon):
            os.kill(daemon.daemon.pid, signal.SIGTERM)
            while daemon.status()["state"] != "draining":
                time.sleep(0.01)
            with pytest.raises(grpc.RpcError) as caught:
                daemon.submit(window("late"))
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
            os.kill(daemon.daemon.pid, signal.SIGTERM)
            assert daemon.daemon.stop() == 0, "it does not wait for the jobs, which cannot end"
    with serving(tmp_path) as daemon:
        with device_stopped(daemon):
            message = pb.AwaitProofRequest(job_id="kept too").SerializeToString()
            waiting = daemon.channel.unary_unary("/cuzk.v1.ProvingEngine/AwaitProof").future(message)
            assert daemon.wait("kept", timeout_ms=1).status == pb.AwaitProofResponse.TIMEOUT
            os.kill(daemon.daemon.pid, signal.SIGTERM)
        outcome = pb.AwaitProofResponse.FromString(waiting.result())
        assert outcome.status == pb.AwaitProofResponse.COMPLETED, "answers are given while it drains"
        assert daemon.daemon.stop() == 0
    with serving(tmp_path) as daemon:
        assert proof_is_valid(request(WINDOW_2K), daemon.wait("kept").proof)


def test_a_terminal_that_is_closed_drains_the_daemon(tmp_path: Path) -> None:
    """All of its processes are told, and the workers have a job to finish."""
    with serving(tmp_path) as daemon:
        with device_stopped(daemon):
            daemon.submit(window("begun"))
            message = pb.AwaitProofRequest(job_id="begun").SerializeToString()
            waiting = daemon.channel.unary_unary("/cuzk.v1.ProvingEngine/AwaitProof").future(message)
            os.killpg(daemon.daemon.pid, signal.SIGHUP)
            while daemon.status()["state"] != "draining":
                time.sleep(0.01)
        assert pb.AwaitProofResponse.FromString(waiting.result()).status == pb.AwaitProofResponse.COMPLETED
        assert daemon.daemon.stop() == 0


def test_the_demo_ends_in_verified_proofs() -> None:
    run = cuzk("demo", "--kinds", "window", "--repeat", 2, "--json")
    assert run.code == 0
    assert [(job["kind"], job["status"], job["verified"], job["partitions"]) for job in run.json["jobs"]] == [
        ("window", "completed", True, 1)
    ] * 2
    assert run.json["panel"].startswith("http://127.0.0.1:")
    run = cuzk("demo", "--kinds", "window,other")
    assert (run.code, "--kinds: expected some of winning,window" in run.err) == (2, True)
