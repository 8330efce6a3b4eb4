"""A request for a proof, as it comes by gRPC or in a request file.

A request file is the message cuzk.v1.SubmitProofRequest in proto3 JSON (bytes are base64, 64-bit numbers may be
strings, field names in lowerCamelCase or as in the .proto).
"""

import re
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Any

import msgspec
from google.protobuf import json_format

from cuzk.errors import FormatError, InputError
from cuzk.filecoin.kinds import KIND_BY_WIRE, Kind
from cuzk.files import read_bounded
from cuzk.proto import proving_pb2 as pb

#: A PoRep request of a 32 GiB sector is about 70 MB on the wire and 90 MB as JSON; nothing is near this.
MAX_REQUEST_FILE_BYTES = 512 << 20


class Priority(IntEnum):
    """Priorities as on the wire."""

    LOW = 1
    NORMAL = 2
    HIGH = 3
    CRITICAL = 4


_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}", re.ASCII)
_PRIORITY_BY_NUMBER = {int(priority): priority for priority in Priority}
_DEFAULT_PRIORITY = {Kind.WINNING: Priority.CRITICAL, Kind.WINDOW: Priority.HIGH}


def default_priority(kind: Kind) -> Priority:
    """Return the priority of requests that name none."""
    return _DEFAULT_PRIORITY.get(kind, Priority.NORMAL)


@dataclass(frozen=True)
class Request:
    """The fields of SubmitProofRequest, with kind and priority understood and nothing else checked yet."""

    kind: Kind
    registered_proof: int = 0
    sector_size: int = 0
    request_id: str = ""
    priority: Priority = Priority.NORMAL
    vanilla_proof: bytes = b""
    vanilla_proofs: tuple[bytes, ...] = ()
    sector_number: int = 0
    miner_id: int = 0
    randomness: bytes = b""
    partition_index: int = 0
    comm_r_old: bytes = b""
    comm_r_new: bytes = b""
    comm_d_new: bytes = b""

    @classmethod
    def from_message(cls, message: pb.SubmitProofRequest) -> "Request":
        """Take over a decoded message; InputError for an unknown kind. Priorities default by kind."""
        kind = KIND_BY_WIRE.get(message.proof_kind)
        if kind is None:
            known = ", ".join(f"{pb.ProofKind.Name(number)} ({number})" for number in KIND_BY_WIRE)
            raise InputError(f"proof_kind: expected {known}, got {message.proof_kind}")
        plain = {
            field.name: getattr(message, field.name)
            for field in fields(cls)
            if field.name not in ("kind", "priority", "vanilla_proofs")
        }
        return cls(
            kind=kind,
            priority=_priority(kind, message.priority),
            vanilla_proofs=tuple(message.vanilla_proofs),
            **plain,
        )

    def to_message(self) -> pb.SubmitProofRequest:
        """Return the message that `from_message` reads back as this request."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "kind"}
        return pb.SubmitProofRequest(proof_kind=self.kind.wire, **values)  # type: ignore[arg-type]

    def require_sector_size(self, size: int, proof: str) -> None:
        """Raise InputError unless the sector size is that of the registered proof named `proof`, or left out."""
        if self.sector_size not in (0, size):
            raise InputError(f"sector_size: expected {size} (or 0) for {proof}, got {self.sector_size}")

    def to_json(self) -> str:
        """Return the text of a request file."""
        return json_format.MessageToJson(self.to_message(), indent=1)


def parse_request(text: str | bytes) -> Request:
    """Read a request from proto3 JSON; FormatError with the place where the text is wrong."""
    try:
        fields_of_json = msgspec.json.decode(text, type=dict[str, Any])
        _check_base64(fields_of_json)
        message = json_format.ParseDict(fields_of_json, pb.SubmitProofRequest())
    except (msgspec.DecodeError, json_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"not a SubmitProofRequest in JSON: {error}") from error
    return Request.from_message(message)


def read_request(path: Path) -> Request:
    """Read a request file."""
    text = read_bounded(path, MAX_REQUEST_FILE_BYTES)
    try:
        return parse_request(text)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def _check_base64(json: dict[str, Any]) -> None:
    """Refuse characters outside base64, which protobuf's own reader skips silently."""
    for field in pb.SubmitProofRequest.DESCRIPTOR.fields:
        if field.type != field.TYPE_BYTES:
            continue
        for name in {field.name, field.json_name} & json.keys():
            for value in json[name] if isinstance(json[name], list) else [json[name]]:
                if isinstance(value, str) and not _BASE64.fullmatch(value):
                    raise FormatError(f"not a SubmitProofRequest in JSON: {name}: expected base64, got {value[:40]!r}")


def _priority(kind: Kind, number: int) -> Priority:
    """Understand a priority as the Rust daemon does: 0 is the kind's default, unknown numbers are NORMAL."""
    if number == 0:
        return default_priority(kind)
    return _PRIORITY_BY_NUMBER.get(number, Priority.NORMAL)
