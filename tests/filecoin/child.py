"""A command in a process of its own, and what it took."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The child reports its own peak: what the system says of a child counts the parent's memory at the fork.
_REPORTING = """
import atexit, runpy, sys, time
from pathlib import Path

def report():
    peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
    print(time.process_time(), int(peak) << 10, file=sys.stderr)

atexit.register(report)
runpy.run_module("cuzk", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Finished:
    answer: Any
    cpu_seconds: float
    peak_bytes: int


def run_cuzk(*arguments: str, cache: Path) -> Finished:
    """Run `cuzk ARGUMENTS --json` with this cache folder."""
    environment = {**os.environ, "CUZK_CACHE": str(cache)}
    command = [sys.executable, "-c", _REPORTING, *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds, peak = done.stderr.splitlines()[-1].split()
    return Finished(json.loads(done.stdout), float(seconds), int(peak))
