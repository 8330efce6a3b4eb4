"""A daemon over the fake engine in a thread of its own, for callers that block."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from cuzk.addresses import TcpAddress
from cuzk.engine import Engine
from cuzk.server.daemon import Daemon, Endpoints, ServerOptions
from tests.server.fake_engine import FakeEngine

ANY_PORT = TcpAddress("127.0.0.1", 0)


class BackgroundDaemon:
    """Where the daemon is reached, and its engine."""

    def __init__(self, engine: FakeEngine, endpoints: Endpoints, loop: asyncio.AbstractEventLoop) -> None:
        self.engine = engine
        self.grpc = endpoints.grpc
        self.status_url = f"{endpoints.panel}status"
        self._loop = loop

    def call(self, action: Callable[[], Any]) -> None:
        """Run something in the daemon's thread."""
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (action(), done.set()))
        assert done.wait(120)


@contextmanager
def background_daemon(engine: FakeEngine | None = None, **options: Any) -> Iterator[BackgroundDaemon]:
    """Serve while the block runs."""
    fake = engine or FakeEngine()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def run(coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(120)

    async def make() -> Daemon:
        given = {"listen": ANY_PORT, "status_listen": ANY_PORT, **options}
        return Daemon(cast("Engine", fake), ServerOptions(**given))

    try:
        daemon = run(make())
        try:
            yield BackgroundDaemon(cast("Engine", fake), run(daemon.start()), loop)
        finally:
            run(daemon.stop())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(120)
        loop.close()
