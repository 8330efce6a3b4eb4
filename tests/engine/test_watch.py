"""Processes that hang, in a core without processes: who is killed, when, and who is not."""

import pytest

from tests.engine.simulation import Simulation, settings

TIMES = {"freeze_timeout": 100.0, "synthesis_timeout": 300.0, "proof_timeout": 500.0, "load_timeout": 400.0}


def live(simulation: Simulation, seconds: int, *silent: str, checks: tuple[tuple[str, int], ...] = ()) -> None:
    """Let seconds pass, in each of which every process gives a sign of life but those that are silent."""
    for _ in range(seconds):
        simulation.clock.now += 1.0
        for name in simulation.world.processes:
            if name not in silent:
                simulation.core.heard(name)
        simulation.do(simulation.core.tick(checks))


def killed(simulation: Simulation) -> list[tuple[str, str]]:
    return [(kill.process, kill.reason) for kill in simulation.killed]


def proving() -> Simulation:
    simulation = Simulation(settings(**TIMES))
    simulation.submit("small", 1)
    simulation.prepare()
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    assert simulation.open("proof")
    return simulation


def test_who_is_silent_is_killed_and_its_partition_tried_again() -> None:
    simulation = proving()
    live(simulation, 99, "cpu")
    assert not simulation.killed
    live(simulation, 1, "cpu")
    assert killed(simulation) == [("cpu", "it gave no sign of life for 100 s, so it was killed")]
    simulation.die("cpu", simulation.killed[0].reason)
    partition = simulation.status()["pipelines"][0]["partitions"][0]
    assert (partition["attempt"], partition["error"]) == (2, f"cpu died: {simulation.killed[0].reason}")
    simulation.run()
    assert len(simulation.finished) == 1


def test_who_says_nothing_at_its_start_is_killed() -> None:
    simulation = Simulation(settings(**TIMES))
    simulation.core.process_starting("cpu")
    live(simulation, 100, "cpu")
    assert killed(simulation) == [("cpu", "it gave no sign of life for 100 s, so it was killed")]


def test_a_new_process_has_all_the_time_of_its_predecessor() -> None:
    simulation = proving()
    live(simulation, 99, "cpu")
    simulation.die("cpu")
    simulation.prepare()
    live(simulation, 99, "cpu")
    assert not simulation.killed


@pytest.mark.parametrize(
    ("phase", "seconds", "reason"),
    [
        ("start", 400, "its start took more than 400 s"),
        ("load", 400, "loading small took more than 400 s"),
        ("synthesis", 300, "the synthesis of partition 0 of job 0 took more than 300 s"),
        ("proof", 500, "the proof of partition 0 of job 0 took more than 500 s"),
        ("check", 900, "the check took more than 900 s"),
    ],
)
def test_who_lives_and_does_not_end_is_killed_in_the_end(phase: str, seconds: int, reason: str) -> None:
    simulation = Simulation(settings(**TIMES))
    if phase == "start":
        simulation.core.process_starting("cpu")
    elif phase == "check":
        simulation.bring_up()
    elif phase == "load":
        simulation.bring_up()
        simulation.do(simulation.core.preload("small"))
        simulation.do(simulation.core.file_checked("small", None))
        assert simulation.loads
    elif phase == "synthesis":
        simulation.submit("small", 1)
        simulation.prepare()
    elif phase == "proof":
        simulation = proving()
        live(simulation, 250)
        simulation.do(simulation.core.started(simulation.open("proof")[0].number))
        live(simulation, 250 - 1)
        seconds = 1
    checks = (("check-0", 7),) if phase == "check" else ()
    live(simulation, seconds, checks=checks)
    assert not simulation.killed
    live(simulation, 1, checks=checks)
    assert [reason for _, reason in killed(simulation)] == [f"{reason}, so it was killed"]


def test_who_is_well_is_left_alone_however_long_it_takes() -> None:
    simulation = Simulation(settings())
    simulation.submit("small", 1)
    simulation.prepare()
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    live(simulation, 6 * 3600)
    assert not simulation.killed


def test_nobody_is_killed_where_there_is_no_limit() -> None:
    simulation = Simulation(settings(**dict.fromkeys(TIMES, 0.0)))
    simulation.submit("small", 1)
    simulation.prepare()
    live(simulation, 2000, "cpu", "synthesis-0")
    assert not simulation.killed


def test_time_in_which_the_engine_itself_was_stopped_counts_for_nobody() -> None:
    simulation = proving()
    live(simulation, 1)
    simulation.clock.now += 86400.0
    simulation.do(simulation.core.tick())
    assert not simulation.killed


def test_who_hangs_in_quarantine_is_killed_too() -> None:
    simulation = Simulation(settings(**TIMES, fault_limit=1))
    simulation.submit("small", 4)
    simulation.prepare()
    for lease in simulation.open("synthesis")[:2]:
        simulation.do(simulation.core.synthesized(lease.number))
    first, _second = simulation.open("proof")
    simulation.do(simulation.core.lease_failed(first.number, "the device is broken"))
    assert simulation.world.processes["cpu"].state == "quarantined"
    live(simulation, 101, "cpu")
    assert [name for name, _ in killed(simulation)] == ["cpu"]
    simulation.die("cpu", simulation.killed[0].reason)
    assert not simulation.open("proof")
    live(simulation, 1)
    assert simulation.world.processes["cpu"].state == "starting"  # on probation
