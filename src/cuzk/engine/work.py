"""What the core knows of unfinished jobs beyond what is shown: their order, their needs, their proofs so far."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cuzk.engine.context import CircuitFacts
from cuzk.engine.events import Owner
from cuzk.engine.kinds import Needs
from cuzk.engine.scheduler import Entry, Rank


@dataclass
class Work:
    """One job in the pipeline."""

    job_id: str
    rank: Rank
    circuit_id: str
    facts: CircuitFacts
    critical: bool
    proofs: list[bytes | None]
    failed_lanes: dict[int, set[int]] = field(default_factory=dict)
    """Lanes on which a partition failed, by partition."""
    alone: set[int] = field(default_factory=set)
    """Partitions that were in a device process when it died: the next time nothing else is, so that it is known who
    ended it, and no other job suffers for it twice."""

    @property
    def needs(self) -> Needs:
        """What each of its partitions takes."""
        return self.facts.needs

    def entry(self, partition: int) -> Entry:
        """Return a partition's place in line."""
        return Entry(self.rank._replace(partition=partition), self.job_id, self.circuit_id)

    def owner(self, partition: int) -> Owner:
        """Return whose memory it is."""
        return Owner("partition", self.job_id, partition=partition)

    @property
    def proof(self) -> bytes:
        """All proofs, in the order of their partitions; every one must be there."""
        return b"".join(proof for proof in self.proofs if proof is not None)


class SegmentPool:
    """Sizes of the free segments, and since when they are free; the segments themselves are the shell's."""

    def __init__(self) -> None:
        self._free: list[tuple[int, float]] = []

    def add(self, size: int, now: float) -> None:
        """Take in a segment."""
        self._free.append((size, now))

    def has(self, size: int) -> bool:
        """Say whether there is one of exactly this size."""
        return any(free == size for free, _ in self._free)

    def take(self, size: int) -> None:
        """Take one of this size out, the one that was used last."""
        for position in range(len(self._free) - 1, -1, -1):
            if self._free[position][0] == size:
                del self._free[position]
                return
        raise KeyError(f"no free segment of {size} bytes")

    def idle(self, since: float) -> Sequence[int]:
        """Return the sizes of those free since then, the longest idle first."""
        return [size for size, free_since in self._free if free_since <= since]

    def sizes(self) -> Iterable[int]:
        """Return all sizes, the longest idle first."""
        return [size for size, _ in self._free]
