"""uvicorn inside the daemon's event loop, without signal handlers of its own."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

_GRACE_SECONDS = 2
PATIENCE_SECONDS = 30.0


class HttpServer:
    """Serves an application from a socket that is bound already."""

    def __init__(self, app: ASGIApp, sock: socket.socket, tls: ssl.SSLContext | None = None) -> None:
        config = uvicorn.Config(
            app,
            http=_GuardedProtocol,
            log_config=None,
            log_level="warning",  # the daemon itself says when it serves and stops
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_keep_alive=int(PATIENCE_SECONDS),
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        config.load()
        config.ssl = tls
        self._server = _QuietServer(config)
        self._socket = sock
        self._file = Path(sock.getsockname()) if sock.family == socket.AF_UNIX else None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Serve from now on."""
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        while not self._server.started:
            if self._task.done():
                self._task.result()
            await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Finish what is being answered and close."""
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        self._socket.close()
        if self._file is not None:
            self._file.unlink(missing_ok=True)


class _GuardedProtocol(H11Protocol):
    """Closes connections that are no use: those on which nobody completes a request, and those that stop making sense.

    The first so that they cannot be held open for nothing.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to watch the connection."""
        super().connection_made(transport)
        self._answered = 0
        self._watch = self.loop.call_later(PATIENCE_SECONDS, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch no longer."""
        self._watch.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Count a request that was answered."""
        self._answered += 1
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, unless an answer is on its way already; no other answer may follow."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Answer who asks for WebSockets as anybody else; uvicorn's log would advise to install something."""

    def _check(self) -> None:
        waits_for_request = self.cycle is None or self.cycle.response_complete
        if waits_for_request and self._answered == 0:
            self.transport.close()
            return
        self._answered = 0
        self._watch = self.loop.call_later(PATIENCE_SECONDS, self._check)


class _QuietServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the daemon, which drains before it stops."""
        yield
