"""Engines over small circuits, in temporary folders, and what must not be left behind."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cuzk.engine import Engine, load_config
from tests.engine import invariants, small
from tests.engine.leaks import Leaks


@pytest.fixture(scope="session")
def parameters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the parameters of the small circuits."""
    folder = tmp_path_factory.mktemp("parameters")
    small.make_parameters(folder)
    return folder


@pytest.fixture
def folder(parameters: Path, tmp_path: Path) -> Path:
    """A folder of this test alone, with the parameters linked into it."""
    for file in parameters.glob("*.params"):
        (tmp_path / file.name).symlink_to(file)
    return tmp_path


EngineFactory = Callable[..., Any]


@pytest.fixture
def engine_in(folder: Path) -> EngineFactory:
    """Return what starts an engine for a block: `async with engine_in(section={"key": value}, ...) as engine`."""

    @asynccontextmanager
    async def start(options: dict[str, Any] | None = None, **sections: Any) -> AsyncIterator[Engine]:
        engine = Engine(
            make_config(folder, **sections), registry=small.source(folder, **(options or {})), validate=True
        )
        watching = asyncio.create_task(watch(engine))
        try:
            await engine.start()
            yield engine
        finally:
            await engine.stop()
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            if watching.done() and not watching.cancelled():
                watching.result()

    return start


def make_config(folder: Path, **sections: Any) -> Any:
    """Return a configuration for tests; `sections` are overrides."""
    defaults: dict[str, dict[str, Any]] = {
        "daemon": {"data_dir": folder / "data"},
        "memory": {"total_budget": "1GiB"},
        "jobs": {},
    }
    for section, values in sections.items():
        defaults[section] = defaults.get(section, {}) | values
    return load_config(environment={}, overrides=defaults)


async def watch(engine: Engine) -> None:
    """Check snapshots as fast as a poller would ask for them."""
    last = None
    while True:
        status = invariants.parse(engine.status_json())
        invariants.check_after(last, status)
        last = status
        await asyncio.sleep(0.005)


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a process, a descriptor or a thread behind."""
    leaks = Leaks()
    yield
    leaks.check()
