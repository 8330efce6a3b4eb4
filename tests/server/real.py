"""What end-to-end tests need: development parameters of the small WindowPoSt, a daemon over them, raw gRPC calls."""

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import grpc
import httpx

from cuzk.cli.daemon_process import DaemonProcess
from cuzk.devices.cpu import available_threads
from cuzk.filecoin.parameters.folder import CACHE_VARIABLE, development_folder
from cuzk.filecoin.registry import decode, entry
from cuzk.filecoin.request import Request
from cuzk.groth16.proof import Proof, split_proofs
from cuzk.groth16.setup import setup
from cuzk.groth16.verifier import verify
from cuzk.groth16.verifying_key import VerifyingKey
from cuzk.proto import proving_pb2 as pb


@contextmanager
def development_parameters(cache: Path, circuits: Iterable[str] = ("wpost-2k",)) -> Iterator[None]:
    """Make the circuits' parameters in a cache folder of their own, which is the cache while the block runs."""
    with patch.dict(os.environ, {CACHE_VARIABLE: str(cache)}):
        for circuit in map(entry, circuits):
            path = development_folder().path / f"{circuit.parameter_stem}.params"
            setup(circuit.circuit(), path, sector_size=circuit.shape.size, threads=available_threads())
        yield


def proof_is_valid(request: Request, proof: bytes) -> bool:
    """Verify a job's proof with public inputs that are computed here."""
    job = decode(request)
    key = VerifyingKey.open(development_folder().file(f"{entry(job.circuit_id).parameter_stem}.vk"))
    proofs = split_proofs(proof)
    assert len(proofs) == job.partitions
    return all(verify(key, job.public_inputs(i), Proof.parse(data)) for i, data in enumerate(proofs))


class Caller:
    """Calls a daemon with bytes, as a client in any language does."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon = daemon
        self.channel = grpc.insecure_channel(daemon.grpc)

    def call(self, name: str, message: bytes, timeout: float = 100) -> bytes:
        answer: bytes = self.channel.unary_unary(f"/cuzk.v1.ProvingEngine/{name}")(message, timeout=timeout)
        return answer

    def prove(self, message: pb.SubmitProofRequest, timeout: float = 100) -> pb.AwaitProofResponse:
        return pb.ProveResponse.FromString(
            self.call("Prove", pb.ProveRequest(submit=message).SerializeToString(), timeout)
        ).result

    def submit(self, message: pb.SubmitProofRequest) -> str:
        return pb.SubmitProofResponse.FromString(self.call("SubmitProof", message.SerializeToString())).job_id

    def wait(self, job_id: str, timeout_ms: int = 0) -> pb.AwaitProofResponse:
        message = pb.AwaitProofRequest(job_id=job_id, timeout_ms=timeout_ms)
        return pb.AwaitProofResponse.FromString(self.call("AwaitProof", message.SerializeToString()))

    def cancel(self, job_id: str) -> bool:
        message = pb.CancelProofRequest(job_id=job_id)
        return pb.CancelProofResponse.FromString(self.call("CancelProof", message.SerializeToString())).was_running

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = httpx.get(f"{self.daemon.panel}status", timeout=60).json()
        return status


@contextmanager
def device_stopped(caller: Caller) -> Iterator[None]:
    """Have a daemon's device process stand still during the block, so that no job ends by itself."""
    while (pid := caller.status()["devices"][0]["pid"]) is None:
        time.sleep(0.01)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[Caller]:
    """Run a daemon over a data folder while the block runs."""
    folder.mkdir(exist_ok=True)
    with DaemonProcess(folder, *arguments) as daemon:
        caller = Caller(daemon)
        yield caller
        caller.channel.close()
