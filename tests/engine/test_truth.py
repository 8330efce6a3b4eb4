"""Truth: whatever happens, in whatever order, no snapshot contradicts itself, and work is neither lost nor doubled.

Starts, ends, late messages of ended leases, retries, deaths, cancels, evictions and the passing of time are interleaved
at random; `Simulation.do` checks a snapshot after each.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from cuzk.filecoin.request import Priority
from tests.engine import simulation as sim
from tests.engine.simulation import MIB, Simulation, proof_of

SNAPSHOTS = {"count": 0}


class Truth(RuleBasedStateMachine):
    """The simulation, driven at random."""

    def __init__(self) -> None:
        super().__init__()
        self.sim = Simulation(sim.settings(memory_total=75 * MIB), devices={"cpu": 2, "gpu": 2})
        self.submitted: dict[str, int] = {}

    def teardown(self) -> None:
        """Let the rest succeed: every job must end, and everything be given back."""
        simulation = self.sim
        for _ in range(400):
            simulation.run()
            if not simulation.core.dispatcher.works:
                break
            simulation.clock.now += 15.0
            simulation.do(simulation.core.tick())
        assert set(simulation.finished) >= set(self.submitted), "a job never ended"
        for job_id, partitions in self.submitted.items():
            finish = simulation.finished[job_id]
            if finish.state == "done":
                assert finish.proof == b"".join(bytes([index]) * 192 for index in range(partitions))
        kinds = {reservation["kind"] for reservation in simulation.status()["memory"]["reservations"]}
        assert kinds <= {"srs", "work", "circuit", "pool"}
        assert not simulation.segments
        assert simulation.world.ledger.threads_used == 0
        records = [(record.job_id, record.partition) for record in simulation.recorded]
        assert len(records) == len(set(records)), "a partition was proved twice"
        SNAPSHOTS["count"] += simulation.snapshots

    @rule(
        circuit=st.sampled_from(sorted(sim.CIRCUITS)),
        partitions=st.integers(1, 5),
        priority=st.sampled_from(Priority),
        deadline=st.none() | st.floats(-5.0, 100.0),
    )
    def submit(self, circuit: str, partitions: int, priority: Priority, deadline: float | None) -> None:
        if len(self.sim.core.dispatcher.works) < 12:
            at = None if deadline is None else self.sim.clock() + deadline
            self.submitted[self.sim.submit(circuit, partitions, priority, deadline=at)] = partitions

    @rule()
    def refuse(self) -> None:
        job_id = f"refused {next(self.sim.names)}"
        self.sim.do(self.sim.core.job_checking(job_id, job_id, "porep-c2", Priority.NORMAL))
        self.sim.do(self.sim.core.job_refused(job_id, "vanilla_proof: empty"))

    @precondition(lambda self: self.sim.to_start)
    @rule(lives=st.booleans())
    def process_starts(self, lives: bool) -> None:
        start = self.sim.to_start.pop(0)
        if self.sim.core.process_starting(start.process):
            if lives:
                self.sim.alive[start.process] = next(self.sim.pids)
                self.sim.do(self.sim.core.process_up(start.process, self.sim.alive[start.process]))
            else:
                self.sim.die(start.process, "exit code 1")

    @precondition(lambda self: self.sim.checks)
    @rule(good=st.integers(0, 9))
    def file_is_checked(self, good: int) -> None:
        self.sim.do(self.sim.core.file_checked(self.sim.checks.pop(0), None if good else "digest differs"))

    @precondition(lambda self: self.sim.loads)
    @rule(data=st.data(), good=st.integers(0, 9))
    def srs_is_loaded(self, data: st.DataObject, good: int) -> None:
        load = self.sim.loads.pop(data.draw(st.integers(0, len(self.sim.loads) - 1)))
        if good:
            size = sim.CIRCUITS[load.circuit_id].needs.parameters
            self.sim.do(self.sim.core.srs_loaded(load.circuit_id, load.device, size, 5))
        else:
            self.sim.do(self.sim.core.srs_failed(load.circuit_id, load.device, "the device is out of memory"))

    @precondition(lambda self: self.sim.leases)
    @rule(data=st.data(), outcome=st.sampled_from(["on", "on", "on", "on", "fail", "unverified", "permanent"]))
    def work_moves_on(self, data: st.DataObject, outcome: str) -> None:
        lease = data.draw(st.sampled_from([todo.lease for todo in self.sim.leases.values()]))
        self.message(lease, outcome)

    @precondition(lambda self: self.sim.closed)
    @rule(data=st.data(), outcome=st.sampled_from(["on", "start", "fail", "unverified"]))
    def a_message_comes_too_late(self, data: st.DataObject, outcome: str) -> None:
        before = self.sim.status()
        self.message(data.draw(st.sampled_from(self.sim.closed)), outcome)
        assert self.sim.status() == before

    def message(self, lease: Any, outcome: str) -> None:
        core = self.sim.core
        if outcome == "permanent" and lease.kind == "synthesis":
            self.sim.do(core.lease_failed(lease.number, "the witness does not satisfy", permanent=True))
        elif outcome in ("fail", "permanent"):
            self.sim.do(core.lease_failed(lease.number, "out of memory"))
        elif outcome == "unverified" and lease.kind == "proof":
            self.sim.do(core.lease_failed(lease.number, "the proof did not verify", unverified=True))
        elif lease.kind == "synthesis":
            self.sim.do(core.synthesized(lease.number))
        elif outcome == "start" or lease.number not in self.sim.started:
            self.sim.started.add(lease.number)
            self.sim.do(core.started(lease.number))
        else:
            self.sim.do(core.proved(lease.number, proof_of(lease)))

    @precondition(lambda self: self.sim.alive)
    @rule(data=st.data())
    def process_dies(self, data: st.DataObject) -> None:
        self.sim.die(data.draw(st.sampled_from(sorted(self.sim.alive))))

    @precondition(lambda self: self.submitted)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        self.sim.do(self.sim.core.cancel(data.draw(st.sampled_from(sorted(self.submitted)))))

    @rule(circuit=st.sampled_from(sorted(sim.CIRCUITS)))
    def preload(self, circuit: str) -> None:
        self.sim.do(self.sim.core.preload(circuit))

    @rule(circuit=st.sampled_from(sorted(sim.CIRCUITS)))
    def evict(self, circuit: str) -> None:
        self.sim.do(self.sim.core.evict(circuit)[1])

    @rule(seconds=st.sampled_from([0.01, 1.0, 15.0, 100.0]))
    def time_passes(self, seconds: float) -> None:
        self.sim.clock.now += seconds
        self.sim.do(self.sim.core.tick())

    @rule(name=st.sampled_from(["a", "b"]), size=st.integers(0, 40 * MIB))
    def payload_arrives_and_goes(self, name: str, size: int) -> None:
        taken, todo = self.sim.core.take_payload(name, size, critical=False)
        self.sim.do(todo)
        memory = self.sim.status()["memory"]
        assert not taken or memory["used_bytes"] <= memory["total_bytes"]
        self.sim.do(self.sim.core.set_payload(name, 0))


LIMITS: dict[str, Any] = {
    "deadline": None,
    "stateful_step_count": 60,
    "suppress_health_check": list(HealthCheck),
    "print_blob": True,
    "phases": [Phase.explicit, Phase.generate],  # shrinking sixty interleaved steps takes longer than reading them
}


def test_no_snapshot_lies() -> None:
    run_state_machine_as_test(Truth, settings=settings(max_examples=40, **LIMITS))


@pytest.mark.full
def test_no_snapshot_of_100_000_lies() -> None:
    SNAPSHOTS["count"] = 0
    while SNAPSHOTS["count"] < 100_000:
        run_state_machine_as_test(Truth, settings=settings(max_examples=500, database=None, **LIMITS))
    print(f"{SNAPSHOTS['count']} snapshots held, in process {os.getpid()}")
