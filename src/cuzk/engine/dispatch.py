"""What happens next: after each stimulus the dispatcher hands out all work that can be handed out.

First lanes take synthesized partitions (they give memory back), then synthesis processes take pending ones, for which
memory is claimed; only pending partitions of a higher priority go before what is synthesized. Threads come from one
budget: each piece of work gets its share of those free now.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from cuzk.engine import events
from cuzk.engine.context import Context, Settings
from cuzk.engine.explain import Explanations, mib
from cuzk.engine.instructions import (
    DropPooled,
    FinishPreload,
    Prove,
    ReleaseSegment,
    Synthesize,
    TrimSegment,
    UnloadCircuit,
)
from cuzk.engine.ledger import Lane
from cuzk.engine.memory import POOL, Claim, Memory, Source
from cuzk.engine.processes import Processes
from cuzk.engine.scheduler import Entry, StageQueue
from cuzk.engine.srs import SrsManager
from cuzk.engine.work import SegmentPool, Work


def _queue(settings: Settings) -> StageQueue:
    max_jobs = settings.max_batch_size if settings.max_batch_size > 1 else 0
    return StageQueue(grouping=settings.sort_by_type, max_delay=settings.max_batch_wait, max_jobs=max_jobs)


@dataclass(frozen=True)
class _Starved:
    """The first partition in line that memory is short for, since when, and how much it needs."""

    entry: Entry
    since: float
    size: int


class Dispatcher:
    """Queues before synthesis and before the device, and who takes from them."""

    def __init__(self, context: Context, memory: Memory, processes: Processes, srs: SrsManager) -> None:
        self._context = context
        self._world = context.world
        self._memory = memory
        self._processes = processes
        self._srs = srs
        settings = context.settings
        self.pending = _queue(settings)
        self.ready = _queue(settings)
        self.works: dict[str, Work] = {}
        self.preloads: dict[str, float] = {}
        self.halted = False
        self._pool = SegmentPool()
        self._trimmed: set[events.Owner] = set()
        self._compiled_used: dict[events.Owner, float] = {}
        self._starved: _Starved | None = None
        self._leases = itertools.count(1)
        self._explanations = Explanations(context)

    # What the core tells

    def add(self, work: Work) -> None:
        """Take a job in: its unproved partitions stand in line for synthesis, its parameters are checked meanwhile."""
        self.works[work.job_id] = work
        self._srs.file_ready(work.circuit_id)
        for index, proof in enumerate(work.proofs):
            if proof is None:
                self.pending.add(work.entry(index))

    def remove(self, job_id: str) -> None:
        """Let a job go that has ended."""
        self.works.pop(job_id, None)
        self.pending.remove_job(job_id)
        self.ready.remove_job(job_id)

    def release_partition(self, job_id: str, partition: int) -> None:
        """Give back what a partition holds; its segment goes to the pool if memory is not short."""
        owner = events.Owner("partition", job_id, partition=partition)
        held = self._memory.held(owner)
        if not held:
            return
        circuit_id = self._world.jobs[job_id].circuit_id or ""
        size = self._context.circuits[circuit_id].needs.assignment
        keep = owner not in self._trimmed and self._starved is None and not self.halted
        self._trimmed.discard(owner)
        self._memory.release(owner)
        if keep:
            self._pool.add(size, self._context.clock())
            self._memory.hold(POOL, self._memory.held(POOL) + size)
        self._context.instruct(ReleaseSegment(job_id, partition, size, keep))
        if not self._world.circuit(circuit_id).refs:
            self._srs.unused(circuit_id)

    def forget_compiled(self, process: str) -> None:
        """Give back what a synthesis process held that is gone."""
        for owner in [o for o in self._world.reservations if o.kind == "circuit" and o.place == process]:
            self._compiled_used.pop(owner, None)
            self._memory.release(owner)

    def drop_idle_segments(self) -> None:
        """Close the free segments that were not used for long."""
        for size in list(self._pool.idle(self._idle_since)):
            self._memory.shrink(POOL, size)
            self._drop_pooled(size)

    # One pass

    def run(self) -> None:
        """Hand out all work that can be handed out."""
        if self.halted:
            return
        self._load_reserved()
        if self.ready.entries:
            self._feed_synthesis(above=self.ready.entries[0].rank.urgency)
        self._feed_devices()
        self._feed_synthesis()
        self._preload()
        self._spread()
        self._explanations.update(self.works, self.pending, self.ready, self._why_pending())

    def _load_reserved(self) -> None:
        for circuit_id in sorted({entry.circuit_id for entry in self.ready.entries}):
            if not self._srs.devices_in(circuit_id, "loading", "hot") and self._srs.file_ready(circuit_id):
                self._srs.load_reserved(circuit_id)

    def _feed_devices(self) -> None:
        while self._free_threads() and (choice := self._next_proof()) is not None:
            entry, lane = choice
            if not self._context.settings.overlap and self._world.ledger.open:
                return
            job = self._world.jobs[entry.job_id]
            threads = self._share(self._context.settings.device_threads)
            lease = events.Lease(
                next(self._leases),
                "proof",
                lane.device,
                lane.worker_id,
                entry.job_id,
                entry.rank.partition,
                job.partitions[entry.rank.partition].attempt,
                threads,
            )
            self.ready.take(entry)
            self._context.emit(events.LeaseTaken(at=self._context.clock(), lease=lease))
            self._context.instruct(Prove(lease, entry.circuit_id))

    def _next_proof(self) -> tuple[Entry, Lane] | None:
        free = [lane for lane in self._up_lanes() if lane.free and not self._is_taken_alone(lane.device)]
        if not free:
            return None
        for entry in self.ready.in_order(self._context.clock()):
            hot = self._srs.devices_in(entry.circuit_id, "hot")
            lanes = [lane for lane in free if lane.device in hot]
            alone = entry.rank.partition in self.works[entry.job_id].alone
            if alone:
                lanes = [lane for lane in lanes if not self._world.ledger.of_process(lane.device)]
            lane = self._choose_lane(entry, lanes, hot)
            if lane is not None:
                return entry, lane
            if alone and hot:
                return None  # a device must become empty for it
        return None

    def _is_taken_alone(self, device: str) -> bool:
        leases = self._world.ledger.of_process(device)
        works = [(lease, self.works.get(lease.job_id)) for lease in leases]
        return any(work is not None and lease.partition in work.alone for lease, work in works)

    def _choose_lane(self, entry: Entry, free: list[Lane], hot: list[str]) -> Lane | None:
        """Return a free lane: of a device on which this did not fail, else one on which it did not, else any."""
        failed = self.works[entry.job_id].failed_lanes.get(entry.rank.partition, set())
        usable = [lane for lane in self._up_lanes() if lane.device in hot]
        failed_devices = {self._world.ledger.lanes[lane].device for lane in failed}
        for good in (
            [lane for lane in usable if lane.device not in failed_devices],
            [lane for lane in usable if lane.worker_id not in failed],
            usable,
        ):
            if good:
                choices = [lane for lane in good if lane in free]
                return min(choices, key=lambda lane: len(lane.finalizing), default=None)
        return None

    def _up_lanes(self) -> Iterator[Lane]:
        return (lane for lane in self._world.ledger.lanes.values() if self._processes.up(lane.device))

    def _feed_synthesis(self, *, above: int | None = None) -> None:
        """Hand pending partitions out, or only those more urgent than `above`."""
        starved = None
        for entry in list(self.pending.in_order(self._context.clock())):
            if above is not None and entry.rank.urgency >= above:
                break
            work = self.works[entry.job_id]
            if self._held_up(work) is not None:
                break
            if not self._srs.file_ready(entry.circuit_id):
                continue
            process = self._idle_process(entry.circuit_id)
            if process is None:
                break
            claims = self._claims(work, entry, process)
            if claims is None:
                continue
            if self._claim(work, claims, entry, process):
                self._synthesize(work, entry, process)
                continue
            size = sum(size for _, size in claims)
            if starved is None:
                starved = _Starved(entry, self._starved_since(entry), size)
            if work.critical or not self._may_backfill(size):
                break
        if starved is None and self._starved is not None and self._starved.entry in self.pending.entries:
            return  # this pass did not get to it
        self._starved = starved

    def _starved_since(self, entry: Entry) -> float:
        if self._starved is not None and self._starved.entry == entry:
            return self._starved.since
        return self._context.clock()

    def _why_pending(self) -> str | None:
        """Return why the first partition in line for synthesis waits."""
        if not self.pending.entries:
            return None
        entry = self.pending.entries[0]
        if (reason := self._held_up(self.works[entry.job_id])) is not None:
            return reason
        if (starved := self._starved) is not None:
            return (
                f"memory: {starved.entry.job_id} [{starved.entry.rank.partition}] is next and needs {mib(starved.size)}"
            )
        if self._idle_process(entry.circuit_id) is None:
            return f"synthesis: all {self._context.settings.synthesis_slots} processes are busy or starting"
        return None

    def _held_up(self, work: Work) -> str | None:
        settings = self._context.settings
        if not self._free_threads():
            return f"threads: all {settings.threads_total} are in use"
        if not settings.overlap and (self._world.ledger.open or self.ready.entries):
            return "pipeline: off, one partition at a time"
        if self._ahead >= self._ahead_limit and not work.critical:
            return f"device: {self._ahead} partitions are ahead of it"
        return None

    @property
    def _ahead(self) -> int:
        return len(self.ready) + len(self._world.ledger.synthesis)

    @property
    def _ahead_limit(self) -> int:
        """Partitions synthesized, or in synthesis, at most: enough for the device while the next ones are made."""
        return (
            self._context.settings.queue_target or len(self._world.ledger.lanes)
        ) + self._context.settings.synthesis_slots

    def _claims(self, work: Work, entry: Entry, process: str) -> list[Claim] | None:
        """Return all that a partition must claim at once; None if no device could take its parameters."""
        srs = self._srs.claims(work.circuit_id)
        if srs is None:
            return None
        claims = list(srs)
        compiled = events.Owner("circuit", work.circuit_id, process)
        if not self._memory.held(compiled) and work.needs.circuit:
            claims.append((compiled, work.needs.circuit))
        if self._pool.has(work.needs.assignment):
            claims.append((POOL, -work.needs.assignment))
        claims.append((work.owner(entry.rank.partition), work.needs.partition))
        return claims

    def _claim(self, work: Work, claims: list[Claim], entry: Entry, process: str) -> bool:
        short = self._memory.short(sum(size for _, size in claims), critical=work.critical) > 0
        starving = self._context.clock() - self._starved_since(entry) >= self._context.settings.eviction_min_idle
        sources = self.sources(starving=starving, keep=work, process=process) if short else []
        return self._memory.take(claims, sources, critical=work.critical)

    def _synthesize(self, work: Work, entry: Entry, process: str) -> None:
        partition = entry.rank.partition
        if self._pool.has(work.needs.assignment):
            self._pool.take(work.needs.assignment)
        self._srs.load_reserved(work.circuit_id)
        self._compiled_used[events.Owner("circuit", work.circuit_id, process)] = self._context.clock()
        lease = events.Lease(
            next(self._leases),
            "synthesis",
            process,
            None,
            work.job_id,
            partition,
            self._world.jobs[work.job_id].partitions[partition].attempt,
            self._share(self._context.settings.synthesis_threads),
        )
        self.pending.take(entry)
        self._context.emit(events.LeaseTaken(at=self._context.clock(), lease=lease))
        self._context.instruct(Synthesize(lease, work.circuit_id, work.needs.assignment))

    def _idle_process(self, circuit_id: str) -> str | None:
        """Return an idle synthesis process, best one that has the circuit compiled; start one more if there is none."""
        names = [f"synthesis-{number}" for number in range(self._context.settings.synthesis_slots)]
        idle = [name for name in names if self._processes.up(name) and name not in self._world.ledger.synthesis]
        for name in idle:
            if self._memory.held(events.Owner("circuit", circuit_id, name)):
                return name
        if not idle:
            fresh = next((name for name in names if not self._processes.exists(name)), None)
            if fresh is not None:
                self._processes.start(fresh)
        return idle[0] if idle else None

    def _may_backfill(self, size: int) -> bool:
        """Say whether others may go first: memory that is in use would not be enough, only idle SRS would."""
        in_flight = sum(held for owner, held in self._world.reservations.items() if owner.kind in ("partition", "pool"))
        return self._memory.short(size, critical=False) > in_flight

    # Preloads and further devices

    def _preload(self) -> None:
        for circuit_id in list(self.preloads):
            if self._srs.devices_in(circuit_id, "hot"):
                del self.preloads[circuit_id]
                self._context.instruct(FinishPreload(circuit_id, None))
                continue
            if not self._srs.file_ready(circuit_id) or self._starved is not None:
                continue
            claims = self._srs.claims(circuit_id)
            critical = self._context.circuits[circuit_id].critical
            if claims is not None and self._memory.take(claims, self.sources(), critical=critical):
                self._srs.load_reserved(circuit_id)

    def _spread(self) -> None:
        """Load circuits with work in line, or that failed somewhere, on further devices, if memory is free for it."""
        if self._starved is not None or len(self._world.devices) < 2:
            return
        in_line = {entry.circuit_id for entry in (*self.ready.entries, *self.pending.entries)}
        failed = {work.circuit_id for work in self.works.values() if work.failed_lanes}
        for circuit_id in sorted(in_line | failed):
            loaded = self._srs.devices_in(circuit_id, "loading", "hot")
            for device in self._world.devices if loaded else ():
                claims = self._srs.claims_on(circuit_id, device)
                if device in loaded or not self._processes.up(device) or not claims:
                    continue
                if self._memory.take(claims, (), critical=self._context.circuits[circuit_id].critical):
                    self._srs.load_reserved(circuit_id)

    # Memory that can be had back

    @property
    def _idle_since(self) -> float:
        return self._context.clock() - self._context.settings.eviction_min_idle

    def sources(self, *, starving: bool = False, keep: Work | None = None, process: str = "") -> list[Source]:
        """Return what can be given back now, in the order in which it should be; not what `keep` will use there."""
        idle_since = self._context.clock() if starving else self._idle_since
        sources = [Source([(POOL, size)], 0.0, partial(self._drop_pooled, size)) for size in self._pool.sizes()]
        if keep is not None and self._pool.has(keep.needs.assignment):
            sources.remove(next(source for source in reversed(sources) if source.size == keep.needs.assignment))
        sources += self._trimmable()
        kept = None if keep is None else events.Owner("circuit", keep.circuit_id, process)
        idle = [source for source in self._idle_compiled(idle_since) if source.owner != kept]
        idle += self._srs.sources(idle_since, None if keep is None else keep.circuit_id)
        return sources + sorted(idle, key=lambda source: source.last_used)

    def _drop_pooled(self, size: int) -> None:
        self._pool.take(size)
        self._context.instruct(DropPooled(size))

    def _trimmable(self) -> Iterator[Source]:
        for lane in self._world.ledger.lanes.values():
            for entry in lane.finalizing.values():
                work = self.works.get(entry.lease.job_id)
                if work is None or work.owner(entry.lease.partition) in self._trimmed:
                    continue
                owner = work.owner(entry.lease.partition)
                tail = work.needs.evaluations
                yield Source([(owner, tail)], 0.0, partial(self._trim, owner, tail))

    def _trim(self, owner: events.Owner, tail: int) -> None:
        self._trimmed.add(owner)
        self._context.instruct(TrimSegment(owner.name, owner.partition or 0, tail))

    def _idle_compiled(self, idle_since: float) -> Iterator[Source]:
        for owner, used in self._compiled_used.items():
            lease = self._world.ledger.synthesis.get(owner.place)
            busy = lease is not None and self._world.jobs[lease.lease.job_id].circuit_id == owner.name
            if used <= idle_since and not busy and self._memory.held(owner):
                yield Source([(owner, self._memory.held(owner))], used, partial(self._unload_compiled, owner))

    def _unload_compiled(self, owner: events.Owner) -> None:
        del self._compiled_used[owner]
        self._context.instruct(UnloadCircuit(owner.name, owner.place))

    # Threads

    def _free_threads(self) -> int:
        return max(0, self._context.settings.threads_total - self._world.ledger.threads_used)

    def _share(self, limit: int) -> int:
        """Return how many of the free threads one piece of work gets, with others that could start now in mind."""
        free = self._free_threads()
        if not self._context.settings.overlap:
            return min(free, limit or free)
        free_lanes = sum(lane.free for lane in self._up_lanes())
        idle_slots = self._context.settings.synthesis_slots - len(self._world.ledger.synthesis)
        room = max(0, self._ahead_limit - self._ahead)
        contenders = min(free_lanes, len(self.ready)) + min(idle_slots, len(self.pending), room)
        return min(limit or free, max(1, free // max(1, contenders)))
