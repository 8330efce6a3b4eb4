"""Who may call: TLS for the channel, and one bearer token for gRPC and HTTP alike."""

import hmac
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from cuzk.errors import InputError

_OPEN_SERVICES = ("/grpc.health.v1.Health/",)


@dataclass(frozen=True)
class TlsFiles:
    """PEM files of the server; with `client_ca`, clients must show a certificate that it signed."""

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def credentials(self) -> grpc.ServerCredentials:
        """Read the files; InputError names the one that cannot be read."""
        self.context()  # says what is wrong with them, which gRPC does not
        key, certificate = _read(self.key), _read(self.certificate)
        client_ca = None if self.client_ca is None else _read_authorities(self.client_ca)
        return grpc.ssl_server_credentials([(key, certificate)], client_ca, require_client_auth=client_ca is not None)

    def context(self) -> ssl.SSLContext:
        """Read the files for HTTP, where no certificate is asked of clients; InputError says what cannot be used."""
        _read(self.key), _read(self.certificate)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            # Without a password, a key that wants one is refused; OpenSSL would ask for it at the terminal.
            context.load_cert_chain(self.certificate, self.key, password="")
        except ssl.SSLError as error:
            raise InputError(f"cannot use {self.certificate} with {self.key}: {error.reason or error}") from error
        return context


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the TLS file {path}: {error.strerror}") from error


def _read_authorities(path: Path) -> bytes:
    """Read a file of certificates. One that holds none is no authority, and must not come to mean any."""
    data = _read(path)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(path)
    except ssl.SSLError as error:
        raise InputError(f"cannot use {path} as client CA: {error.reason or error}") from error
    return data


def is_authorized(token: str | None, header: str | None) -> bool:
    """Whether an Authorization header carries the token, compared in constant time; no token: anyone may."""
    if token is None:
        return True
    scheme, _, given = (header or "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Answers UNAUTHENTICATED to calls without the token. Health checks need none: probes cannot send it."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """Pass the call on, or put a refusal in its place."""
        metadata = handler_call_details.invocation_metadata
        if handler_call_details.method.startswith(_OPEN_SERVICES) or is_authorized(
            self._token, _authorization(metadata)
        ):
            return await continuation(handler_call_details)
        return grpc.unary_unary_rpc_method_handler(_refuse)


def _authorization(metadata: Sequence[tuple[str, str | bytes]] | None) -> str | None:
    for name, value in metadata or ():
        if name == "authorization" and isinstance(value, str):
            return value
    return None


async def _refuse(_request: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, "this daemon expects its token: authorization: Bearer TOKEN")
    raise AssertionError  # abort raises
