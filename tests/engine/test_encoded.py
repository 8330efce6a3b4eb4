"""Requests undecoded: the plain fields are those that protobuf reads, and no bytes whatever do any harm."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk.engine.encoded import MAX_FIELDS, MAX_PLAIN, EncodedRequest, decode_request
from cuzk.errors import FormatError, InputError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Priority, Request
from cuzk.proto import proving_pb2 as pb

PROOFS = st.lists(st.binary(max_size=300), max_size=5).map(tuple)
REQUESTS = st.builds(
    Request,
    kind=st.sampled_from(Kind),
    registered_proof=st.integers(0, (1 << 64) - 1),
    sector_size=st.integers(0, (1 << 64) - 1),
    request_id=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    priority=st.sampled_from(Priority),
    vanilla_proof=st.binary(max_size=300),
    vanilla_proofs=PROOFS,
    randomness=st.binary(max_size=40),
    partition_index=st.integers(0, (1 << 32) - 1),
)


@given(REQUESTS)
def test_what_is_read_is_what_was_written(request: Request) -> None:
    encoded = EncodedRequest.of_request(request)
    read = EncodedRequest.of_message(bytes(encoded.data))
    assert read == encoded
    assert (read.kind, read.request_id, read.priority) == (request.kind, request.request_id, request.priority)
    assert read.decode() == request
    wrapped = pb.ProveRequest(submit=request.to_message()).SerializeToString()
    assert EncodedRequest.of_prove(wrapped).decode() == request


@given(REQUESTS, REQUESTS)
def test_requests_are_told_apart_by_everything_but_id_and_priority(one: Request, two: Request) -> None:
    def content(request: Request) -> dict[str, Any]:
        return {name: value for name, value in vars(request).items() if name not in ("request_id", "priority")}

    digests = [EncodedRequest.of_request(request).digest() for request in (one, two)]
    assert (digests[0] == digests[1]) == (content(one) == content(two))
    renamed = Request(**{**content(one), "request_id": two.request_id, "priority": two.priority})
    assert EncodedRequest.of_request(renamed).digest() == digests[0]


DAMAGED = st.tuples(REQUESTS, st.binary(max_size=8)).map(
    lambda pair: bytes(EncodedRequest.of_request(pair[0]).data[:-3]) + pair[1]
)


@given(st.binary(max_size=60) | DAMAGED)
def test_whatever_comes_is_refused_or_what_protobuf_reads(data: bytes) -> None:
    for read, kind in ((EncodedRequest.of_message, pb.SubmitProofRequest), (EncodedRequest.of_prove, pb.ProveRequest)):
        try:
            encoded = read(data)
            request = encoded.decode()
        except InputError:
            continue
        message = kind.FromString(data)
        assert Request.from_message(message if read == EncodedRequest.of_message else message.submit) == request
        assert len(encoded.digest()) == 32


@pytest.mark.parametrize(
    "data",
    [
        b"\0",
        b"\0\1",
        b"\xff" * 11,
        b"\x52\x05abcd",
        b"\x52\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x0d123",
        b"\x0b\x0c",
        b"\x0e",
        b"\x0a\x02\xff\xfe",
        b"\x10\x04" + b"\x52\x00" * MAX_FIELDS,
        b"\x10\x04\x0a" + b"\x80\x80\x80\x01" + bytes(1 << 21),
    ],
    ids=lambda data: data[:12].hex(),
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="the message is not a SubmitProofRequest: "):
        EncodedRequest.of_message(data)


def test_a_request_that_comes_in_two_parts_is_put_together() -> None:
    request = Request(Kind.WINNING, request_id="x", vanilla_proofs=(b"v",))
    parts = [
        pb.SubmitProofRequest(request_id="x", proof_kind=4, priority=2),
        pb.SubmitProofRequest(vanilla_proofs=[b"v"]),
    ]
    data = b"".join(pb.ProveRequest(submit=part).SerializeToString() for part in parts)
    assert EncodedRequest.of_prove(data).decode() == request
    with pytest.raises(InputError, match="submit: missing from the ProveRequest"):
        EncodedRequest.of_prove(b"")


def test_the_bytes_are_not_copied() -> None:
    data = EncodedRequest.of_request(Request(Kind.POREP, vanilla_proof=bytes(MAX_PLAIN))).data.obj
    assert EncodedRequest.of_message(data).data.obj is data
    wrapped = pb.ProveRequest(submit=pb.SubmitProofRequest.FromString(data)).SerializeToString()
    assert EncodedRequest.of_prove(wrapped).data.obj is wrapped


def test_a_wrong_type_is_found_when_it_is_decoded() -> None:
    data = b"\x10\x04\x50\x01"  # vanilla_proof as a number: protobuf takes it for an unknown field
    assert decode_request(data).vanilla_proof == b""
