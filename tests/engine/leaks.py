"""What a test leaves behind: processes, descriptors, threads."""

import multiprocessing.forkserver
import multiprocessing.resource_tracker
import os
import threading
import time
from pathlib import Path

import psutil

_PATIENCE = 60.0


class Leaks:
    """What there was before."""

    def __init__(self) -> None:
        self._processes = _processes()
        self._descriptors = _descriptors()
        self._threads = threading.active_count()

    def check(self) -> None:
        """Raise AssertionError if there is more now; what ends by itself is waited for."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if not self._new_processes() and not self._new_descriptors() and not self._new_threads():
                return
            time.sleep(0.05)
        assert not self._new_processes(), f"processes left behind: {self._new_processes()}"
        assert not self._new_descriptors(), f"descriptors left behind: {self._new_descriptors()}"
        assert not self._new_threads(), f"threads left behind: {self._new_threads()}"

    def _new_processes(self) -> list[psutil.Process]:
        return [process for process in _processes() if process not in self._processes]

    def _new_descriptors(self) -> dict[int, str]:
        return {number: what for number, what in _descriptors().items() if number not in self._descriptors}

    def _new_threads(self) -> list[str]:
        names = [thread.name for thread in threading.enumerate()]
        return names if len(names) > self._threads else []


def _processes() -> list[psutil.Process]:
    """Return all descendants but those that multiprocessing keeps for good."""
    keep = {
        getattr(multiprocessing.forkserver._forkserver, "_forkserver_pid", None),
        getattr(multiprocessing.resource_tracker._resource_tracker, "_pid", None),
    }
    return [process for process in psutil.Process().children(recursive=True) if process.pid not in keep]


def _descriptors() -> dict[int, str]:
    keep = {
        getattr(multiprocessing.forkserver._forkserver, "_forkserver_alive_fd", None),
        getattr(multiprocessing.resource_tracker._resource_tracker, "_fd", None),
    }
    found = {}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        try:
            target = str(Path(f"/proc/self/fd/{name}").readlink())
        except OSError:  # the listing itself
            continue
        if int(name) not in keep and not target.startswith("/dev/"):
            found[int(name)] = target
    return found
