"""Worker processes as the core sees them: restarts with back-off, and devices put in quarantine.

A device is suspected by each partition that failed on it since its last success, and once by each death of its process,
however many were there. At `fault_limit` suspicions it is quarantined: it gets no work, and after a probation that
doubles each time it is tried again. A partition that fails wherever it goes casts one suspicion together with the rest
of its job, so that one bad job cannot take a device away.
"""

from collections.abc import Callable

from cuzk.engine.context import Context
from cuzk.engine.events import DeviceFault, ProcessMoved
from cuzk.engine.instructions import StartProcess, StopProcess
from cuzk.engine.states import ProcessState

Suspicion = tuple[str, int]
_WHOLE_JOB = -1


class Processes:
    """Starts, restarts and quarantines."""

    def __init__(self, context: Context, on_stopped: Callable[[str, str], None]) -> None:
        self._context = context
        self._on_stopped = on_stopped
        self._deaths: dict[str, int] = {}
        self._suspicions: dict[str, set[Suspicion]] = {}
        self._quarantines: dict[str, int] = {}
        self._probation_at: dict[str, float] = {}

    def up(self, name: str) -> bool:
        """Say whether a process can take work."""
        process = self._context.world.processes.get(name)
        return process is not None and process.state == "up"

    def exists(self, name: str) -> bool:
        """Say whether a process was ever started and is not stopped."""
        process = self._context.world.processes.get(name)
        return process is not None and process.state != "stopped"

    def start(self, name: str) -> None:
        """Start a process for the first time."""
        self._move(name, "starting")
        self._context.instruct(StartProcess(name, 0.0))

    def starting(self, name: str) -> bool:
        """Take note that a back-off is over; False if the process is not to be started any more."""
        state = self._context.world.processes[name].state
        if state == "restarting":
            self._move(name, "starting")
        return state in ("restarting", "starting")

    def is_up(self, name: str, pid: int) -> None:
        """Take note that a process is ready."""
        self._move(name, "up", pid=pid)

    def died(self, name: str, reason: str) -> None:
        """Take note that a process is gone, and have it restarted if it should live."""
        state = self._context.world.processes[name].state
        if state not in ("starting", "up"):
            return
        self._move(name, "restarting", reason=reason)
        settings = self._context.settings
        deaths = self._deaths[name] = self._deaths.get(name, 0) + 1
        delay = min(settings.restart_delay_max, settings.restart_delay * 2 ** min(deaths - 1, 30))
        if len(self._suspicions.get(name, ())) >= settings.fault_limit:
            self._quarantine(name, reason)
        else:
            self._context.instruct(StartProcess(name, delay))

    def worked(self, name: str) -> None:
        """Take note that a process did what it was asked for: its past is forgotten."""
        self._deaths.pop(name, None)
        self._suspicions.pop(name, None)
        self._quarantines.pop(name, None)

    def fault(self, device: str, job_id: str, partition: int, error: str, *, dead: bool) -> None:
        """Take note that a device failed at a partition; `dead`: its process died, which casts no suspicion here."""
        self._context.emit(DeviceFault(at=self._context.clock(), device=device, error=error))
        if dead:
            return
        self.suspect(device, job_id, partition)
        if len(self._suspicions[device]) >= self._context.settings.fault_limit and self.up(device):
            self._quarantine(device, error)

    def suspect(self, device: str, job_id: str, partition: int) -> None:
        """Let a partition cast suspicion on a device."""
        suspicions = self._suspicions.setdefault(device, set())
        if (job_id, _WHOLE_JOB) not in suspicions:
            suspicions.add((job_id, partition))

    def job_exhausted(self, job_id: str) -> None:
        """Take note that a job failed for good: all its suspicions become one."""
        for suspicions in self._suspicions.values():
            mine = {suspicion for suspicion in suspicions if suspicion[0] == job_id}
            if mine:
                suspicions -= mine
                suspicions.add((job_id, _WHOLE_JOB))

    def lease_ended(self, name: str) -> None:
        """Stop a quarantined process once it has no work left."""
        process = self._context.world.processes[name]
        if process.state == "quarantined" and process.pid and not self._context.world.ledger.of_process(name):
            self._stop_quarantined(name)

    def tick(self) -> None:
        """Start devices whose probation has come."""
        now = self._context.clock()
        for name, at in list(self._probation_at.items()):
            if now >= at and not self._context.world.ledger.of_process(name):
                del self._probation_at[name]
                self._suspicions.pop(name, None)
                self._move(name, "starting", reason="on probation")
                self._context.instruct(StartProcess(name, 0.0))

    def stop_all(self) -> None:
        """Stop every process."""
        for name in list(self._context.world.processes):
            if self.exists(name):
                self._move(name, "stopped")
                self._context.instruct(StopProcess(name))
        self._probation_at.clear()

    def _quarantine(self, name: str, error: str) -> None:
        settings = self._context.settings
        times = self._quarantines[name] = self._quarantines.get(name, 0) + 1
        wait = min(settings.probation_max, settings.probation * 2 ** min(times - 1, 30))
        pid = self._context.world.processes[name].pid
        reason = f"{settings.fault_limit} faults without a success, the last: {error}; tried again in {wait:.0f} s"
        self._move(name, "quarantined", pid=pid, reason=reason)
        self._probation_at[name] = self._context.clock() + wait
        self.lease_ended(name)

    def _stop_quarantined(self, name: str) -> None:
        reason = self._context.world.processes[name].reason
        self._move(name, "quarantined", reason=reason)
        self._context.instruct(StopProcess(name))
        self._on_stopped(name, reason or "quarantined")

    def _move(self, name: str, state: ProcessState, *, pid: int | None = None, reason: str | None = None) -> None:
        self._context.emit(ProcessMoved(at=self._context.clock(), process=name, state=state, pid=pid, reason=reason))
