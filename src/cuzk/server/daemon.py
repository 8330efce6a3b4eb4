"""The daemon's life: start, serve, drain at the first signal, stop at once at the second."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog

from cuzk.addresses import Address, TcpAddress
from cuzk.engine import Engine
from cuzk.engine.signals import ENDING
from cuzk.server.access import TlsFiles
from cuzk.server.http_server import HttpServer
from cuzk.server.metrics import Metrics
from cuzk.server.rpc import ProvingService
from cuzk.server.rpc_server import RpcServer
from cuzk.server.sockets import bound_socket
from cuzk.server.web import web_app

Result = TypeVar("Result")

_log = structlog.get_logger(__name__)

_READY_CHECK_SECONDS = 0.5
_REPLY_GRACE_SECONDS = 3.0


@dataclass(frozen=True)
class ServerOptions:
    """Where and how the daemon listens."""

    listen: Address
    status_listen: Address | None = None
    token: str | None = None
    tls: TlsFiles | None = None
    status_tls: bool = False
    """HTTP uses the certificate of `tls` too."""
    max_message_bytes: int = 256 << 20
    drain_timeout: float = 60.0


@dataclass(frozen=True)
class Endpoints:
    """Where a running daemon is reached."""

    grpc: str
    panel: str | None


class Daemon:
    """One engine behind gRPC and HTTP."""

    def __init__(
        self, engine: Engine, options: ServerOptions, on_serving: Callable[[Endpoints], None] = lambda _: None
    ) -> None:
        self._engine = engine
        self._options = options
        self._on_serving = on_serving
        self._signals = 0
        self._engine_started = False
        self._draining = asyncio.Event()
        self._stopping = asyncio.Event()
        self._http: HttpServer | None = None
        self._rpc: RpcServer | None = None

    async def run(self) -> None:
        """Serve until a signal, then drain and stop."""
        loop = asyncio.get_running_loop()
        signals = set(ENDING)
        if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as under nohup
            signals.remove(signal.SIGHUP)
        for number in signals:
            loop.add_signal_handler(number, self.request_stop)
        try:
            await self._unless_hurried(self.start())
            await self._draining.wait()
            await self.drain()
        finally:
            await self.stop()
            for number in signals:
                loop.remove_signal_handler(number)

    def request_stop(self) -> None:
        """Drain; when it is called again, stop at once."""
        self._signals += 1
        (self._draining if self._signals == 1 else self._stopping).set()
        _log.info("signal", action="drain" if self._signals == 1 else "stop at once")

    async def start(self) -> Endpoints:
        """Serve the panel (it shows the start), start the engine, then take calls."""
        options = self._options
        metrics = Metrics(self._engine.status)
        self._engine.subscribe(metrics.observe)
        panel = None
        if options.status_listen is not None:
            sock = bound_socket(options.status_listen)
            panel = _url(options.status_listen, sock.getsockname(), "https" if options.status_tls else "http")
            context = options.tls.context() if options.tls is not None and options.status_tls else None
            self._http = HttpServer(web_app(self._engine, metrics, options.token), sock, context)
            await self._http.start()
        self._engine_started = True
        await self._engine.start()
        service = ProvingService(self._engine, metrics.text)
        rpc = RpcServer(service, max_message_bytes=options.max_message_bytes, tls=options.tls, token=options.token)
        address = await rpc.start(options.listen)
        await rpc.set_ready(self._engine.ready() is None)
        self._rpc = rpc
        self._watch = asyncio.create_task(self._watch_ready(rpc))
        self._warn_if_open()
        self.endpoints = Endpoints(str(address), panel)
        self._on_serving(self.endpoints)
        _log.info("serving", grpc=self.endpoints.grpc, panel=panel)
        return self.endpoints

    async def drain(self) -> None:
        """Take no new job, and give those there are `drain_timeout` to end, unless a second signal comes."""
        timeout = self._options.drain_timeout
        _log.info("draining", timeout=timeout)
        all_ended = await self._unless_hurried(self._engine.drain(timeout))
        _log.info("drained", all_jobs_ended=bool(all_ended))

    async def stop(self) -> None:
        """Close everything; unfinished jobs stay in the journal. Callers that have their answer coming get it."""
        grace = 0.0 if self._stopping.is_set() else _REPLY_GRACE_SECONDS
        if self._rpc is not None:
            self._watch.cancel()
            await self._rpc.stop(grace)
        if self._engine_started:
            await self._engine.stop()
        if self._http is not None:
            await self._http.stop()
        _log.info("stopped")

    async def _unless_hurried(self, action: Coroutine[Any, Any, Result]) -> Result | None:
        """Do something, but give it up (and return None) at the second signal."""
        doing = asyncio.ensure_future(action)
        hurry = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait((doing, hurry), return_when=asyncio.FIRST_COMPLETED)
            return doing.result() if doing.done() else None
        finally:
            hurry.cancel()
            doing.cancel()

    async def _watch_ready(self, rpc: RpcServer) -> None:
        was_ready: bool | None = None
        while True:
            ready = self._engine.ready() is None
            if ready != was_ready:
                await rpc.set_ready(ready)
                was_ready = ready
            await asyncio.sleep(_READY_CHECK_SECONDS)

    def _warn_if_open(self) -> None:
        options = self._options
        for address, encrypted in (
            (options.listen, options.tls is not None),
            (options.status_listen, options.status_tls),
        ):
            if address is None or address.is_loopback or (encrypted and options.token is not None):
                continue
            missing = [name for name, there in (("TLS", encrypted), ("a token", options.token)) if not there]
            _log.warning("open to the network", listen=str(address), without=" and ".join(missing))


def _url(address: Address, bound: tuple[str, int], scheme: str) -> str:
    if not isinstance(address, TcpAddress):
        return str(address)
    return f"{scheme}://{TcpAddress(address.host, bound[1])}/"
