"""Wrong requests of all four kinds, as raw messages: each is an INVALID_ARGUMENT that names the field, and no job."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import grpc
import pytest

from cuzk.algebra.fr import MODULUS
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Request
from cuzk.proto import proving_pb2 as pb
from tests.conftest import data_path
from tests.filecoin.porep import fixtures as porep
from tests.filecoin.post.fixtures import WINDOW_2K, WINNING_2K, request
from tests.filecoin.update import fixtures as update
from tests.server.real import Caller, development_parameters, serving

TOO_LARGE = MODULUS.to_bytes(32, "little")

Make = Callable[[], pb.SubmitProofRequest]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A daemon without parameter files: none of these requests gets so far."""
    with (
        development_parameters(tmp_path_factory.mktemp("cache"), ()),
        serving(tmp_path_factory.mktemp("daemon")) as caller,
    ):
        yield caller


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def changed(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new, 1)


def window(**changes: Any) -> pb.SubmitProofRequest:
    return _changed(request(WINDOW_2K), changes)


def winning(**changes: Any) -> pb.SubmitProofRequest:
    return _changed(request(WINNING_2K), changes)


def snap(**changes: Any) -> pb.SubmitProofRequest:
    return _changed(update.S1.request(), changes)


def seal(**changes: Any) -> pb.SubmitProofRequest:
    payload = data_path("porep/s1/c1-wrapper.json").read_bytes()
    good = Request(
        Kind.POREP, registered_proof=5, sector_size=2048, sector_number=1, miner_id=1000, vanilla_proof=payload
    )
    return _changed(good, changes)


def seal_changed(change: Callable[[dict[str, Any]], None], **wrapper: Any) -> pb.SubmitProofRequest:
    """Return a PoRep request whose phase 1 output was changed in place."""
    document = json.loads(porep.S1.phase1_out)
    change(document)
    return seal(vanilla_proof=wrapped(json.dumps(document).encode(), **wrapper))


def wrapped(phase1_out: bytes, **changes: Any) -> bytes:
    inner = base64.b64encode(phase1_out).decode()
    return json.dumps({"SectorNum": 1, "Phase1Out": inner, "SectorSize": 2048} | changes).encode()


def _changed(good: Request, changes: dict[str, Any]) -> pb.SubmitProofRequest:
    kind = changes.pop("proof_kind", None)
    if "vanilla_proofs" in changes:
        changes["vanilla_proofs"] = tuple(changes["vanilla_proofs"])
    message = replace(good, **changes).to_message()
    if kind is not None:
        message.proof_kind = kind
    return message


def _challenge(document: dict[str, Any]) -> dict[str, Any]:
    return document["vanilla_proofs"]["StackedDrg2KiBV1"][0][0]


def _set_sibling(document: dict[str, Any], node: list[int]) -> None:
    _challenge(document)["comm_r_last_proof"]["data"]["Single"]["path"]["path"][0]["hashes"][0] = node


FIRST, SECOND = WINDOW_2K.payloads
COMM_R = bytes.fromhex(WINDOW_2K.meta["comm_r"][0])

POST: dict[str, tuple[Make, str]] = {
    "unknown kind": (lambda: window(proof_kind=9), "proof_kind: expected"),
    "no kind": (lambda: window(proof_kind=0), "proof_kind: expected"),
    "no vanilla proofs": (lambda: window(vanilla_proofs=[]), "vanilla_proofs"),
    "an empty vanilla proof": (lambda: window(vanilla_proofs=[b""]), "vanilla_proofs[0]"),
    "too many sectors": (lambda: window(vanilla_proofs=[FIRST, SECOND, FIRST]), "vanilla_proofs"),
    "truncated": (lambda: window(vanilla_proofs=[FIRST, SECOND[:-1]]), "vanilla_proofs[1]"),
    "trailing bytes": (lambda: window(vanilla_proofs=[FIRST + b"\0", SECOND]), "vanilla_proofs[0]"),
    "randomness of 31 bytes": (lambda: window(randomness=bytes(31)), "randomness: expected 32 bytes, got 31"),
    "no randomness": (lambda: window(randomness=b""), "randomness: expected 32 bytes, got 0"),
    "partition out of range": (lambda: window(partition_index=3000), "partition_index: expected 0 to 2999, got 3000"),
    "partition far out of range": (lambda: window(partition_index=(1 << 32) - 1), "partition_index"),
    "field element above r": (
        lambda: window(vanilla_proofs=[changed(FIRST, COMM_R, TOO_LARGE), SECOND]),
        "sector 1: comm_r: expected a little-endian field element below r",
    ),
    "a path that leads elsewhere": (
        lambda: window(vanilla_proofs=[FIRST, flipped(SECOND, -200)]),
        "sector 2, challenge ",
    ),
    "another size": (lambda: window(sector_size=32 << 30), "sector_size: expected 2048 (or 0)"),
    "unknown registered proof": (lambda: window(registered_proof=77), "registered_proof"),
    "a winning number for window": (lambda: window(registered_proof=0), "registered_proof"),
    "a window number for winning": (lambda: winning(registered_proof=5), "registered_proof"),
    "winning without a proof": (lambda: winning(vanilla_proofs=[]), "vanilla_proofs"),
    "winning with two sectors": (lambda: winning(vanilla_proofs=WINNING_2K.payloads * 2), "vanilla_proofs"),
    "winning truncated": (lambda: winning(vanilla_proofs=[WINNING_2K.payloads[0][:-1]]), "vanilla_proofs[0]"),
    "winning with a long randomness": (lambda: winning(randomness=bytes(33)), "randomness: expected 32 bytes, got 33"),
    "winning's path leads elsewhere": (
        lambda: winning(vanilla_proofs=[flipped(WINNING_2K.payloads[0], -200)]),
        "sector 1, challenge ",
    ),
}


def update_proof() -> bytes:
    return update.S1.payloads[0]


SNAP: dict[str, tuple[Make, str]] = (
    {
        f"{name} of {len(value)} bytes": (
            lambda name=name, value=value: snap(**{name: value}),  # type: ignore[misc]
            f"{name}: expected 32 bytes, got {len(value)}",
        )
        for name in ("comm_r_old", "comm_r_new", "comm_d_new")
        for value in (b"", bytes(31))
    }
    | {
        "a commitment above r": (
            lambda: snap(comm_r_old=TOO_LARGE),
            "comm_r_old: expected a little-endian field element below r",
        ),
        "another commitment": (
            lambda: snap(comm_r_new=flipped(update.S1.statement.comm_r_new, 0)),
            "comm_r_new",
        ),
        "no vanilla proofs": (lambda: snap(vanilla_proofs=[]), "vanilla_proofs: expected 1, one for each partition"),
        "too many vanilla proofs": (lambda: snap(vanilla_proofs=[update_proof()] * 2), "vanilla_proofs: expected 1"),
        "the proof in the other field": (
            lambda: snap(vanilla_proof=update_proof(), vanilla_proofs=[]),
            "vanilla_proofs: expected 1",
        ),
        "an empty vanilla proof": (lambda: snap(vanilla_proofs=[b""]), "vanilla_proofs[0]"),
        "truncated": (lambda: snap(vanilla_proofs=[update_proof()[:-1]]), "vanilla_proofs[0]"),
        "trailing bytes": (
            lambda: snap(vanilla_proofs=[update_proof() + b"\0"]),
            "vanilla_proofs[0]: expected 15064 bytes",
        ),
        "field element above r": (
            lambda: snap(vanilla_proofs=[TOO_LARGE + update_proof()[32:]]),
            "partition 0: comm_c: expected a little-endian field element below r",
        ),
        "a path that leads elsewhere": (
            lambda: snap(vanilla_proofs=[flipped(update_proof(), -200)]),
            "partition 0, challenge ",
        ),
        "another size": (lambda: snap(sector_size=4096), "sector_size: expected 2048 (or 0)"),
        "unknown registered proof": (lambda: snap(registered_proof=5), "registered_proof: expected"),
        "the number of another size": (lambda: snap(registered_proof=3), "vanilla_proofs: expected 16"),
    }
)

POREP: dict[str, tuple[Make, str]] = {
    "no vanilla proof": (lambda: seal(vanilla_proof=b""), "vanilla_proof: "),
    "the proof in the other field": (
        lambda: seal(vanilla_proof=b"", vanilla_proofs=[wrapped(porep.S1.phase1_out)]),
        "vanilla_proof: ",
    ),
    "not JSON": (lambda: seal(vanilla_proof=b"\xff\x00"), "vanilla_proof: "),
    "truncated": (lambda: seal(vanilla_proof=wrapped(porep.S1.phase1_out)[:-1]), "vanilla_proof: "),
    "trailing bytes": (lambda: seal(vanilla_proof=wrapped(porep.S1.phase1_out) + b"x"), "vanilla_proof: "),
    "truncated inside": (lambda: seal(vanilla_proof=wrapped(porep.S1.phase1_out[:-1])), "vanilla_proof.Phase1Out: "),
    "trailing bytes inside": (
        lambda: seal(vanilla_proof=wrapped(porep.S1.phase1_out + b"x")),
        "vanilla_proof.Phase1Out: ",
    ),
    "not base64": (lambda: seal(vanilla_proof=wrapped(b"", Phase1Out="%%%")), "vanilla_proof: "),
    "no partitions": (
        lambda: seal_changed(lambda d: d.update(vanilla_proofs={"StackedDrg2KiBV1": []})),
        "vanilla_proof.Phase1Out: ",
    ),
    "too many partitions": (
        lambda: seal_changed(lambda d: d["vanilla_proofs"]["StackedDrg2KiBV1"].append([_challenge(d)] * 2)),
        "vanilla_proofs: expected 1 partitions, got 2",
    ),
    "comm_r of 31 bytes": (lambda: seal_changed(lambda d: d["comm_r"].pop()), "vanilla_proof.Phase1Out: "),
    "seed of 33 bytes": (lambda: seal_changed(lambda d: d["seed"].append(0)), "vanilla_proof.Phase1Out: "),
    "comm_d above r": (
        lambda: seal_changed(lambda d: d.update(comm_d=list(TOO_LARGE))),
        "comm_d: expected a little-endian field element below r",
    ),
    "comm_r of zeros": (lambda: seal_changed(lambda d: d.update(comm_r=[0] * 32)), "comm_r: expected a commitment"),
    "seed of zeros": (lambda: seal_changed(lambda d: d.update(seed=[0] * 32)), "seed: expected randomness"),
    "field element above r": (
        lambda: seal_changed(lambda d: _set_sibling(d, list(TOO_LARGE))),
        "partition 0, challenge 0: comm_r_last_proof: path step 0, sibling 0: expected",
    ),
    "a path that leads elsewhere": (
        lambda: seal_changed(lambda d: _set_sibling(d, [1] + [0] * 31)),
        "partition 0, challenge 0",
    ),
    "another size": (lambda: seal(sector_size=4096), "sector_size: expected 2048 (or 0)"),
    "another size inside": (
        lambda: seal(vanilla_proof=wrapped(porep.S1.phase1_out, SectorSize=4096)),
        "vanilla_proof: SectorSize: expected 2048",
    ),
    "another sector inside": (
        lambda: seal(vanilla_proof=wrapped(porep.S1.phase1_out, SectorNum=2)),
        "vanilla_proof: SectorNum: expected 1 as in sector_number, got 2",
    ),
    "another miner": (lambda: seal(miner_id=1001), "replica_id is not that of the miner"),
    "unknown registered proof": (lambda: seal(registered_proof=77), "registered_proof: expected"),
    "the number of another version": (lambda: seal(registered_proof=10), "registered_proof: expected 5"),
    "the number of another size": (lambda: seal(registered_proof=8), "sector_size: expected 34359738368 (or 0)"),
    "the number of another size alone": (lambda: seal(registered_proof=8, sector_size=0), "registered_proof"),
    "an unknown name inside": (
        lambda: seal_changed(lambda d: d.update(registered_proof="StackedDrg3KiBV1")),
        "registered_proof: expected the name of a seal proof",
    ),
}

BAD = [
    pytest.param(make, field, id=f"{kind}: {name}")
    for kind, cases in (("post", POST), ("snap", SNAP), ("porep", POREP))
    for name, (make, field) in cases.items()
]


@pytest.mark.parametrize(("make", "field"), BAD)
def test_bad_input_is_refused_by_name_and_starts_nothing(daemon: Caller, make: Make, field: str) -> None:
    message = make()
    jobs_before = [job["job_id"] for job in daemon.status()["pipelines"]]
    for call in (daemon.submit, daemon.prove):
        with pytest.raises(grpc.RpcError) as caught:
            call(message)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT, caught.value.details()
        assert field in caught.value.details()
    assert [job["job_id"] for job in daemon.status()["pipelines"]] == jobs_before


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"registered_proof": 0},
        {"sector_size": 0},
        {"registered_proof": 0, "sector_size": 0},
        {"miner_id": 0, "sector_number": 0},
    ],
    ids=str,
)
def test_what_a_porep_may_leave_out(daemon: Caller, fields: dict[str, int]) -> None:
    """The phase 1 output says what is to be proved; without parameters the job fails, but it is a job."""
    result = daemon.prove(seal(**fields))
    assert result.status == pb.AwaitProofResponse.FAILED
    assert result.error_message.startswith("parameters of porep-2k: there is no parameter file")
