"""The gRPC server around the service: port, limits, health, reflection."""

import asyncio
import contextlib

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from cuzk.addresses import Address, TcpAddress, UnixAddress
from cuzk.errors import InputError
from cuzk.server.access import TlsFiles, TokenInterceptor
from cuzk.server.rpc import SERVICE, ProvingService
from cuzk.server.sockets import bound_socket, claim_unix_path

_MINUTE_MS = 60_000


class RpcServer:
    """One listening gRPC server."""

    def __init__(
        self, service: ProvingService, *, max_message_bytes: int, tls: TlsFiles | None = None, token: str | None = None
    ) -> None:
        self._credentials = None if tls is None else tls.credentials()
        self._server = grpc.aio.server(
            interceptors=[] if token is None else [TokenInterceptor(token)],
            options=[
                ("grpc.max_receive_message_length", max_message_bytes),
                ("grpc.max_send_message_length", max_message_bytes),
                # Two daemons must not share a port, or each would get half of the calls.
                ("grpc.so_reuseport", 0),
                # A call may wait for half an hour: notice a peer that vanished, and let clients ask as well.
                ("grpc.keepalive_time_ms", 2 * _MINUTE_MS),
                ("grpc.keepalive_timeout_ms", _MINUTE_MS // 2),
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
            ],
        )
        self._server.add_generic_rpc_handlers((service.handler(),))
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)

    async def start(self, address: Address) -> Address:
        """Listen; return the address with the port it got. InputError when it cannot be had."""
        if isinstance(address, UnixAddress):
            claim_unix_path(address.path)
        target = f"unix:{address.path}" if isinstance(address, UnixAddress) else str(address)
        try:
            if self._credentials is None:
                port = self._server.add_insecure_port(target)
            else:
                port = self._server.add_secure_port(target, self._credentials)
        except RuntimeError as error:
            bound_socket(address).close()  # gRPC does not say why; this does
            raise InputError(f"cannot listen at {address}: {error}") from error
        await self._server.start()
        self._address = TcpAddress(address.host, port) if isinstance(address, TcpAddress) else address
        return self._address

    async def set_ready(self, ready: bool) -> None:
        """Say in the health service whether jobs are accepted."""
        status = health_pb2.HealthCheckResponse.SERVING if ready else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", SERVICE):
            await self._health.set(name, status)

    async def stop(self, grace: float) -> None:
        """Refuse new calls, let those under way end within `grace` seconds, and close."""
        await asyncio.wait_for(self._server.stop(grace), grace + 5)
        if isinstance(self._address, UnixAddress):
            with contextlib.suppress(FileNotFoundError):
                self._address.path.unlink()
