"""What the forkserver imports before it forks workers; nothing else may import this, for it changes signal handling.

The forkserver ignores what ends the engine (a terminal's Ctrl-C and a service manager's SIGTERM go to all processes of
a group): the engine drains, and its workers with it. Libraries that start threads when imported are told not to, since
a fork copies no threads.
"""

import os
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))  # which the engine blocked until now
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from cuzk.engine import worker  # noqa: E402, F401
