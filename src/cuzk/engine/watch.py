"""Worker processes that hang: they do not die, and nothing will come of them any more.

Two things tell. A thread of each worker gives a sign of life every second, whatever the others do, for kernels release
Python's lock: a process without one for `freeze_timeout` is frozen. One whose signs come may still be stuck, in a
kernel, a driver or a deadlock of threads; that looks like a long proof, so only the time that its work takes says so,
and the limits are far beyond what any healthy work takes.

Time in which the engine did not run is nobody's fault, since workers may have been stopped with it: this time passes by
ticks, each at most a second long.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cuzk.engine.context import Context
from cuzk.engine.instructions import KillProcess
from cuzk.engine.world import Process

_LONGEST_TICK = 1.0


class _Task(NamedTuple):
    """What a process does that must end, and how it is known."""

    process: str
    key: tuple[object, ...]
    what: str
    limit: float


class Watch:
    """Has workers killed that hang; what becomes of their work is decided when their death is told."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._time = 0.0
        self._ticked_at = context.clock()
        self._heard: dict[str, float] = {}
        self._begun: dict[tuple[object, ...], float] = {}

    def heard(self, process: str) -> None:
        """Take note of a sign of life, or that a process is being started."""
        self._heard[process] = self._time

    def tick(self, checks: Iterable[tuple[str, int]]) -> None:
        """Look at every process; `checks` are the checking processes at work, each with the number of its check."""
        now = self._context.clock()
        self._time += min(now - self._ticked_at, _LONGEST_TICK)
        self._ticked_at = now
        running = [process for process in self._context.world.processes.values() if _is_running(process)]
        self._heard = {process.name: self._heard.get(process.name, self._time) for process in running}
        tasks = list(self._tasks(running, checks))
        self._begun = {task.key: self._begun.get(task.key, self._time) for task in tasks}
        hung: dict[str, str] = {}
        for task in tasks:
            if 0 < task.limit <= self._time - self._begun[task.key]:
                hung.setdefault(task.process, f"{task.what} took more than {task.limit:g} s")
        limit = self._context.settings.freeze_timeout
        for name, heard in self._heard.items():
            if 0 < limit <= self._time - heard:
                hung[name] = f"it gave no sign of life for {limit:g} s"
        for name, reason in hung.items():
            self._context.instruct(KillProcess(name, f"{reason}, so it was killed"))
            self._heard[name] = self._time  # one that cannot be killed is not killed at every tick
        self._begun |= {task.key: self._time for task in tasks if task.process in hung}

    def _tasks(self, running: Iterable[Process], checks: Iterable[tuple[str, int]]) -> Iterator[_Task]:
        settings, world = self._context.settings, self._context.world
        for process in running:
            if process.state == "starting":
                yield _Task(process.name, ("start", process.name, process.restarts), "its start", settings.load_timeout)
        for circuit in world.circuits.values():
            for device, srs in circuit.srs.items():
                if srs.state == "loading":
                    key = "load", circuit.circuit_id, device, world.processes[device].restarts
                    yield _Task(device, key, f"loading {circuit.circuit_id}", settings.load_timeout)
        for entry in world.ledger.open.values():
            lease = entry.lease
            limit = settings.synthesis_timeout if lease.kind == "synthesis" else settings.proof_timeout
            what = f"the {lease.kind} of partition {lease.partition} of {lease.job_id}"
            yield _Task(lease.process, ("lease", lease.number), what, limit)
        for name, number in checks:
            yield _Task(name, ("check", number), "the check", settings.check_timeout)


def _is_running(process: Process) -> bool:
    """Say whether there should be a process now; one in quarantine may still finish what it has."""
    return process.state in ("starting", "up") or process.pid is not None
