"""`python -m tests.fuzz [--seconds N] [TARGET …]`: fuzz every parser, or those named, for N seconds each."""

import argparse
import sys
import time

from tests.fuzz.fuzzer import fuzz
from tests.fuzz.targets import TARGETS

BATCH = 250


def main() -> int:
    """Run until the time is up; the first failure ends it with a traceback and the input that caused it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="for each target (default: 300)")
    parser.add_argument("names", nargs="*", metavar="TARGET", help=", ".join(target.name for target in TARGETS))
    arguments = parser.parse_args()
    known = {target.name: target for target in TARGETS}
    for name in arguments.names or known:
        if name not in known:
            parser.error(f"unknown target {name!r}")
        end, tried = time.monotonic() + arguments.seconds, 0
        while (left := end - time.monotonic()) > 0:
            tried += fuzz(known[name], BATCH, left)
        print(
            f"{name:18} {tried:9,} inputs in {arguments.seconds:.0f} s: no crash, no hang, no large allocation",
            flush=True,
        )
    return 0


sys.exit(main())
