"""Who works on what. A worker is busy if, and only if, the ledger holds a lease of it.

A lease is ended by its own number and by nothing else: a late message about an earlier lease of the same worker, or of
an earlier attempt at the same partition, finds its number gone and changes nothing.
"""

from collections import deque
from dataclasses import dataclass, field

from cuzk.engine.events import Lease
from cuzk.engine.slots import Slots

UTILISATION_WINDOW = 60.0
HISTORY_SLOT = 10.0
HISTORY_SLOTS = 30


@dataclass(slots=True)
class OpenLease:
    """A lease and when its phases began."""

    lease: Lease
    since: float
    finalizing_since: float | None = None


@dataclass(slots=True)
class Lane:
    """One worker of a device: at most one lease before `prove_start` has returned, any number after it."""

    worker_id: int
    device: str
    since: float
    current: OpenLease | None = None
    finalizing: dict[int, OpenLease] = field(default_factory=dict)
    finished: int = 0
    last_error: str | None = None
    _busy: deque[tuple[float, float]] = field(default_factory=deque)
    _slots: Slots = field(default_factory=lambda: Slots(HISTORY_SLOT, HISTORY_SLOTS))

    @property
    def free(self) -> bool:
        """It may take a partition: a lane has two at most, one that it proves and one that it finishes, or both."""
        return self.current is None and len(self.finalizing) < 2

    def became_free(self, start: float, end: float) -> None:
        """Account for an interval in which this lane was proving."""
        self._busy.append((start, end))
        self._slots.add_interval(start, end)
        while self._busy and self._busy[0][1] < end - UTILISATION_WINDOW:
            self._busy.popleft()

    def utilisation(self, now: float) -> float:
        """Return the share of the last minute (or of its life, if shorter) in which this lane was proving."""
        begin = max(now - UTILISATION_WINDOW, self.since)
        busy = sum(end - max(start, begin) for start, end in self._busy if end > begin)
        if self.current is not None:
            busy += now - max(self.current.since, begin)
        return min(1.0, busy / (now - begin)) if now > begin else 0.0

    def history(self, now: float) -> list[float]:
        """Return the share of each slot of the last five minutes in which it was proving, oldest first."""
        running = None if self.current is None else self.current.since
        return [min(1.0, busy / HISTORY_SLOT) for busy in self._slots.read(now, self.since, running)]


class Ledger:
    """All open leases, by number, by lane and by synthesis process."""

    def __init__(self) -> None:
        self.open: dict[int, OpenLease] = {}
        self.lanes: dict[int, Lane] = {}
        self.synthesis: dict[str, OpenLease] = {}
        self.threads_used = 0

    def add_lane(self, worker_id: int, device: str, at: float) -> None:
        """Make a lane known."""
        self.lanes[worker_id] = Lane(worker_id, device, at)

    def take(self, lease: Lease, at: float) -> None:
        """Open a lease; the worker must be free."""
        entry = OpenLease(lease, at)
        if lease.lane is None:
            if lease.process in self.synthesis:
                raise RuntimeError(f"{lease.process} holds lease {self.synthesis[lease.process].lease} already")
            self.synthesis[lease.process] = entry
        else:
            lane = self.lanes[lease.lane]
            if lane.current is not None:
                raise RuntimeError(f"worker {lane.worker_id} holds lease {lane.current.lease} already")
            lane.current = entry
        self.open[lease.number] = entry
        self.threads_used += lease.threads

    def finalize(self, number: int, at: float) -> None:
        """Free the lane of a lease whose device work is done; the lease itself goes on."""
        entry = self.open[number]
        if entry.lease.lane is None or entry.finalizing_since is not None:
            raise RuntimeError(f"lease {entry.lease} has no device work to end")
        lane = self.lanes[entry.lease.lane]
        lane.became_free(entry.since, at)
        lane.current = None
        entry.finalizing_since = at
        lane.finalizing[number] = entry

    def end(self, number: int, at: float) -> OpenLease:
        """Close a lease and free what it holds."""
        entry = self.open.pop(number)
        self.threads_used -= entry.lease.threads
        if entry.lease.lane is None:
            del self.synthesis[entry.lease.process]
            return entry
        lane = self.lanes[entry.lease.lane]
        if entry.finalizing_since is None:
            lane.became_free(entry.since, at)
            lane.current = None
        else:
            del lane.finalizing[number]
        return entry

    def of_process(self, process: str) -> list[Lease]:
        """Return the open leases of one process, oldest first."""
        return [entry.lease for entry in self.open.values() if entry.lease.process == process]
