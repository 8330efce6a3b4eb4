"""Runs a test that is a coroutine function; its fixtures are as those of any other."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

TIMEOUT = 240.0
"""Seconds; for tests that hang, whatever else the machine does."""


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Return the test as pytest knows it: it runs in an event loop of its own."""

    @functools.wraps(test)
    def run(*arguments: Any, **fixtures: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **fixtures), TIMEOUT))

    return run


async def until(condition: Callable[[], Any]) -> None:
    """Wait until something holds."""
    while not condition():
        await asyncio.sleep(0.01)
