"""A typed client of the daemon's gRPC API.

    with Client("127.0.0.1:9820") as client:
        result = client.prove(read_request(Path("request.json")))

Any daemon that speaks `cuzk.v1.ProvingEngine` will do.
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import grpc
import httpx

from cuzk.addresses import UnixAddress, parse_address
from cuzk.errors import CuzkError, InputError, UnreachableError
from cuzk.filecoin.request import Request
from cuzk.proto import proving_pb2 as pb
from cuzk.proto.proving_pb2_grpc import ProvingEngineStub

DEFAULT_ADDRESS = "127.0.0.1:9820"
DEFAULT_STATUS_URL = "http://127.0.0.1:9821/status"
MAX_MESSAGE_BYTES = 256 << 20

#: What gRPC itself says where there is nobody to say anything; a daemon's own refusals are other sentences.
_NOBODY = ("failed to connect", "errors resolving", "Socket closed", "Connection reset", "GOAWAY", "Broken pipe")
_WRONG_INPUT = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAUTHENTICATED)

_LONGEST_SECONDS = 1e9  # thirty years; more, such as infinity, need not fit into the message

ResultStatus = Literal["completed", "failed", "cancelled", "timeout", "unknown"]

_STATUSES: dict[int, ResultStatus] = {
    pb.AwaitProofResponse.COMPLETED: "completed",
    pb.AwaitProofResponse.FAILED: "failed",
    pb.AwaitProofResponse.CANCELLED: "cancelled",
    pb.AwaitProofResponse.TIMEOUT: "timeout",
}


class ServerError(CuzkError):
    """The daemon refused, or could not be reached; `code` says which."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class RefusedError(ServerError, InputError):
    """The daemon says that the request itself is wrong, and what of it."""


class NoAnswerError(ServerError, UnreachableError):
    """No daemon answers there, or it went away before it answered."""


@dataclass(frozen=True)
class Result:
    """How a job ended; the milliseconds of synthesis and of the device are sums over partitions."""

    job_id: str
    status: ResultStatus
    proof: bytes
    error: str
    queue_wait_ms: int
    srs_load_ms: int
    synthesis_ms: int
    gpu_compute_ms: int
    total_ms: int


class Client:
    """A connection to one daemon, at `HOST:PORT` or `unix:///PATH`. Methods may be called from several threads.

    `ca_certificate` (PEM) says who signed the daemon's certificate; with it, or with a `certificate` of the caller's
    own (PEM, with its key), the connection is encrypted. InputError for an address that is neither, and for a file that
    holds no such thing.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        token: str | None = None,
        ca_certificate: Path | None = None,
        certificate: Path | None = None,
    ) -> None:
        where = parse_address(address)
        _check_token(token)
        target = f"unix:{where.path}" if isinstance(where, UnixAddress) else str(where)
        options = [
            ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
            ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ]
        self.address = address
        self._metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        if ca_certificate is None and certificate is None:
            self._channel = grpc.insecure_channel(target, options)
        else:
            authority = None if ca_certificate is None else ca_certificate.read_bytes()
            own = None if certificate is None else certificate.read_bytes()  # gRPC picks key and chain out of it
            _check_certificates(ca_certificate, certificate)
            credentials = grpc.ssl_channel_credentials(authority, own, own)
            self._channel = grpc.secure_channel(target, credentials, options)
        self._stub: Any = ProvingEngineStub(self._channel)  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; calls under way end with CANCELLED."""
        self._channel.close()

    def submit(self, request: Request, *, timeout: float | None = 60) -> str:
        """Hand in a job and return its id; it is on the daemon's disk then."""
        with self._errors():
            reply = self._stub.SubmitProof(request.to_message(), timeout=timeout, metadata=self._metadata)
            return str(reply.job_id)

    def wait(self, job_id: str, *, timeout: float | None = None) -> Result:
        """Wait for a job; status `timeout` when `timeout` seconds pass first."""
        message = pb.AwaitProofRequest(
            job_id=job_id, timeout_ms=0 if timeout is None else max(1, round(min(timeout, _LONGEST_SECONDS) * 1000))
        )
        with self._errors():
            return _result(self._stub.AwaitProof(message, metadata=self._metadata))

    def prove(self, request: Request, *, timeout: float | None = None) -> Result:
        """Submit and wait; ServerError when `timeout` seconds pass. The same request again finds the job."""
        message = pb.ProveRequest(submit=request.to_message())
        with self._errors():
            return _result(self._stub.Prove(message, timeout=timeout, metadata=self._metadata).result)

    def cancel(self, job_id: str) -> bool:
        """Cancel a job; False when it had ended already."""
        with self._errors():
            reply = self._stub.CancelProof(pb.CancelProofRequest(job_id=job_id), timeout=30, metadata=self._metadata)
            return bool(reply.was_running)

    def status(self) -> pb.GetStatusResponse:
        """Return the short status; the daemon's HTTP status says more."""
        with self._errors():
            reply: pb.GetStatusResponse = self._stub.GetStatus(
                pb.GetStatusRequest(), timeout=10, metadata=self._metadata
            )
            return reply

    def metrics(self) -> str:
        """Return the metrics in Prometheus's text format."""
        with self._errors():
            reply = self._stub.GetMetrics(pb.GetMetricsRequest(), timeout=10, metadata=self._metadata)
            return str(reply.prometheus_text)

    def preload(self, circuit_id: str, *, timeout: float | None = None) -> tuple[bool, int]:
        """Load a circuit's parameters; return whether they were loaded before, and the milliseconds it took."""
        message = pb.PreloadSrsRequest(circuit_id=circuit_id)
        with self._errors():
            reply = self._stub.PreloadSRS(message, timeout=timeout, metadata=self._metadata)
            return bool(reply.already_loaded), int(reply.load_time_ms)

    def evict(self, circuit_id: str) -> tuple[bool, int]:
        """Free a circuit's parameters; return whether they were loaded, and the bytes freed (0: in use)."""
        message = pb.EvictSrsRequest(circuit_id=circuit_id)
        with self._errors():
            reply = self._stub.EvictSRS(message, timeout=60, metadata=self._metadata)
            return bool(reply.was_loaded), int(reply.freed_bytes)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            code = error.code()
            details = error.details() or code.name
            if code is grpc.StatusCode.UNAVAILABLE and any(words in details for words in _NOBODY):
                raise NoAnswerError(code, f"no daemon answers at {self.address}: {details}") from error
            if code is grpc.StatusCode.DEADLINE_EXCEEDED:
                details = f"the daemon at {self.address} did not answer in time"
            kind = RefusedError if code in _WRONG_INPUT else ServerError
            raise kind(code, details) from error


def fetch_status(
    url: str = DEFAULT_STATUS_URL,
    *,
    token: str | None = None,
    ca_certificate: Path | None = None,
    timeout: float = 10,
) -> dict[str, Any]:
    """Return the daemon's status, the JSON that docs/engine.md describes, over HTTP."""
    _check_token(token)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        # Without TLS no certificates are needed, and reading them takes longer than the call.
        verify = ssl.create_default_context(cafile=ca_certificate) if url.startswith("https:") else False
        reply = httpx.get(url, headers=headers, timeout=timeout, verify=verify)
        reply.raise_for_status()
        status: Any = reply.json()
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise InputError(f"expected the URL of a daemon's status, such as {DEFAULT_STATUS_URL}, got {url!r}") from error
    except httpx.HTTPStatusError as error:
        why = f"no status from {url}: {reply.status_code} {reply.reason_phrase}{_sentence(reply)}"
        if reply.status_code == httpx.codes.UNAUTHORIZED:
            raise RefusedError(grpc.StatusCode.UNAUTHENTICATED, why) from error
        raise ServerError(grpc.StatusCode.UNAVAILABLE, why) from error
    except httpx.TransportError as error:
        raise NoAnswerError(grpc.StatusCode.UNAVAILABLE, f"no daemon answers at {url}: {error}") from error
    except ValueError as error:
        why = f"no status from {url}: expected JSON, as at {DEFAULT_STATUS_URL}, got something else"
        raise ServerError(grpc.StatusCode.UNAVAILABLE, why) from error
    except httpx.HTTPError as error:
        raise ServerError(grpc.StatusCode.UNAVAILABLE, f"no status from {url}: {error}") from error
    if not isinstance(status, dict) or not isinstance(status.get("pipelines"), list):
        why = f"no status from {url}: expected a daemon's, as at {DEFAULT_STATUS_URL}, got other JSON"
        raise ServerError(grpc.StatusCode.UNAVAILABLE, why)
    return status


def _check_token(token: str | None) -> None:
    """Refuse what no header can carry: gRPC and HTTP would say something else of it, each its own."""
    if token is not None and not (token and token.isascii() and token.isprintable()):
        raise InputError("the token: expected printable ASCII characters, got others, or none")


def _check_certificates(authority: Path | None, own: Path | None) -> None:
    """Say what is wrong with a file: gRPC would take it for a daemon that does not answer."""
    context, path = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), authority
    try:
        if authority is not None:
            context.load_verify_locations(authority)
        if own is not None:
            path = own
            context.load_cert_chain(own, password="")  # a key that wants a password is refused, not asked for
    except ssl.SSLError as error:
        what = "the certificate of an authority" if path is authority else "a certificate and its key"
        raise InputError(f"cannot use {path}: expected {what} in PEM: {error.reason or error}") from error


def _sentence(reply: httpx.Response) -> str:
    """Return what the daemon itself says about a refusal, after a colon."""
    try:
        return f": {reply.json()['error']}"
    except (ValueError, KeyError, TypeError):
        return ""


def _result(reply: pb.AwaitProofResponse) -> Result:
    return Result(
        job_id=reply.job_id,
        status=_STATUSES.get(reply.status, "unknown"),
        proof=reply.proof,
        error=reply.error_message,
        queue_wait_ms=reply.queue_wait_ms,
        srs_load_ms=reply.srs_load_ms,
        synthesis_ms=reply.synthesis_ms,
        gpu_compute_ms=reply.gpu_compute_ms,
        total_ms=reply.total_ms,
    )
