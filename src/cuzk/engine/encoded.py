"""A request as the message that it came as (cuzk.v1.SubmitProofRequest), of which only the plain fields are read.

A PoRep request has 70 MB, and each copy of it holds up the event loop, in a thread too, for Python's lock is held
meanwhile. So the engine's own process steps over the vanilla proofs: the checking process decodes them, the journal has
the bytes as they came, and what tells requests apart is a digest of those bytes.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from cuzk.errors import FormatError, InputError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Priority, Request
from cuzk.proto import proving_pb2 as pb

_FIELDS = pb.SubmitProofRequest.DESCRIPTOR.fields_by_name
_REQUEST_ID, _PRIORITY = _FIELDS["request_id"].number, _FIELDS["priority"].number
_LARGE = {_FIELDS["vanilla_proof"].number, _FIELDS["vanilla_proofs"].number}
_SUBMIT = pb.ProveRequest.DESCRIPTOR.fields_by_name["submit"].number

#: A WindowPoSt has 2349 vanilla proofs; ids, commitments and randomness are short.
MAX_FIELDS = 1 << 16
MAX_PLAIN = 1 << 20

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}
_MAX_VARINT = 10


@dataclass(frozen=True)
class EncodedRequest:
    """A request for a proof, undecoded."""

    kind: Kind
    request_id: str
    priority: Priority
    data: memoryview
    """The message."""

    @classmethod
    def of_message(cls, data: bytes | memoryview) -> "EncodedRequest":
        """Read the plain fields of a SubmitProofRequest; FormatError if it is none, InputError for an unknown kind."""
        view = memoryview(data)
        plain = [view[field.start : field.end] for field in _fields(view) if field.number not in _LARGE]
        if (size := sum(map(len, plain))) > MAX_PLAIN:
            raise _malformed(f"expected at most {MAX_PLAIN} bytes beside the vanilla proofs, got {size}")
        request = decode_request(b"".join(plain))
        return cls(request.kind, request.request_id, request.priority, view)

    @classmethod
    def of_prove(cls, data: bytes | memoryview) -> "EncodedRequest":
        """Read the plain fields of the request in a ProveRequest."""
        view = memoryview(data)
        found = [
            view[field.content : field.end]
            for field in _fields(view)
            if field.number == _SUBMIT and field.kind == _BYTES
        ]
        if not found:
            raise InputError("submit: missing from the ProveRequest")
        return cls.of_message(found[0] if len(found) == 1 else b"".join(found))  # protobuf merges what comes twice

    @classmethod
    def of_request(cls, request: Request) -> "EncodedRequest":
        """Encode a request."""
        data = request.to_message().SerializeToString(deterministic=True)
        return cls(request.kind, request.request_id, request.priority, memoryview(data))

    def decode(self) -> Request:
        """Return the request, decoded."""
        return decode_request(self.data)

    def digest(self) -> bytes:
        """Return the 32 bytes that tell requests apart by content: all fields but request id and priority."""
        digest = hashlib.sha256()
        for field in _fields(self.data):
            if field.number not in (_REQUEST_ID, _PRIORITY):
                digest.update(self.data[field.start : field.end])
        return digest.digest()


def decode_request(data: bytes | memoryview) -> Request:
    """Decode a SubmitProofRequest; FormatError if it is none, InputError for an unknown kind."""
    try:
        message = pb.SubmitProofRequest.FromString(bytes(data))
    except DecodeError as error:
        raise _malformed(str(error)) from error
    return Request.from_message(message)


@dataclass(frozen=True)
class _Field:
    """Where a field of a message lies: its tag from `start`, its content from `content` to `end`."""

    number: int
    kind: int
    start: int
    content: int
    end: int


def _fields(data: memoryview) -> Iterator[_Field]:
    """Yield the fields of a message in order, stepping over what they hold (protobuf.dev, Encoding)."""
    position = count = 0
    while position < len(data):
        count += 1
        if count > MAX_FIELDS:
            raise _malformed(f"expected at most {MAX_FIELDS} fields, got more")
        start = position
        tag, position = _varint(data, position)
        number, kind = tag >> 3, tag & 7
        content = position
        if kind == _VARINT:
            _, end = _varint(data, content)
        elif kind == _BYTES:
            length, content = _varint(data, position)
            end = content + length
        else:
            end = content + _FIXED_SIZES.get(kind, len(data))  # nobody knows how far other kinds reach
        if number == 0 or end > len(data):
            raise _malformed(f"byte {start} begins no field")
        yield _Field(number, kind, start, content, end)
        position = end


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    """Read a base-128 number; return it and where it ends."""
    value = 0
    for place, byte in enumerate(data[position : position + _MAX_VARINT]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, position + place + 1
    raise _malformed(f"byte {position} begins no number")


def _malformed(why: str) -> FormatError:
    return FormatError(f"the message is not a SubmitProofRequest: {why}")
