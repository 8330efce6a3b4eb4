"""The gRPC service `cuzk.v1.ProvingEngine`: messages in, engine calls, messages out.

SubmitProof and Prove are registered as client-streaming calls, which are the same bytes on the wire. gRPC holds the
request of a unary call until the answer is sent, 50 MB for half an hour; of a stream it hands each message over.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from cuzk.engine import (
    CheckFailedError,
    DrainingError,
    Engine,
    NeverFitsError,
    Outcome,
    QueueFullError,
    Receipt,
    StorageError,
    UnknownJobError,
)
from cuzk.engine.encoded import MAX_PLAIN, EncodedRequest
from cuzk.errors import CuzkError, FormatError, InputError
from cuzk.proto import proving_pb2 as pb
from cuzk.server.status_reply import status_reply

SERVICE = "cuzk.v1.ProvingEngine"

_SMALL = 1 << 16

_log = structlog.get_logger(__name__)

_CODES: tuple[tuple[type[CuzkError], grpc.StatusCode], ...] = (
    (InputError, grpc.StatusCode.INVALID_ARGUMENT),
    (QueueFullError, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (NeverFitsError, grpc.StatusCode.FAILED_PRECONDITION),
    (DrainingError, grpc.StatusCode.UNAVAILABLE),
    (StorageError, grpc.StatusCode.UNAVAILABLE),
    (UnknownJobError, grpc.StatusCode.NOT_FOUND),
    (CheckFailedError, grpc.StatusCode.INTERNAL),
)
_OUTCOMES = {
    "completed": pb.AwaitProofResponse.COMPLETED,
    "failed": pb.AwaitProofResponse.FAILED,
    "cancelled": pb.AwaitProofResponse.CANCELLED,
    "timeout": pb.AwaitProofResponse.TIMEOUT,
}

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Reply = Callable[[Any, Context], Awaitable[Message]]
M = TypeVar("M", bound=Message)


class ProvingService:
    """The eight calls over one engine."""

    def __init__(self, engine: Engine, metrics_text: Callable[[], str]) -> None:
        self._engine = engine
        self._metrics_text = metrics_text

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""
        methods = {
            "SubmitProof": _streamed(self.submit),
            "Prove": _streamed(self.prove),
            "AwaitProof": _unary(self.wait, pb.AwaitProofRequest),
            "CancelProof": _unary(self.cancel, pb.CancelProofRequest),
            "GetStatus": _unary(self.status, pb.GetStatusRequest),
            "GetMetrics": _unary(self.metrics, pb.GetMetricsRequest),
            "PreloadSRS": _unary(self.preload, pb.PreloadSrsRequest),
            "EvictSRS": _unary(self.evict, pb.EvictSrsRequest),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def submit(self, messages: AsyncIterator[bytes], _context: Context) -> pb.SubmitProofResponse:
        """Acknowledge a job once it is on disk."""
        receipt = await self._accept(messages, EncodedRequest.of_message)
        return pb.SubmitProofResponse(job_id=receipt.job_id, queue_position=receipt.queue_position)

    async def prove(self, messages: AsyncIterator[bytes], context: Context) -> pb.ProveResponse:
        """Submit and wait; a caller that goes away leaves the job to the engine's orphan grace."""
        remaining = context.time_remaining()
        deadline = None if remaining is None else time.time() + remaining
        accepting = asyncio.ensure_future(
            self._accept(messages, EncodedRequest.of_prove, attended=True, deadline=deadline)
        )
        try:
            receipt = await asyncio.shield(accepting)
        except asyncio.CancelledError:
            accepting.add_done_callback(self._release_accepted)
            raise
        try:
            outcome = await self._engine.wait(receipt)
        finally:
            self._engine.release(receipt.job_id)
        return pb.ProveResponse(result=_outcome_reply(outcome))

    async def wait(self, request: pb.AwaitProofRequest, _context: Context) -> pb.AwaitProofResponse:
        """Wait for a job, at most `timeout_ms`."""
        timeout = request.timeout_ms / 1000 if request.timeout_ms else None
        return _outcome_reply(await self._engine.wait(_job_id(request.job_id), timeout=timeout))

    async def cancel(self, request: pb.CancelProofRequest, _context: Context) -> pb.CancelProofResponse:
        """Cancel a job."""
        return pb.CancelProofResponse(was_running=await self._engine.cancel(_job_id(request.job_id)))

    async def status(self, _request: pb.GetStatusRequest, _context: Context) -> pb.GetStatusResponse:
        """Return the part of the status that the message has room for."""
        return status_reply(self._engine.status())

    async def metrics(self, _request: pb.GetMetricsRequest, _context: Context) -> pb.GetMetricsResponse:
        """Return what `GET /metrics` returns."""
        return pb.GetMetricsResponse(prometheus_text=self._metrics_text())

    async def preload(self, request: pb.PreloadSrsRequest, _context: Context) -> pb.PreloadSrsResponse:
        """Load a circuit's parameters and answer when they are hot."""
        loaded = await self._engine.preload(request.circuit_id)
        return pb.PreloadSrsResponse(already_loaded=loaded.already_loaded, load_time_ms=loaded.load_time_ms)

    async def evict(self, request: pb.EvictSrsRequest, _context: Context) -> pb.EvictSrsResponse:
        """Free a circuit's parameters unless a job uses them."""
        evicted = await self._engine.evict(request.circuit_id)
        return pb.EvictSrsResponse(was_loaded=evicted.was_loaded, freed_bytes=evicted.freed_bytes)

    async def _accept(
        self,
        messages: AsyncIterator[bytes],
        read: Callable[[bytes], EncodedRequest],
        *,
        attended: bool = False,
        deadline: float | None = None,
    ) -> Receipt:
        """Take the one message, its bytes counted while they are here, and submit what it asks for."""
        data = await anext(messages, None)
        if data is None:
            raise FormatError("expected one request message, got none")
        with self._engine.payload(len(data)):
            request = await asyncio.to_thread(read, data) if len(data) > _SMALL else read(data)
            del data
            return await self._engine.submit(request, attended=attended, deadline=deadline)

    def _release_accepted(self, accepting: "asyncio.Future[Receipt]") -> None:
        """Release a job whose caller left while it was being accepted, if it was."""
        if not accepting.cancelled() and accepting.exception() is None:
            self._engine.release(accepting.result().job_id)


def _streamed(reply: Reply) -> "grpc.RpcMethodHandler[Any, Any]":
    return grpc.stream_unary_rpc_method_handler(_guarded(reply), None, _serialize)


def _unary(reply: Reply, message: type[Message]) -> "grpc.RpcMethodHandler[Any, Any]":
    async def parsed(data: bytes, context: Context) -> Message:
        return await reply(_parse(message, data), context)

    return grpc.unary_unary_rpc_method_handler(_guarded(parsed), None, _serialize)


def _guarded(reply: Reply) -> Reply:
    """Turn what the engine raises into a status; whatever else goes wrong is INTERNAL and logged."""

    async def answer(request: Any, context: Context) -> Message:
        try:
            return await reply(request, context)
        except CuzkError as error:
            code = next((code for kind, code in _CODES if isinstance(error, kind)), grpc.StatusCode.INTERNAL)
            await context.abort(code, str(error))
        except Exception as error:
            _log.exception("rpc failed", error=repr(error))
            await context.abort(grpc.StatusCode.INTERNAL, f"internal error: {type(error).__name__}")
        raise AssertionError  # abort raises

    return answer


def _serialize(message: Message) -> bytes:
    return message.SerializeToString()


def _parse(kind: type[M], data: bytes) -> M:
    if len(data) > MAX_PLAIN:  # none of these has anything large in it
        raise FormatError(f"the message is not a {kind.DESCRIPTOR.name}: expected at most {MAX_PLAIN} bytes")
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise FormatError(f"the message is not a {kind.DESCRIPTOR.name}: {error}") from error


def _job_id(job_id: str) -> str:
    if not job_id:
        raise InputError("job_id: expected the id of a job, got an empty one")
    return job_id


def _outcome_reply(outcome: Outcome) -> pb.AwaitProofResponse:
    return pb.AwaitProofResponse(
        job_id=outcome.job_id,
        status=_OUTCOMES[outcome.status],
        proof=outcome.proof,
        error_message=outcome.error,
        queue_wait_ms=outcome.queue_wait_ms,
        srs_load_ms=outcome.srs_load_ms,
        synthesis_ms=outcome.synthesis_ms,
        gpu_compute_ms=outcome.gpu_compute_ms,
        total_ms=outcome.total_ms,
    )
