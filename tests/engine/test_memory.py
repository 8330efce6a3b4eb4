"""The budget: what is taken, by whom, and what is given back for it."""

from cuzk.engine import instructions as do
from cuzk.engine.context import Settings
from cuzk.filecoin.request import Priority
from tests.engine.simulation import CIRCUITS, MIB, Simulation, settings


def make(total: int, **changes: object) -> Simulation:
    return Simulation(settings(memory_total=total * MIB, threads_total=8, **changes))


def held(simulation: Simulation) -> dict[str, int]:
    """Return MiB by kind and name."""
    sums: dict[str, int] = {}
    for reservation in simulation.status()["memory"]["reservations"]:
        name = f"{reservation['kind']} {reservation['name']}"
        sums[name] = sums.get(name, 0) + reservation["bytes"] // MIB
    return sums


def test_a_partition_takes_all_it_needs_at_once_or_nothing() -> None:
    simulation = make(49)  # big: SRS 30, work on the lanes 4, circuit 5, segment 8, synthesis 2
    simulation.submit("big", 2)
    simulation.prepare()
    assert held(simulation) == {"srs big": 30, "work big": 4, "circuit big": 5, "partition job 0": 10}
    simulation = make(48)
    simulation.submit("big", 2)
    simulation.prepare()
    assert held(simulation) == {}
    assert (
        simulation.status()["pipelines"][0]["partitions"][0]["waits_for"]
        == "memory: job 0 [0] is next and needs 49.0 MiB"
    )


def test_memory_goes_down_stage_by_stage() -> None:
    simulation = make(100)
    simulation.submit("big", 1)
    simulation.prepare()
    partition = "partition job 0"
    assert held(simulation)[partition] == 10
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    assert held(simulation)[partition] == 8
    lease = simulation.open("proof")[0]
    simulation.do(simulation.core.started(lease.number))
    assert held(simulation)[partition] == 8  # nobody waits for a and b
    simulation.do(simulation.core.proved(lease.number, b"p" * 192))
    assert held(simulation) == {"srs big": 30, "work big": 4, "circuit big": 5, "pool segments": 8}


def test_a_and_b_are_given_back_when_somebody_waits() -> None:
    simulation = make(52)
    simulation.submit("big", 2)
    simulation.prepare()
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    todo = simulation.core.started(simulation.open("proof")[0].number)
    assert not [one for one in todo if isinstance(one, do.TrimSegment)]  # 39 + 4 + 10 is still too much
    simulation.do(todo)
    simulation = make(53)
    simulation.submit("big", 2)
    simulation.prepare()
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    todo = simulation.core.started(simulation.open("proof")[0].number)
    assert [one for one in todo if isinstance(one, do.TrimSegment)] == [do.TrimSegment("job 0", 0, 4 * MIB)]
    simulation.do(todo)
    assert held(simulation)["partition job 0"] == 4 + 10


def test_segments_are_used_again_and_closed_when_memory_is_short_or_they_are_idle() -> None:
    simulation = make(60)
    simulation.submit("small", 1)
    simulation.run()
    assert held(simulation)["pool segments"] == 2
    simulation.submit("small", 1)
    simulation.prepare()
    assert "pool segments" not in held(simulation)
    simulation.run()
    assert simulation.pooled == [2 * MIB]
    simulation.clock.now += 21.0
    simulation.do(simulation.core.tick())
    assert simulation.pooled == []
    assert "pool segments" not in held(simulation)


def test_idle_parameters_are_evicted_for_who_waits_least_recently_used_first_once_they_are_old_enough() -> None:
    simulation = make(62)
    for circuit in ("small", "winning"):
        simulation.submit(circuit, 1)
        simulation.run()
        simulation.clock.now += 5.0
    simulation.submit("big", 1)
    simulation.run()
    assert "job 2" not in simulation.finished  # 49 are needed, 62 - 12 - 6 are there
    simulation.clock.now += 11.0  # small is idle for 21 seconds, winning for 16
    simulation.do(simulation.core.tick())
    simulation.run()
    assert simulation.finished["job 2"].state == "done"
    assert "srs winning" in held(simulation)
    assert "srs small" not in held(simulation)


def test_what_is_in_use_is_never_evicted() -> None:
    simulation = make(60)
    simulation.submit("small", 1)
    simulation.prepare()
    simulation.clock.now += 100.0
    simulation.submit("big", 1)
    simulation.do(simulation.core.tick())
    assert "srs small" in held(simulation)
    simulation.run()
    assert {finish.state for finish in simulation.finished.values()} == {"done"}


def test_critical_jobs_have_a_reserve_that_others_never_touch() -> None:
    simulation = make(60)
    simulation.core.memory.keep_for_critical(8 * MIB)  # winning: SRS 4, work 1, circuit 1, partition 2
    assert simulation.status()["memory"]["critical_reserve_bytes"] == 8 * MIB
    simulation.submit("big", 4)
    simulation.prepare()
    assert held(simulation) == {"srs big": 30, "work big": 4, "circuit big": 5, "partition job 0": 10}
    winning = simulation.submit("winning", 1, Priority.CRITICAL)
    simulation.prepare()
    assert [lease.job_id for lease in simulation.open("synthesis")] == ["job 0", winning]
    assert simulation.status()["memory"]["critical_reserve_bytes"] == 0
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[1].number))
    lease = next(lease for lease in simulation.open("proof") if lease.job_id == winning)
    simulation.do(simulation.core.started(lease.number))
    simulation.do(simulation.core.proved(lease.number, b"p" * 192))
    assert simulation.status()["memory"]["critical_reserve_bytes"] == 2 * MIB  # its SRS and circuit are there


def test_the_reserve_is_at_most_a_quarter() -> None:
    simulation = make(64)
    simulation.core.memory.keep_for_critical(60 * MIB)
    assert simulation.status()["memory"]["critical_reserve_bytes"] == 16 * MIB


def test_the_first_in_line_gets_memory_first() -> None:
    simulation = make(89, synthesis_slots=3, synthesis_threads=2)
    simulation.do(simulation.core.preload("small"))
    simulation.prepare()
    simulation.submit("big", 1)
    simulation.prepare()
    waiting = simulation.submit("big", 2)
    simulation.submit("small", 1)  # it would fit, and is not let by: what is in use will do for the first in line
    simulation.prepare()
    memory = simulation.status()["memory"]
    assert memory["available_bytes"] == 14 * MIB  # 15 for a big one, 4 for a small one
    synthesizing = [lease.job_id for lease in simulation.open("synthesis")]
    assert synthesizing == ["job 0", waiting]
    assert held(simulation)["partition job 1"] == 10
    assert "partition job 2" not in held(simulation)


def test_never_fits_counts_all_that_a_job_needs() -> None:
    simulation = make(64)
    needs = CIRCUITS["big"].needs
    total = needs.parameters + 4 * needs.work + needs.circuit + needs.partition
    assert simulation.core.never_fits("big", 64 * MIB - total, critical=False) is None
    assert simulation.core.never_fits("big", 64 * MIB - total + 1, critical=False) == 64 * MIB + 1
    simulation.core.memory.keep_for_critical(10 * MIB)
    assert simulation.core.never_fits("big", 64 * MIB - total, critical=False) == 64 * MIB
    assert simulation.core.never_fits("big", 64 * MIB - total, critical=True) is None


def test_defaults_are_those_of_the_rust_daemon() -> None:
    defaults = Settings(memory_total=1, threads_total=1, synthesis_slots=1)
    assert (defaults.eviction_min_idle, defaults.max_batch_wait, defaults.sort_by_type) == (300.0, 10.0, True)
