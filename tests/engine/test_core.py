"""The core: what goes when, and what becomes of failures."""

import pytest

from cuzk.engine import instructions as do
from cuzk.filecoin.request import Priority
from tests.engine.simulation import CIRCUITS, MIB, Simulation, proof_of, settings


def test_a_job_is_proved_in_the_order_of_its_partitions() -> None:
    simulation = Simulation()
    job_id = simulation.submit("small", 10)
    simulation.run()
    finish = simulation.finished[job_id]
    assert finish.state == "done"
    assert finish.proof == b"".join(bytes([index]) * 192 for index in range(10))
    assert [record.partition for record in simulation.recorded] == list(range(10))
    assert simulation.status()["counters"]["total_completed"] == 1


def test_the_oldest_job_finishes_first() -> None:
    simulation = Simulation()
    first, second = simulation.submit("small", 16), simulation.submit("small", 16)
    while first not in simulation.finished:
        simulation.step()
    second_done = simulation.world.jobs[second].done
    assert second_done == 0


def test_critical_overtakes_before_synthesis_and_before_the_device() -> None:
    simulation = Simulation(settings(threads_total=1, synthesis_slots=1))
    simulation.submit("small", 16)
    for _ in range(3):
        simulation.step()
    winning = simulation.submit("winning", 1, Priority.CRITICAL)
    simulation.prepare()
    running = len(simulation.leases)
    assert running == 1  # one thread: one piece of work
    simulation.step()  # the next stage boundary
    assert [lease.job_id for lease in simulation.open("synthesis")] == [winning]
    simulation.step()
    simulation.prepare()
    assert [lease.job_id for lease in simulation.open("proof")] == [winning]


def test_a_deadline_goes_before_age_inside_a_priority() -> None:
    simulation = Simulation(settings(threads_total=1))
    simulation.submit("small", 1)
    simulation.submit("small", 1)
    late = simulation.submit("small", 1, deadline=simulation.clock() + 90)
    soon = simulation.submit("small", 1, deadline=simulation.clock() + 60)
    order = []
    simulation.prepare()
    while len(order) < 4:
        order += [lease.job_id for lease in simulation.open("synthesis") if lease.job_id not in order]
        simulation.step()
    assert order[:2] == [soon, late]


def test_equal_circuits_go_together_but_pass_others_only_for_a_while() -> None:
    simulation = Simulation(settings(threads_total=1, synthesis_slots=1, max_batch_wait=5.0))
    first = simulation.submit("small", 2)
    other = simulation.submit("big", 1)
    same = [simulation.submit("small", 1) for _ in range(3)]
    order: list[str] = []

    def follow() -> None:
        simulation.prepare()
        order.extend(lease.job_id for lease in simulation.open("proof") if lease.job_id not in order)
        simulation.step()

    while same[0] not in order:
        follow()
    assert order == [first, same[0]]
    simulation.clock.now += 6.0
    while other not in order:
        follow()
    assert order[:4] in ([first, same[0], other], [first, same[0], same[1], other])  # one was synthesized already


def test_without_overlap_one_partition_goes_at_a_time() -> None:
    simulation = Simulation(settings(overlap=False))
    simulation.submit("small", 4)
    simulation.submit("winning", 1, Priority.CRITICAL)
    simulation.prepare()
    most = 0
    while simulation.step():
        most = max(most, len(simulation.leases) + sum(len(simulation.core.dispatcher.ready.entries) for _ in (0,)))
    assert most == 1
    assert len(simulation.finished) == 2


def test_threads_are_shared_and_never_overcommitted() -> None:
    simulation = Simulation(settings(threads_total=4))
    simulation.submit("small", 1)
    simulation.prepare()
    assert [lease.threads for lease in simulation.open("synthesis")] == [4]
    simulation.run()
    simulation.submit("small", 10)
    simulation.prepare()
    assert sum(lease.threads for lease in simulation.open("synthesis")) <= 4
    assert len(simulation.open("synthesis")) == 3


def test_a_failed_partition_is_tried_on_another_device_then_lane_and_at_most_three_times() -> None:
    simulation = Simulation(devices={"cpu": 2, "gpu": 2})
    job_id = simulation.submit("small", 1)
    lanes = []
    for _ in range(3):
        simulation.prepare()
        while not simulation.open("proof"):
            simulation.step()
        lease = simulation.open("proof")[0]
        lanes.append((lease.process, lease.lane))
        simulation.do(simulation.core.started(lease.number))
        simulation.do(simulation.core.lease_failed(lease.number, "the proof did not verify", unverified=True))
    finish = simulation.finished[job_id]
    assert finish.state == "failed"
    assert finish.error == "partition 0 failed 3 times: the proof did not verify"
    assert lanes[0][0] != lanes[1][0]
    assert len(set(lanes)) == 3
    assert simulation.status()["counters"]["verify_failures"] == 3


def test_one_failed_partition_fails_its_job_and_gives_everything_back() -> None:
    simulation = Simulation()
    job_id = simulation.submit("small", 6)
    for _ in range(4):
        simulation.step()
    simulation.prepare()
    lease = simulation.open("synthesis")[0]
    simulation.do(simulation.core.lease_failed(lease.number, "vanilla proof does not decode", permanent=True))
    assert simulation.finished[job_id].error == f"partition {lease.partition} failed: vanilla proof does not decode"
    simulation.run()
    kinds = {r["kind"] for r in simulation.status()["memory"]["reservations"]}
    assert kinds <= {"srs", "work", "circuit", "pool"}
    assert not simulation.segments


def test_a_late_finalizer_does_not_free_a_busy_lane() -> None:
    simulation = Simulation(settings(threads_total=8), devices={"cpu": 1})
    simulation.submit("small", 4)
    simulation.prepare()
    for lease in simulation.open("synthesis"):
        simulation.do(simulation.core.synthesized(lease.number))
    simulation.prepare()
    first = simulation.open("proof")[0]
    simulation.do(simulation.core.started(first.number))
    second = simulation.open("proof")[1]
    worker = simulation.status()["gpu_workers"][0]
    assert (worker["current_partition"], [f["partition"] for f in worker["finalizing"]]) == (
        second.partition,
        [first.partition],
    )
    simulation.do(simulation.core.proved(first.number, proof_of(first)))
    worker = simulation.status()["gpu_workers"][0]
    assert worker["state"] == "proving"
    assert worker["current_partition"] == second.partition
    simulation.do(simulation.core.proved(first.number, proof_of(first)))  # once more, too late
    simulation.do(simulation.core.lease_failed(first.number, "too late"))
    assert simulation.status()["gpu_workers"][0]["current_partition"] == second.partition


def test_a_dead_device_costs_its_partitions_one_attempt_and_its_parameters_are_loaded_again() -> None:
    simulation = Simulation(settings(threads_total=8))
    job_id = simulation.submit("small", 4)
    simulation.prepare()
    for lease in simulation.open("synthesis"):
        simulation.do(simulation.core.synthesized(lease.number))
    proving = {lease.partition for lease in simulation.open("proof")}
    assert len(proving) == 2
    simulation.die("cpu")
    status = simulation.status()
    attempts = {p["index"]: p["attempt"] for p in status["pipelines"][0]["partitions"]}
    assert attempts == {index: 2 if index in proving else 1 for index in range(4)}
    assert status["devices"][0]["state"] == "restarting"
    assert status["devices"][0]["reason"] == "signal 9"
    simulation.run()
    assert simulation.finished[job_id].state == "done"
    assert simulation.status()["counters"]["partition_retries"] == 2


def test_restarts_are_backed_off() -> None:
    simulation = Simulation()
    delays = []
    for _ in range(12):
        delays.append(simulation.to_start[0].delay)
        simulation.bring_up()
        simulation.die("cpu")
    assert delays[:4] == [0.0, 0.2, 0.4, 0.8]
    assert delays[-1] == 60.0


def test_a_device_with_repeated_faults_is_quarantined_and_probed_again() -> None:
    simulation = Simulation(settings(max_attempts=9), devices={"gpu": 1, "cpu": 1})
    job_id = simulation.submit("small", 8)
    while simulation.status()["devices"][0]["state"] != "quarantined":
        simulation.prepare()
        for lease in list(simulation.open("proof")):
            if lease.process == "gpu":
                simulation.do(simulation.core.lease_failed(lease.number, "driver error"))
        simulation.step()
    device = simulation.status()["devices"][0]
    assert "3 faults" in device["reason"]
    assert "driver error" in device["reason"]
    simulation.run()
    assert simulation.finished[job_id].state == "done"
    simulation.clock.now += 11.0
    simulation.do(simulation.core.tick())
    assert simulation.status()["devices"][0]["state"] == "starting"
    simulation.prepare()
    assert simulation.status()["devices"][0]["state"] == "ok"


def test_one_death_is_one_suspicion_whoever_was_there() -> None:
    simulation = Simulation(settings(threads_total=8, device_threads=1))
    simulation.submit("small", 4)
    for _ in range(2):  # two lanes, each with one that it finishes and one that it proves
        simulation.prepare()
        for lease in simulation.open("synthesis"):
            simulation.do(simulation.core.synthesized(lease.number))
        for lease in simulation.open("proof")[:2]:
            simulation.do(simulation.core.started(lease.number))
    assert len(simulation.open("proof")) == 4
    simulation.die("cpu")
    assert simulation.status()["devices"][0]["state"] == "restarting"
    assert simulation.status()["devices"][0]["faults"] == 4


def test_one_bad_job_does_not_take_a_device_away() -> None:
    simulation = Simulation(devices={"cpu": 1})
    for _ in range(2):
        job_id = simulation.submit("small", 1)
        while job_id not in simulation.finished:
            while not simulation.open("proof"):
                simulation.step()
            simulation.die("cpu", "signal 11")
        assert "signal 11" in (simulation.finished[job_id].error or "")
    assert simulation.status()["devices"][0]["state"] == "restarting"


def test_cancel_lets_go_at_once_of_what_waits_and_at_the_boundary_of_what_runs() -> None:
    simulation = Simulation()
    job_id = simulation.submit("small", 8)
    for _ in range(3):
        simulation.step()
    simulation.prepare()
    running = {lease.partition for lease in [*simulation.open("synthesis"), *simulation.open("proof")]}
    simulation.do(simulation.core.cancel(job_id))
    assert simulation.finished[job_id].state == "cancelled"
    states = {p["index"]: (p["state"], p["error"]) for p in simulation.status()["pipelines"][0]["partitions"]}
    for index, (state, error) in states.items():
        if index not in running and state != "done":
            assert (state, error) == ("failed", "cancelled")
    simulation.run()
    assert not simulation.segments
    assert {p["state"] for p in simulation.status()["pipelines"][0]["partitions"]} <= {"done", "failed"}
    assert not [r for r in simulation.status()["memory"]["reservations"] if r["kind"] in ("partition", "payload")]


def test_finished_jobs_are_forgotten_after_a_while() -> None:
    simulation = Simulation()
    done = simulation.submit("small", 1)
    simulation.run()
    cancelled = simulation.submit("small", 1)
    simulation.do(simulation.core.cancel(cancelled))
    simulation.run()
    for later, left in ((29, {done, cancelled}), (2, {cancelled}), (240, {cancelled}), (30, set())):
        simulation.clock.now += later
        simulation.do(simulation.core.tick())
        assert {job["job_id"] for job in simulation.status()["pipelines"]} == left


def test_proofs_of_the_journal_are_not_made_again() -> None:
    simulation = Simulation()
    simulation.do(simulation.core.job_checking("old", "old", "snap-update", Priority.NORMAL))
    simulation.do(simulation.core.job_queued("old", "small", 3, {0: b"0" * 192, 2: b"2" * 192}))
    simulation.run()
    assert [record.partition for record in simulation.recorded] == [1]
    assert simulation.finished["old"].proof == b"0" * 192 + bytes([1]) * 192 + b"2" * 192


def test_bad_parameters_fail_their_own_jobs_only() -> None:
    simulation = Simulation()
    bad, good = simulation.submit("big", 4), simulation.submit("small", 4)
    simulation.bring_up()
    while simulation.checks:
        circuit_id = simulation.checks.pop()
        simulation.do(simulation.core.file_checked(circuit_id, "digest differs" if circuit_id == "big" else None))
    simulation.run()
    assert simulation.finished[bad].error == "parameters of big: digest differs"
    assert simulation.finished[good].state == "done"
    srs = {entry["circuit_id"]: entry for entry in simulation.status()["allocations"]["srs"]}
    assert (srs["big"]["state"], srs["big"]["error"]) == ("failed", "digest differs")
    repaired = simulation.submit("big", 1)
    simulation.run()
    assert simulation.finished[repaired].state == "done"


def test_parameters_that_kill_the_device_process_fail_their_jobs() -> None:
    simulation = Simulation()
    job_id = simulation.submit("small", 1)
    while job_id not in simulation.finished:
        simulation.bring_up()
        while simulation.checks:
            simulation.do(simulation.core.file_checked(simulation.checks.pop(), None))
        for lease in simulation.open("synthesis"):
            simulation.do(simulation.core.synthesized(lease.number))
        if simulation.loads:
            simulation.die("cpu", "signal 11")
    assert "loading it killed cpu 3 times" in (simulation.finished[job_id].error or "")


def test_loading_is_single_flight_and_blocks_no_other_circuit() -> None:
    simulation = Simulation(settings(memory_total=1000 * MIB, threads_total=8, synthesis_slots=4))
    big, small = simulation.submit("big", 4), simulation.submit("small", 4)
    loads: dict[str, do.LoadSrs] = {}

    def all_but_loads() -> None:
        for _ in range(20):
            simulation.bring_up()
            while simulation.checks:
                simulation.do(simulation.core.file_checked(simulation.checks.pop(), None))
            for load in simulation.loads:
                assert loads.setdefault(load.circuit_id, load) is load, "loaded twice"
            for lease in simulation.open("synthesis"):
                simulation.do(simulation.core.synthesized(lease.number))

    all_but_loads()
    assert set(loads) == {"big", "small"}
    simulation.do(simulation.core.srs_loaded("small", "cpu", 10 * MIB, 5))
    all_but_loads()
    assert {lease.job_id for lease in simulation.open("proof")} == {small}
    simulation.do(simulation.core.srs_loaded("big", "cpu", 30 * MIB, 5))
    simulation.loads.clear()
    simulation.run()
    assert {simulation.finished[job_id].state for job_id in (big, small)} == {"done"}


def test_preload_and_evict_are_real() -> None:
    simulation = Simulation()
    simulation.bring_up()
    simulation.do(simulation.core.preload("small"))
    simulation.load()
    assert simulation.preloaded == [do.FinishPreload("small", None)]
    tiers = {entry["circuit_id"]: entry["tier"] for entry in simulation.status()["allocations"]["srs"]}
    assert tiers == {"small": "hot"}
    result, todo = simulation.core.evict("small")
    assert result == (True, CIRCUITS["small"].needs.parameters + MIB)
    assert do.UnloadSrs("small", "cpu") in todo
    simulation.do(todo)
    assert simulation.status()["memory"]["used_bytes"] == 0
    assert simulation.status()["allocations"]["srs"][0]["tier"] == "warm"
    assert simulation.core.evict("small")[0] == (False, 0)


def test_what_is_in_use_is_not_evicted() -> None:
    simulation = Simulation()
    simulation.submit("small", 4)
    simulation.step()
    assert simulation.core.evict("small")[0] == (True, 0)


@pytest.mark.parametrize("state", ["checking", "queued", "running"])
def test_a_job_can_be_cancelled_in_every_state(state: str) -> None:
    simulation = Simulation()
    simulation.do(simulation.core.job_checking("x", "x", "snap-update", Priority.NORMAL))
    if state != "checking":
        simulation.do(simulation.core.job_queued("x", "small", 2))
    if state == "running":
        simulation.prepare()
    assert simulation.world.jobs["x"].state == state
    simulation.do(simulation.core.cancel("x"))
    simulation.do(simulation.core.job_queued("x", "small", 2))  # what was under way arrives too late
    assert simulation.status()["pipelines"][0]["state"] == "cancelled"
    simulation.run()
    assert simulation.finished["x"].state == "cancelled"


def test_after_a_death_those_who_were_there_are_proved_alone() -> None:
    simulation = Simulation(settings(threads_total=8), devices={"cpu": 2})
    bad, good = simulation.submit("small", 1), simulation.submit("small", 4)
    while bad not in simulation.finished or good not in simulation.finished:
        simulation.prepare()
        for lease in simulation.open("synthesis"):
            simulation.do(simulation.core.synthesized(lease.number))
        proving = simulation.open("proof")
        if any(lease.job_id == bad for lease in proving):
            simulation.die("cpu")
        for lease in [lease for lease in proving if lease.number in simulation.world.ledger.open]:
            simulation.do(simulation.core.started(lease.number))
            simulation.do(simulation.core.proved(lease.number, proof_of(lease)))
    assert simulation.finished[bad].error == "partition 0 failed 3 times: cpu died: signal 9"
    assert simulation.finished[good].state == "done"
    good_job = next(job for job in simulation.status()["pipelines"] if job["job_id"] == good)
    assert max(p["attempt"] for p in good_job["partitions"]) <= 2
