"""The order in which partitions go: before synthesis, and before the device.

Rank is (priority, deadline if given, age of the job, partition): inside a class the oldest job goes first, so that
jobs finish one after the other instead of advancing together. With grouping on, partitions of the circuit that went
last may pass older ones of the same priority, but no job is passed for longer than `max_delay`.
"""

import bisect
from collections.abc import Iterator
from typing import NamedTuple


class Rank(NamedTuple):
    """Smaller goes first."""

    urgency: int
    """The negated priority."""
    deadline: float
    """Infinity without one."""
    age: int
    """Number of the job, counted from the start."""
    partition: int = -1


class Entry(NamedTuple):
    """One partition in line."""

    rank: Rank
    job_id: str
    circuit_id: str


class StageQueue:
    """The partitions in line before one stage."""

    def __init__(self, *, grouping: bool, max_delay: float, max_jobs: int) -> None:
        self.entries: list[Entry] = []
        self._grouping = grouping
        self._max_delay = max_delay
        self._max_jobs = max_jobs
        """At most so many jobs of one circuit in a row, while another waits; 0 is no limit."""
        self._group: str | None = None
        self._group_jobs: set[str] = set()
        self._passed_since: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, entry: Entry) -> None:
        """Put a partition in line."""
        bisect.insort(self.entries, entry)

    def take(self, entry: Entry) -> None:
        """Take a partition out of line, to be worked on."""
        self.remove(entry)
        self._passed_since.pop(entry.job_id, None)
        if entry.circuit_id != self._group:
            self._group = entry.circuit_id
            self._group_jobs = set()
        self._group_jobs.add(entry.job_id)

    def remove(self, entry: Entry) -> None:
        """Take a partition out of line."""
        position = bisect.bisect_left(self.entries, entry)
        if position == len(self.entries) or self.entries[position] != entry:
            raise KeyError(f"{entry} is not in line")
        del self.entries[position]

    def remove_job(self, job_id: str) -> list[Entry]:
        """Take all partitions of a job out of line and return them."""
        gone = [entry for entry in self.entries if entry.job_id == job_id]
        self.entries = [entry for entry in self.entries if entry.job_id != job_id]
        self._passed_since.pop(job_id, None)
        return gone

    def in_order(self, now: float) -> Iterator[Entry]:
        """Yield the partitions in the order in which they should go; the queue must not change meanwhile."""
        mates = self._mates(now)
        if not mates:
            yield from self.entries
            return
        yield from mates
        passed = set(mates)
        yield from (entry for entry in self.entries if entry not in passed)

    def _mates(self, now: float) -> list[Entry]:
        """Return the partitions of the last circuit that may pass the first in line."""
        if not self._grouping or not self.entries or self._group in (None, self.entries[0].circuit_id):
            return []
        head = self.entries[0]
        mates = [e for e in self.entries if e.rank.urgency == head.rank.urgency and e.circuit_id == self._group]
        if self._max_jobs and len(self._group_jobs) >= self._max_jobs:
            mates = [entry for entry in mates if entry.job_id in self._group_jobs]
        if not mates:
            return []
        since = self._passed_since.setdefault(head.job_id, now)
        return mates if now - since < self._max_delay else []
