"""The snapshot: complete, in the Rust daemon's words, and true to the moment."""

from tests.engine.simulation import Simulation, settings

RUST_KEYS = {
    "": {"uptime_secs", "memory", "synthesis", "pipelines", "gpu_workers", "allocations", "counters", "buffers"},
    "memory": {"total_bytes", "used_bytes", "available_bytes"},
    "synthesis": {"max_concurrent", "active"},
    "pipelines": {"job_id", "proof_kind", "started_secs_ago", "total_partitions", "partitions_done", "partitions"},
    "pipelines.partitions": {"index", "state", "synth_ms", "gpu_ms"},
    "gpu_workers": {"worker_id", "gpu_ordinal", "state", "current_job", "current_partition", "busy_secs"},
    "allocations": {"srs", "pce"},
    "allocations.srs": {"circuit_id", "bytes", "last_used_secs_ago", "evictable"},
    "allocations.pce": {"circuit_id", "bytes", "last_used_secs_ago", "evictable"},
    "counters": {"total_completed", "total_failed", "completed_by_kind", "failed_by_kind", "queue_depth"},
    "buffers": {"synth_in_flight", "provers_in_flight", "aux_in_flight", "shells_in_flight", "pending_handles"},
}


def test_every_key_of_the_rust_daemon_is_there() -> None:
    simulation = Simulation()
    simulation.submit("small", 4)
    for _ in range(3):
        simulation.step()
    status = simulation.status()
    for path, keys in RUST_KEYS.items():
        value = status
        for part in filter(None, path.split(".")):
            value = value[part]
            value = value[0] if isinstance(value, list) else value
        assert keys <= set(value), path


def test_running_values_run_and_final_values_stay() -> None:
    simulation = Simulation(settings(threads_total=1))
    simulation.submit("small", 2)
    simulation.prepare()
    simulation.clock.now += 2.0
    first, second = simulation.status()["pipelines"][0]["partitions"]
    assert (first["synth_ms"], first["gpu_ms"], second["synth_ms"]) == (2000, None, None)
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    simulation.clock.now += 1.0
    first = simulation.status()["pipelines"][0]["partitions"][0]
    assert (first["state"], first["synth_ms"], first["gpu_ms"]) == ("gpu", 2000, 1000)
    simulation.clock.now += 1.0
    assert simulation.status()["pipelines"][0]["partitions"][0]["gpu_ms"] == 2000


def test_a_partition_says_what_it_waits_for() -> None:
    simulation = Simulation(settings(threads_total=8, synthesis_slots=1, synthesis_threads=2))
    simulation.submit("small", 3)
    waits = [p["waits_for"] for p in simulation.status()["pipelines"][0]["partitions"]]
    assert waits == ["parameters: the file of small is being checked"] * 3
    simulation.prepare()
    waits = [p["waits_for"] for p in simulation.status()["pipelines"][0]["partitions"]]
    assert waits == [None, *["synthesis: all 1 processes are busy or starting"] * 2]
    simulation.die("cpu")
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    waits = [p["waits_for"] for p in simulation.status()["pipelines"][0]["partitions"]]
    assert waits[0] == "device: none is ready (cpu is restarting)"


def test_what_waits_for_memory_says_how_much() -> None:
    simulation = Simulation(settings(memory_total=17 << 20))
    simulation.submit("small", 4)
    simulation.prepare()
    waits = {p["waits_for"] for p in simulation.status()["pipelines"][0]["partitions"]}
    assert waits == {None, "memory: job 0 [1] is next and needs 4.0 MiB"}


def test_parameters_never_used_lie_idle_since_the_start() -> None:
    simulation = Simulation(settings())
    simulation.clock.now += 5.0
    simulation.submit("small", 1)
    (srs,) = simulation.status()["allocations"]["srs"]
    assert srs["last_used_secs_ago"] == 5.0


def test_utilisation_is_the_share_of_the_last_minute_by_intervals() -> None:
    simulation = Simulation(settings(threads_total=1), devices={"cpu": 1})
    simulation.clock.now += 1000.0
    simulation.submit("small", 1)
    simulation.prepare()
    simulation.do(simulation.core.synthesized(simulation.open("synthesis")[0].number))
    simulation.clock.now += 15.0
    assert simulation.status()["gpu_workers"][0]["utilisation"] == 0.25
    simulation.step()
    simulation.clock.now += 15.0
    assert simulation.status()["gpu_workers"][0]["utilisation"] == 0.25
    simulation.clock.now += 37.5
    assert simulation.status()["gpu_workers"][0]["utilisation"] == 0.125
    simulation.clock.now += 60.0
    assert simulation.status()["gpu_workers"][0]["utilisation"] == 0.0
