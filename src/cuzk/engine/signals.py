"""The signals that end an engine: a terminal and a service manager send them to all of its processes."""

import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ignore_ending() -> None:
    """Leave it to the engine when its other processes go."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
