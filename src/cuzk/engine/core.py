"""The engine without IO: each method takes in something that happened and returns what is to be done about it.

What happened becomes events, the events make the world (`world`), the dispatcher decides from the world (`dispatch`).
Messages about leases that are closed, and jobs that are gone, change nothing.
"""

from collections.abc import Iterable, Sequence

from cuzk.engine import events
from cuzk.engine.context import Context
from cuzk.engine.dispatch import Dispatcher
from cuzk.engine.instructions import CancelLease, FinishJob, FinishPreload, Instruction, RecordProof
from cuzk.engine.memory import Memory
from cuzk.engine.processes import Processes
from cuzk.engine.scheduler import Rank
from cuzk.engine.srs import SrsManager
from cuzk.engine.states import JobState
from cuzk.engine.watch import Watch
from cuzk.engine.work import Work
from cuzk.engine.world import Job
from cuzk.filecoin.request import Priority

_NEVER = float("inf")


class Core:
    """All decisions of the engine."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.world = context.world
        critical = {circuit_id for circuit_id, facts in context.circuits.items() if facts.critical}
        self.memory = Memory(context.world, context.emit, context.clock, critical)
        self.processes = Processes(context, self._forget_loaded)
        self.srs = SrsManager(context, self.memory, self.processes)
        self.dispatcher = Dispatcher(context, self.memory, self.processes, self.srs)
        self._watch = Watch(context)
        self._ages = 0

    # Jobs

    def job_checking(
        self,
        job_id: str,
        request_id: str,
        kind: str,
        priority: Priority,
        *,
        attempt: int = 1,
        submitted_at: float | None = None,
        deadline: float | None = None,
    ) -> list[Instruction]:
        """Take a request in; it counts as unfinished from now on."""
        self._emit(
            events.JobChecking(
                at=self._now,
                job_id=job_id,
                request_id=request_id,
                kind=kind,
                priority=int(priority),
                attempt=attempt,
                submitted_at=self._now if submitted_at is None else submitted_at,
                deadline=deadline,
            )
        )
        return self._settle()

    def job_refused(self, job_id: str, reason: str) -> list[Instruction]:
        """Let a request go that did not pass its check, or could not be put on disk."""
        if job_id in self.world.jobs:
            self._emit(events.JobRefused(at=self._now, job_id=job_id, reason=reason))
        self.memory.release(events.Owner("payload", job_id))
        return self._settle()

    def job_queued(
        self, job_id: str, circuit_id: str, partitions: int, proved: dict[int, bytes] | None = None
    ) -> list[Instruction]:
        """Put a checked request in line that is on disk; `proved` are the proofs that the journal had."""
        job = self.world.jobs[job_id]
        if job.state != "checking":
            return self._settle()
        proved = proved or {}
        self._emit(
            events.JobQueued(
                at=self._now, job_id=job_id, circuit_id=circuit_id, partitions=partitions, proved=tuple(sorted(proved))
            )
        )
        self._ages += 1
        rank = Rank(-job.priority, _NEVER if job.deadline is None else job.deadline, self._ages)
        facts = self.context.circuits[circuit_id]
        critical = facts.critical or job.priority >= Priority.CRITICAL
        work = Work(job_id, rank, circuit_id, facts, critical, [proved.get(index) for index in range(partitions)])
        self.dispatcher.add(work)
        self._finish_if_done(work)
        return self._settle()

    def job_failed(self, job_id: str, error: str) -> list[Instruction]:
        """End a job of the journal that cannot be taken up again."""
        self._end_job(job_id, "failed", error)
        return self._settle()

    def cancel(self, job_id: str, reason: str = "cancelled") -> list[Instruction]:
        """End a job that is not wanted any more; work that runs is let go at its next boundary."""
        self._end_job(job_id, "cancelled", reason)
        return self._settle()

    def never_fits(self, circuit_id: str, payload: int, *, critical: bool) -> int | None:
        """Return how much memory a job of this circuit needs if it can never have it, else None."""
        needs = self.context.circuits[circuit_id].needs
        sizes = (self.srs.least_size(circuit_id), needs.circuit, needs.partition, payload)
        return self.memory.never_fits(sizes, critical=critical)

    # Leases

    def synthesized(self, lease_number: int) -> list[Instruction]:
        """Take note that a synthesis process has written an assignment."""
        entry = self.world.ledger.open.get(lease_number)
        if entry is None:
            return self._settle()
        lease = entry.lease
        self.processes.worked(lease.process)
        work = self.dispatcher.works.get(lease.job_id)
        if work is None:
            self._drop(lease)
        else:
            self._emit(events.LeaseEnded(at=self._now, lease=lease.number, result="ok"))
            self.memory.hold(work.owner(lease.partition), work.needs.assignment, critical=work.critical)
            self.dispatcher.ready.add(work.entry(lease.partition))
        return self._settle()

    def started(self, lease_number: int) -> list[Instruction]:
        """Take note that `prove_start` returned: the lane is free, a and b are not needed any more."""
        entry = self.world.ledger.open.get(lease_number)
        if entry is None or entry.finalizing_since is not None:
            return self._settle()
        self._emit(events.LeaseFinalizing(at=self._now, lease=lease_number))
        return self._settle()

    def proved(self, lease_number: int, proof: bytes) -> list[Instruction]:
        """Take a partition's proof, which has verified."""
        entry = self.world.ledger.open.get(lease_number)
        if entry is None:
            return self._settle()
        lease = entry.lease
        self.processes.worked(lease.process)
        self._emit(events.LeaseEnded(at=self._now, lease=lease.number, result="ok"))
        self._lease_closed(lease)
        work = self.dispatcher.works.get(lease.job_id)
        if work is not None:
            work.proofs[lease.partition] = proof
            self.context.instruct(RecordProof(lease.job_id, lease.partition, proof))
            self._finish_if_done(work)
        return self._settle()

    def lease_failed(
        self, lease_number: int, error: str, *, permanent: bool = False, unverified: bool = False
    ) -> list[Instruction]:
        """Take note of a failure; `permanent`: it would fail again, `unverified`: the proof did not verify."""
        entry = self.world.ledger.open.get(lease_number)
        if entry is not None:
            if unverified:
                at, lease = self._now, entry.lease
                self._emit(events.VerifyFailed(at=at, job_id=lease.job_id, partition=lease.partition))
            self._lease_failed(entry.lease, error, permanent=permanent, dead=False)
        return self._settle()

    # Processes and devices

    def device_found(self, device: str, ordinal: int, lanes: Sequence[int]) -> list[Instruction]:
        """Make a device known and start its process."""
        self._emit(events.DeviceFound(at=self._now, device=device, ordinal=ordinal, lanes=tuple(lanes)))
        self.processes.start(device)
        return self._settle()

    def process_up(self, name: str, pid: int) -> list[Instruction]:
        """Take note that a process is ready for work."""
        self.processes.is_up(name, pid)
        return self._settle()

    def process_starting(self, name: str) -> bool:
        """Say whether a process is still to be started, now that its back-off is over."""
        self._watch.heard(name)
        return self.processes.starting(name)

    def heard(self, name: str) -> None:
        """Take note that a process gave a sign of life."""
        self._watch.heard(name)

    def process_died(self, name: str, reason: str) -> list[Instruction]:
        """Take note that a process is gone, and with it what it worked on and what it had loaded."""
        leases = self.world.ledger.of_process(name)
        for lease in leases:
            self._lease_failed(lease, f"{name} died: {reason}", permanent=False, dead=True)
        proof = next((lease for lease in leases if lease.kind == "proof"), None)
        if proof is not None:  # one death is one suspicion, and any partition that was there may cast it
            self.processes.suspect(name, proof.job_id, proof.partition)
        self._forget_loaded(name, reason)
        self.processes.died(name, reason)
        return self._settle()

    def start_process(self, name: str) -> list[Instruction]:
        """Start a process that is neither a device's nor of synthesis (those start by themselves)."""
        self.processes.start(name)
        return self._settle()

    def stop_all(self) -> list[Instruction]:
        """End all processes; unfinished work is left in the journal."""
        self.dispatcher.halted = True
        self.processes.stop_all()
        return self.context.drain()

    # Parameters

    def file_checked(self, circuit_id: str, error: str | None) -> list[Instruction]:
        """Take note that a parameter file was checked."""
        self.srs.file_checked(circuit_id, error)
        if error is not None:
            self._parameters_failed(circuit_id)
        return self._settle()

    def srs_loaded(self, circuit_id: str, device: str, size: int, load_ms: int) -> list[Instruction]:
        """Take note that a device has loaded a circuit's parameters."""
        self.srs.loaded(circuit_id, device, size, load_ms)
        return self._settle()

    def srs_failed(self, circuit_id: str, device: str, error: str) -> list[Instruction]:
        """Take note that a device could not load a circuit's parameters."""
        if self.srs.load_failed(circuit_id, device, error):
            self._parameters_failed(circuit_id)
        return self._settle()

    def preload(self, circuit_id: str) -> list[Instruction]:
        """Have parameters loaded; `FinishPreload` tells when they are."""
        self.dispatcher.preloads.setdefault(circuit_id, self._now)
        return self._settle()

    def evict(self, circuit_id: str) -> tuple[tuple[bool, int], list[Instruction]]:
        """Give parameters back; return whether they were hot and how many bytes are free for it."""
        result = self.srs.evict(circuit_id)
        return result, self._settle()

    # Memory, time

    def take_payload(self, name: str, size: int, *, critical: bool) -> tuple[bool, list[Instruction]]:
        """Claim memory for bytes in flight, beyond what this name holds."""
        owner = events.Owner("payload", name)
        taken = self.memory.take([(owner, size)], self.dispatcher.sources(), critical=critical)
        return taken, self._settle()

    def set_payload(self, name: str, size: int) -> list[Instruction]:
        """Set how much memory a payload takes, now that it is known."""
        self.memory.hold(events.Owner("payload", name), size)
        return self._settle()

    def journal_moved(self, error: str | None) -> list[Instruction]:
        """Take note that the journal could not be written, or can be again."""
        if self.world.journal.error != error:
            self._emit(events.JournalMoved(at=self._now, state="ok" if error is None else "full", error=error))
        return self._settle()

    def tick(self, checks: Iterable[tuple[str, int]] = ()) -> list[Instruction]:
        """Let time pass: waiters are looked at again, what is old is forgotten, devices get their probation.

        Processes that hang are killed; `checks` are the checking processes at work, each with the number of its check.
        """
        self._watch.tick(checks)
        self.processes.tick()
        self.dispatcher.drop_idle_segments()
        settings = self.context.settings
        for job in list(self.world.jobs.values()):
            keep = settings.keep_done if job.state == "done" else settings.keep_failed
            if job.finished_at is not None and self._now - job.finished_at >= keep and not job.leases:
                self._emit(events.JobForgotten(at=self._now, job_id=job.job_id))
        return self._settle()

    # Within

    @property
    def _now(self) -> float:
        return self.context.clock()

    def _emit(self, event: events.Event) -> None:
        self.context.emit(event)

    def _settle(self) -> list[Instruction]:
        self.dispatcher.run()
        return self.context.drain()

    def _lease_failed(self, lease: events.Lease, error: str, *, permanent: bool, dead: bool) -> None:
        work = self.dispatcher.works.get(lease.job_id)
        if lease.kind == "proof":
            self.processes.fault(lease.process, lease.job_id, lease.partition, error, dead=dead)
        if work is None:
            self._drop(lease)
            return
        exhausted = permanent or lease.attempt >= self.context.settings.max_attempts
        self._emit(
            events.LeaseEnded(at=self._now, lease=lease.number, result="failed" if exhausted else "retry", error=error)
        )
        self._lease_closed(lease)
        if exhausted:
            tried = "" if permanent else f" {lease.attempt} times"
            self.processes.job_exhausted(lease.job_id)
            self._end_job(lease.job_id, "failed", f"partition {lease.partition} failed{tried}: {error}")
            return
        if lease.lane is not None:
            work.failed_lanes.setdefault(lease.partition, set()).add(lease.lane)
            if dead:
                work.alone.add(lease.partition)
        self.dispatcher.pending.add(work.entry(lease.partition))

    def _drop(self, lease: events.Lease) -> None:
        job = self.world.jobs[lease.job_id]
        error = "cancelled" if job.state == "cancelled" else "another partition failed"
        self._emit(events.LeaseEnded(at=self._now, lease=lease.number, result="dropped", error=error))
        self._lease_closed(lease)

    def _lease_closed(self, lease: events.Lease) -> None:
        self.dispatcher.release_partition(lease.job_id, lease.partition)
        self.processes.lease_ended(lease.process)
        self._release_payload(self.world.jobs[lease.job_id])

    def _release_payload(self, job: Job) -> None:
        if not job.unfinished and not job.leases:
            self.memory.release(events.Owner("payload", job.job_id))

    def _finish_if_done(self, work: Work) -> None:
        job = self.world.jobs[work.job_id]
        if job.done == len(job.partitions):
            self._end_job(work.job_id, "done", None, work.proof)

    def _end_job(self, job_id: str, state: JobState, error: str | None, proof: bytes = b"") -> None:
        job = self.world.jobs.get(job_id)
        if job is None or not job.unfinished:
            return
        self._emit(events.JobEnded(at=self._now, job_id=job_id, state=state, error=error))
        if state != "done":
            self._abandon(job, "cancelled" if state == "cancelled" else "another partition failed")
        self.dispatcher.remove(job_id)
        self._release_payload(job)
        self.context.instruct(FinishJob(job_id, state, proof, error))

    def _abandon(self, job: Job, error: str) -> None:
        job_id = job.job_id
        for index in [p.index for p in job.partitions if p.state in ("pending", "synth_done")]:
            self._emit(events.PartitionDropped(at=self._now, job_id=job_id, partition=index, error=error))
            self.dispatcher.release_partition(job_id, index)
        for entry in self.world.ledger.open.values():
            if entry.lease.job_id == job_id:
                self.context.instruct(CancelLease(entry.lease))

    def _parameters_failed(self, circuit_id: str) -> None:
        error = f"parameters of {circuit_id}: {self.world.circuit(circuit_id).error}"
        for work in list(self.dispatcher.works.values()):
            if work.circuit_id == circuit_id:
                self._end_job(work.job_id, "failed", error)
        if self.dispatcher.preloads.pop(circuit_id, None) is not None:
            self.context.instruct(FinishPreload(circuit_id, error))

    def _forget_loaded(self, process: str, reason: str) -> None:
        if process not in self.world.devices:
            self.dispatcher.forget_compiled(process)
            return
        for circuit_id in self.srs.device_gone(process, reason):
            self._parameters_failed(circuit_id)
