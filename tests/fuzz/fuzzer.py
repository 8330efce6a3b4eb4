"""Feeds one parser damaged input, and watches for crashes, hangs and large allocations."""

import time
import tracemalloc
from contextlib import suppress

from hypothesis import HealthCheck, Phase, given, settings

from cuzk.errors import InputError
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import Target

MAX_SECONDS = 5.0  # for inputs of a few kilobytes
MAX_GROWTH = 4
FIXED_BYTES = 64 << 10  # what a parse may take for anything: error messages, objects, caches


def check(target: Target, data: bytes) -> None:
    """Parse once; any exception but InputError, a long time or a large peak of memory is a failure."""
    tracemalloc.start()
    begin = time.process_time()  # not the clock on the wall: the machine may be busy
    try:
        with suppress(InputError):
            target.parse(data)
        seconds = time.process_time() - begin
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seconds < MAX_SECONDS, f"{target.name}: {seconds:.1f} s for {len(data)} bytes"
    limit = MAX_GROWTH * len(data) + FIXED_BYTES
    assert peak <= limit, f"{target.name}: {peak} bytes allocated for {len(data)} bytes of input"


def fuzz(target: Target, max_examples: int, seconds: float | None = None) -> int:
    """Try up to `max_examples` damaged inputs, for at most `seconds`; return how many were tried."""
    deadline = None if seconds is None else time.monotonic() + seconds
    seeds = target.seeds()
    for seed in seeds:
        target.parse(seed)
    tried = 0

    @settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        print_blob=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(data=mutated(seeds))
    def run(data: bytes) -> None:
        nonlocal tried
        if deadline is None or time.monotonic() < deadline:
            tried += 1
            check(target, data)

    run()
    return tried
