"""The daemon that `cuzk demo` starts ends with it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from cuzk.cli.daemon_process import DaemonProcess
with DaemonProcess(Path(sys.argv[1])) as daemon:
    print(daemon.pid, flush=True)
    os.kill(daemon.pid, signal.SIGSTOP)  # it does not end when it is asked to
    raise KeyboardInterrupt
"""


def test_who_interrupts_again_and_again_leaves_no_daemon(tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        try:
            while process.returncode is None:
                try:
                    process.wait(0.2)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGINT)
            assert process.returncode == -signal.SIGINT
            assert not psutil.pid_exists(pid)
        finally:
            if psutil.pid_exists(pid):
                os.kill(pid, signal.SIGKILL)
