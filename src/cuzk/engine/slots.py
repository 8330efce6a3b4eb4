"""What happened lately, summed in slots of equal time, such as the last five minutes in slots of ten seconds."""

from collections import deque
from collections.abc import Iterator


class Slots:
    """Sums of the last `count` slots of `seconds` each; slots begin at multiples of their length."""

    def __init__(self, seconds: float, count: int) -> None:
        self.seconds = seconds
        self.count = count
        self._sums: deque[tuple[int, float]] = deque(maxlen=count)

    def add(self, at: float, amount: float) -> None:
        """Add to the slot of a time, or to the newest slot if that is later."""
        self._add_to(int(at // self.seconds), amount)

    def add_interval(self, start: float, end: float) -> None:
        """Add the seconds of an interval, each to the slot in which it lies."""
        for slot, seconds in self._pieces(start, end):
            self._add_to(slot, seconds)

    def oldest(self, now: float) -> float:
        """Return when the oldest slot began that is kept at `now`."""
        return (int(now // self.seconds) - self.count + 1) * self.seconds

    def read(self, now: float, since: float, running_since: float | None = None) -> list[float]:
        """Return the sums, oldest first, from the slot of `since` to that of `now`; more than `count` are never kept.

        An interval that is still running is counted up to `now`, and not added.
        """
        newest = int(now // self.seconds)
        oldest = max(newest - self.count + 1, int(since // self.seconds))
        sums = dict(self._sums)
        for slot, seconds in () if running_since is None else self._pieces(running_since, now):
            sums[slot] = sums.get(slot, 0.0) + seconds
        return [sums.get(slot, 0.0) for slot in range(oldest, newest + 1)]

    def _add_to(self, slot: int, amount: float) -> None:
        if self._sums and self._sums[-1][0] >= slot:
            slot, total = self._sums.pop()
            amount += total
        self._sums.append((slot, amount))

    def _pieces(self, start: float, end: float) -> Iterator[tuple[int, float]]:
        """Cut an interval at the boundaries of slots; what is too old to be kept is left out."""
        slot = int(max(start, end - self.seconds * self.count) // self.seconds)
        while slot * self.seconds < end:
            begin, finish = max(start, slot * self.seconds), min(end, (slot + 1) * self.seconds)
            if finish > begin:
                yield slot, finish - begin
            slot += 1
