"""What the forkserver imports before it forks workers; nothing else may import this, for it changes signal handling.

The forkserver ignores what ends the engine: the engine drains, and its workers with it. Libraries that start threads
when imported are told not to, since a fork copies no threads.
"""

import os
import signal

from cuzk.engine.signals import ENDING, ignore_ending

ignore_ending()
signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)  # which the engine blocked until now
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from cuzk.engine import worker  # noqa: E402, F401
