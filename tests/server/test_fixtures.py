"""The fixtures' requests, made by Filecoin's own software, as raw gRPC messages: their proofs verify.

WindowPoSt's are in `test_end_to_end`, where its parameters are made anyway.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Request
from cuzk.proto import proving_pb2 as pb
from tests.conftest import data_path
from tests.filecoin.post.fixtures import WINNING_2K, request
from tests.filecoin.update import fixtures as update
from tests.server.real import development_parameters, proof_is_valid, serving


def seal() -> Request:
    payload = data_path("porep/s1/c1-wrapper.json").read_bytes()
    return Request(
        Kind.POREP, registered_proof=5, sector_size=2048, sector_number=1, miner_id=1000, vanilla_proof=payload
    )


CASES: dict[str, Callable[[], Request]] = {
    "winning-2k": lambda: request(WINNING_2K),
    "snap-2k": update.S1.request,
    "porep-2k": seal,
}


@pytest.mark.full
@pytest.mark.timeout(0)  # parameters of a PoRep are a GB
@pytest.mark.parametrize("circuit_id", CASES)
def test_filecoins_requests_give_proofs_that_verify(circuit_id: str, tmp_path: Path) -> None:
    asked = CASES[circuit_id]()
    message = asked.to_message()
    with development_parameters(tmp_path / "cache", [circuit_id]), serving(tmp_path / "daemon") as daemon:
        result = daemon.prove(message, timeout=1000)
        assert result.status == pb.AwaitProofResponse.COMPLETED, result.error_message
        assert proof_is_valid(asked, result.proof)
        message.request_id = "by submit and await"
        job_id = daemon.submit(message)
        assert job_id == message.request_id
        awaited = daemon.wait(job_id)
        assert awaited.status == pb.AwaitProofResponse.COMPLETED, awaited.error_message
        assert proof_is_valid(asked, awaited.proof)
        assert awaited.proof != result.proof, "each proof has randomness of its own"
