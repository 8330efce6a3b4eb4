"""A daemon in a process of its own, on loopback, with its data in a folder that the caller gives."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from cuzk.errors import CuzkError

_START_SECONDS = 60
_STOP_SECONDS = 30
_HURRY_SECONDS = 0.5  # for what has nothing to drain
_LOG_TAIL = 2000


class DaemonProcess:
    """Runs `cuzk serve --dev-params` while the block runs."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._folder = folder
        self._log = folder / "daemon.log"
        self._arguments = arguments
        self.grpc = ""
        self.panel = ""

    def __enter__(self) -> Self:
        from cuzk.server.run import ENDPOINTS_FILE

        any_port = "127.0.0.1:0"
        command = [sys.executable, "-m", "cuzk", "serve", "--dev-params", "--listen", any_port]
        command += ["--status-listen", any_port, "--data-dir", str(self._folder), *self._arguments]
        with self._log.open("wb") as log:
            # A session of its own: Ctrl-C is for us, who then stop the daemon in order.
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        endpoints = self._folder / ENDPOINTS_FILE
        give_up = time.monotonic() + _START_SECONDS
        try:
            while not endpoints.exists():
                self.check_alive()
                if time.monotonic() > give_up:
                    raise CuzkError(f"the daemon does not serve after {_START_SECONDS} s: {self._tail()}")
                time.sleep(0.02)
        except BaseException:
            self.stop()
            raise
        found = json.loads(endpoints.read_text())
        self.grpc, self.panel = found["grpc"], found["panel"]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        self.stop(drain=kind is None)

    @property
    def pid(self) -> int:
        """The daemon's process id."""
        return self._process.pid

    def check_alive(self) -> None:
        """Raise CuzkError with the end of its log if the daemon has ended."""
        if self._process.poll() is not None:
            raise CuzkError(f"the daemon ended with {self._process.returncode}: {self._tail()}")

    def serve_until_interrupted(self) -> None:
        """Wait for Ctrl-C, or for the daemon to end."""
        print(f"serving at {self.panel} (gRPC {self.grpc}), until Ctrl-C", file=sys.stderr, flush=True)
        try:
            self._process.wait()
        except KeyboardInterrupt:
            return

    def stop(self, *, drain: bool = True) -> int:
        """Ask it to drain and end; after a while, or unless it is to `drain`, insist. Return its exit code.

        Who interrupts this cannot wait: it insists at once, and raises that only when the daemon has ended.
        """
        patience = _STOP_SECONDS if drain else _HURRY_SECONDS
        interrupted: BaseException | None = None
        for number, seconds in (
            (signal.SIGTERM, patience),
            (signal.SIGTERM, _STOP_SECONDS),
            (signal.SIGKILL, _STOP_SECONDS),
        ):
            if self._process.poll() is None:
                os.kill(self._process.pid, number)
                try:
                    self._process.wait(seconds)
                except subprocess.TimeoutExpired:
                    continue
                except (KeyboardInterrupt, SystemExit) as error:
                    interrupted = error
        if interrupted is not None:
            raise interrupted
        return self._process.returncode

    def _tail(self) -> str:
        return self._log.read_text(errors="replace")[-_LOG_TAIL:].strip() or "it wrote nothing"
