"""What must hold in every snapshot, whatever happened before; works on the JSON alone, as a client sees it."""

import json
from collections import Counter
from typing import Any

PARTITION_STATES = {"pending", "synthesizing", "synth_done", "gpu", "done", "failed"}
JOB_STATES = {"checking", "queued", "running", "done", "failed", "cancelled"}


def check(status: dict[str, Any]) -> None:
    """Raise AssertionError if one snapshot contradicts itself."""
    partitions = [(job["job_id"], p) for job in status["pipelines"] for p in job["partitions"]]
    in_gpu = Counter((job_id, p["index"]) for job_id, p in partitions if p["state"] == "gpu")
    current = Counter()
    finalizing = Counter()
    for worker in status["gpu_workers"]:
        holds = worker["current_job"], worker["current_partition"], worker["busy_secs"]
        assert worker["state"] in ("idle", "proving")
        assert (worker["state"] == "idle") == all(value is None for value in holds), worker
        assert (worker["state"] == "proving") == all(value is not None for value in holds), worker
        if worker["state"] == "proving":
            current[holds[:2]] += 1
        for entry in worker["finalizing"]:
            finalizing[entry["job_id"], entry["partition"]] += 1
        assert 0.0 <= worker["utilisation"] <= 1.0
    # Every partition in gpu is the current one of exactly one busy worker, or stands in exactly one `finalizing`.
    assert in_gpu == current + finalizing, (in_gpu, current, finalizing)
    assert not in_gpu or max(in_gpu.values()) == 1, in_gpu
    for job_id, p in partitions:
        if p["state"] == "gpu":
            workers = [w for w in status["gpu_workers"] if w["worker_id"] == p["worker_id"]]
            assert len(workers) == 1
            held = [(workers[0]["current_job"], workers[0]["current_partition"])]
            held += [(f["job_id"], f["partition"]) for f in workers[0]["finalizing"]]
            assert (job_id, p["index"]) in held

    synthesizing = sorted((job_id, p["index"]) for job_id, p in partitions if p["state"] == "synthesizing")
    at_work = [w for w in status["synthesis"]["workers"] if w["state"] == "synthesizing"]
    assert status["synthesis"]["active"] == len(synthesizing) == len(at_work)
    assert sorted((w["current_job"], w["current_partition"]) for w in at_work) == synthesizing
    assert status["synthesis"]["active"] <= status["synthesis"]["max_concurrent"]

    memory = status["memory"]
    assert memory["used_bytes"] == sum(r["bytes"] for r in memory["reservations"])
    assert all(r["bytes"] > 0 for r in memory["reservations"]), memory
    assert memory["available_bytes"] == max(0, memory["total_bytes"] - memory["used_bytes"])
    assert 0 <= status["threads"]["used"] <= status["threads"]["total"]
    # A partition holds memory exactly while it is between its first claim and its end.
    holding = {(r["name"], r["partition"]) for r in memory["reservations"] if r["kind"] == "partition"}
    assert holding == {
        (job_id, p["index"]) for job_id, p in partitions if p["state"] in ("synthesizing", "synth_done", "gpu")
    }

    for job in status["pipelines"]:
        states = Counter(p["state"] for p in job["partitions"])
        assert job["state"] in JOB_STATES
        assert set(states) <= PARTITION_STATES
        assert job["partitions_done"] == states["done"]
        assert job["total_partitions"] == len(job["partitions"])
        assert [p["index"] for p in job["partitions"]] == list(range(len(job["partitions"])))
        assert (job["finished_secs_ago"] is not None) == (job["state"] in ("done", "failed", "cancelled"))
        if job["state"] == "done":
            assert states["done"] == job["total_partitions"] > 0
        if job["state"] in ("failed", "cancelled"):
            assert not states["pending"] + states["synth_done"], job
            assert job["error"]
        if job["state"] in ("checking", "queued"):
            assert not set(states) - {"pending", "done"}
    ids = [job["job_id"] for job in status["pipelines"]]
    assert len(ids) == len(set(ids))

    unfinished = Counter(j["proof_kind"] for j in status["pipelines"] if j["finished_secs_ago"] is None)
    assert {
        q["proof_kind"]: q["pending"] + q["in_progress"] for q in status["queues"] if q["pending"] + q["in_progress"]
    } == dict(unfinished)
    counters = status["counters"]
    assert counters["total_completed"] == sum(counters["completed_by_kind"].values())
    assert counters["total_failed"] == sum(counters["failed_by_kind"].values())
    assert all(value >= 0 for value in status["buffers"].values())
    for srs in status["allocations"]["srs"]:
        assert srs["evictable"] == (srs["refs"] == 0)
        assert srs["state"] != "hot" or srs["bytes"] > 0


def check_after(before: dict[str, Any] | None, after: dict[str, Any]) -> None:
    """Check a snapshot, and that it may follow an earlier one of the same boot: counters never go down."""
    check(after)
    if before is None or before["boot_id"] != after["boot_id"]:
        return
    for name, value in before["counters"].items():
        if isinstance(value, int) and name != "queue_depth":
            assert after["counters"][name] >= value, name
        elif isinstance(value, dict):
            assert all(after["counters"][name][kind] >= count for kind, count in value.items()), name
    order = [job["job_id"] for job in before["pipelines"]]
    still = [job["job_id"] for job in after["pipelines"]]
    assert [job for job in order if job in still] == [job for job in still if job in order], "jobs changed places"


def parse(data: bytes) -> dict[str, Any]:
    """Parse what `/status` answers."""
    parsed: dict[str, Any] = json.loads(data)
    return parsed
