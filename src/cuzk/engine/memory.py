"""One memory budget over everything: SRS, compiled circuits, partitions, payloads in flight, the segment pool.

Nothing holds memory while it waits for more: what a partition needs is taken all at once, its SRS and compiled circuit
included. What is short is found, in this order, in free segments, in the a and b of partitions whose device work is
done, and in SRS and compiled circuits that nobody uses, the least recently used first. Those must have been idle for
`min_idle`, unless who asks has itself waited that long.

CRITICAL jobs have a standing reserve, less what they hold already: the others never touch it.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from cuzk.engine.events import Event, Owner, Reserved, StandingReserve
from cuzk.engine.world import World

POOL = Owner("pool", "segments")

Claim = tuple[Owner, int]


@dataclass(frozen=True)
class Source:
    """Memory that can be had back: how much of whose reservations, and what to do for it."""

    claims: Sequence[Claim]
    last_used: float
    free: Callable[[], None]

    @property
    def owner(self) -> Owner:
        """The first of the owners."""
        return self.claims[0][0]

    @property
    def size(self) -> int:
        """All of it."""
        return sum(size for _, size in self.claims)


class Memory:
    """Takes from and gives to the budget; all changes are events."""

    def __init__(
        self,
        world: World,
        emit: Callable[[Event], None],
        clock: Callable[[], float],
        critical_circuits: Container[str] = (),
    ) -> None:
        self._world = world
        self._critical_circuits = critical_circuits
        self._emit = emit
        self._clock = clock
        self.critical_need = 0
        """The standing reserve when CRITICAL jobs hold nothing."""
        self._critical_owners: set[Owner] = set()

    @property
    def total(self) -> int:
        """The budget."""
        return self._world.memory_total

    def keep_for_critical(self, need: int) -> None:
        """Set the standing reserve, at most a quarter of the budget, so that other work always has most of it."""
        self.critical_need = min(need, self.total // 4)
        self._update_reserve()

    def never_fits(self, sizes: Sequence[int], *, critical: bool) -> int | None:
        """Return how many bytes these need if that is more than there will ever be, else None."""
        need = sum(sizes)
        ceiling = self.total - (0 if critical else self.critical_need)
        return need if need > ceiling else None

    def held(self, owner: Owner) -> int:
        """Return what an owner holds."""
        return self._world.reservations.get(owner, 0)

    def short(self, size: int, *, critical: bool) -> int:
        """Return how many bytes are missing for a claim of this size; negative if it fits."""
        ceiling = self.total - (0 if critical else self._world.standing_reserve)
        return self._world.memory_used + size - ceiling

    def take(self, claims: Sequence[Claim], sources: Sequence[Source], *, critical: bool) -> bool:
        """Take all claims at once, freeing sources in their order if that gives enough; else change nothing.

        A claim of negative size gives back, as when a partition takes a segment of the pool over.
        """
        short = self.short(sum(size for _, size in claims), critical=critical)
        chosen: list[Source] = []
        for source in sources:
            if short <= 0:
                break
            if source.owner in self._critical_owners and not critical:
                continue  # what CRITICAL gives back goes to its reserve
            chosen.append(source)
            short -= source.size
        if short > 0:
            return False
        for source in chosen:
            for owner, size in source.claims:
                self.shrink(owner, size)
            source.free()
        for owner, size in claims:
            self.hold(owner, self.held(owner) + size, critical=critical)
        return True

    def hold(self, owner: Owner, size: int, *, critical: bool = False) -> None:
        """Set what an owner holds; for what is known to fit, shrinks, or is there already whatever the budget says."""
        if size == self.held(owner):
            return
        shared = owner.kind in ("srs", "work", "circuit")
        if size and (owner.name in self._critical_circuits if shared else critical):
            self._critical_owners.add(owner)
        elif not size:
            self._critical_owners.discard(owner)
        self._emit(Reserved(at=self._clock(), owner=owner, size=size))
        self._update_reserve()

    def shrink(self, owner: Owner, size: int) -> None:
        """Give back so many bytes of what an owner holds."""
        self.hold(owner, self.held(owner) - size, critical=owner in self._critical_owners)

    def release(self, owner: Owner) -> None:
        """Give back all that an owner holds."""
        self.hold(owner, 0)

    def _update_reserve(self) -> None:
        held = sum(self._world.reservations.get(owner, 0) for owner in self._critical_owners)
        reserve = max(0, self.critical_need - held)
        if reserve != self._world.standing_reserve:
            self._emit(StandingReserve(at=self._clock(), size=reserve))
