"""The wire contract: the generated code is that of the committed .proto, and the numbers are those clients rely on."""

import subprocess
import sys
from pathlib import Path

from cuzk.proto import proving_pb2 as pb
from tests.conftest import REPOSITORY


def test_generated_code_is_up_to_date(tmp_path: Path) -> None:
    arguments = [
        "-Icuzk/proto=proto/cuzk/v1",
        *(f"--{kind}_out={tmp_path}" for kind in ("python", "pyi", "grpc_python")),
    ]
    command = [sys.executable, "-m", "grpc_tools.protoc", *arguments, "cuzk/proto/proving.proto"]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    generated = sorted((tmp_path / "cuzk" / "proto").iterdir())
    assert len(generated) == 3
    for path in generated:
        assert path.read_bytes() == (REPOSITORY / "src" / "cuzk" / "proto" / path.name).read_bytes(), "run `make proto`"


def test_a_request_of_an_existing_client_is_read() -> None:
    # Encoded by hand from the field numbers: 1, 2, 3, 4, 5 and 11, 21, 22, 23.
    message = bytes.fromhex("0a01611003188010200a28035a020102a801e807b2010109b80105")
    request = pb.SubmitProofRequest.FromString(message)
    assert request.request_id == "a"
    assert request.proof_kind == pb.WINDOW_POST_PARTITION
    assert request.sector_size == 2048
    assert request.registered_proof == 10
    assert request.priority == pb.HIGH
    assert list(request.vanilla_proofs) == [b"\x01\x02"]
    assert request.miner_id == 1000
    assert request.randomness == b"\x09"
    assert request.partition_index == 5


def test_service_paths() -> None:
    service = pb.DESCRIPTOR.services_by_name["ProvingEngine"]
    assert service.full_name == "cuzk.v1.ProvingEngine"
    assert [method.name for method in service.methods] == [
        "SubmitProof",
        "AwaitProof",
        "Prove",
        "CancelProof",
        "GetStatus",
        "GetMetrics",
        "PreloadSRS",
        "EvictSRS",
    ]
