"""A long run behind real gRPC and HTTP: no poll of the status contradicts itself, or the one before."""

import json
import subprocess
import sys
import time
from pathlib import Path

import grpc
import httpx
import pytest

from cuzk.filecoin.kinds import Kind
from cuzk.proto import proving_pb2 as pb
from tests.conftest import REPOSITORY
from tests.engine import invariants, small


@pytest.mark.full
def test_no_poll_over_http_contradicts_itself(tmp_path: Path) -> None:
    """320 partitions on two lanes, with finalizers that take many times as long as the device work."""
    small.make_parameters(tmp_path)
    options = {"slow": 0.002, "slow_finish": 0.05}
    sections = {"gpus": {"gpu_workers_per_device": 2}, "synthesis": {"threads": 6}}
    command = [sys.executable, "-m", "tests.server.small_daemon", tmp_path, json.dumps(options), json.dumps(sections)]
    requests = [small.request(Kind.SNAP, f"soak {number}", start=number) for number in range(20)]
    with (
        subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as daemon,
        httpx.Client(timeout=60) as http,
    ):
        try:
            assert daemon.stdout is not None
            endpoints = json.loads(daemon.stdout.readline())
            with grpc.insecure_channel(endpoints["grpc"]) as channel:
                prove = channel.unary_unary("/cuzk.v1.ProvingEngine/Prove")
                calls = [
                    prove.future(pb.ProveRequest(submit=request.to_message()).SerializeToString())
                    for request in requests
                ]
                polls, overlaps, last = 0, 0, None
                while not all(call.done() for call in calls):
                    status = invariants.parse(http.get(f"{endpoints['panel']}status").content)
                    invariants.check_after(last, status)
                    last, polls = status, polls + 1
                    overlaps += any(w["state"] == "proving" and w["finalizing"] for w in status["gpu_workers"])
                    time.sleep(0.02)
                results = [pb.ProveResponse.FromString(call.result()).result for call in calls]
            for request, result in zip(requests, results, strict=True):
                assert result.status == pb.AwaitProofResponse.COMPLETED, result.error_message
                assert small.check_proof(tmp_path, request, result.proof)
            status = http.get(f"{endpoints['panel']}status").json()
            assert status["counters"]["partitions_proved"] == 320
            print(f"{polls} polls, {overlaps} of them with a lane that proves while it finishes another partition")
            assert overlaps > 20
        finally:
            daemon.terminate()
        assert daemon.wait() == 0
