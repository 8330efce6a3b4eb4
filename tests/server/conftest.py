"""A daemon on loopback over the fake engine, in the test's own event loop."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import grpc
import pytest

from cuzk.addresses import TcpAddress
from cuzk.engine import Engine
from cuzk.proto.proving_pb2_grpc import ProvingEngineStub
from cuzk.server.daemon import Daemon, ServerOptions
from tests.server.fake_engine import FakeEngine

Story = Callable[["Running"], Awaitable[None]]


class Running:
    """A daemon that serves, its engine, and a stub to call it."""

    def __init__(self, daemon: Daemon, engine: FakeEngine, channel: grpc.aio.Channel) -> None:
        self.daemon = daemon
        self.engine = engine
        self.channel = channel
        self.stub: Any = ProvingEngineStub(channel)

    @property
    def http(self) -> str:
        panel = self.daemon.endpoints.panel
        assert panel is not None
        return panel.rstrip("/")


def any_port() -> TcpAddress:
    return TcpAddress("127.0.0.1", 0)


@pytest.fixture
def serve() -> Callable[..., None]:
    """Run an async story against a daemon made with the given options."""

    def run(story: Story, engine: FakeEngine | None = None, **options: Any) -> None:
        async def main() -> None:
            fake = engine or FakeEngine()
            given = {"listen": any_port(), "status_listen": any_port(), **options}
            daemon = Daemon(cast("Engine", fake), ServerOptions(**given))
            try:
                endpoints = await daemon.start()
                target = endpoints.grpc.replace("unix://", "unix:")
                async with grpc.aio.insecure_channel(target) as channel:
                    await asyncio.wait_for(story(Running(daemon, fake, channel)), 240)
            finally:
                await daemon.stop()

        asyncio.run(main())

    return run
