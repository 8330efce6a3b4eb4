"""Status snapshots for the panel, in the engine's schema, each the picture of one situation."""

from typing import Any

Snapshot = dict[str, Any]

GIB = 1 << 30
BOOT = "6f1c2a90-7d0e-4a51-9a52-0d6b3c1f77aa"
NOW = 1_760_000_000.0
STATES = {"p": "pending", "s": "synthesizing", "r": "synth_done", "g": "gpu", "d": "done", "f": "failed"}


def partitions(pattern: str, lanes: dict[int, int] | None = None, **waits: str) -> list[dict[str, Any]]:
    """One partition a letter of `pattern`; `lanes` has the lane of those in `gpu`, `waits` says why a letter waits."""
    rows = []
    for index, letter in enumerate(pattern):
        begun = letter in "srgdf"
        rows.append(
            {
                "index": index,
                "state": STATES[letter],
                "synth_ms": 1800 + 37 * index if begun else None,
                "gpu_ms": 587 + 11 * index if letter in "gd" else None,
                "attempt": 1,
                "worker_id": (lanes or {}).get(index) if letter == "g" else 0 if letter == "d" else None,
                "worker": None,
                "error": None,
                "waits_for": waits.get(letter),
            }
        )
    return rows


def job(job_id: str, kind: str, circuit: str, parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A job of these partitions, running unless `more` says otherwise."""
    return {
        "job_id": job_id,
        "request_id": job_id,
        "proof_kind": kind,
        "circuit_id": circuit,
        "state": "running",
        "priority": "NORMAL",
        "attempt": 1,
        "submitted_secs_ago": 62.0,
        "started_secs_ago": 41.2,
        "finished_secs_ago": None,
        "deadline_in_secs": None,
        "error": None,
        "queue_wait_ms": 20_800,
        "total_ms": 62_000,
        "total_partitions": len(parts),
        "partitions_done": sum(part["state"] == "done" for part in parts),
        "partitions": parts,
        **more,
    }


def lane(worker_id: int, device: str, job_id: str | None = None, partition: int | None = None, **more: Any) -> Snapshot:
    """A lane of a device, proving when it has a job."""
    return {
        "worker_id": worker_id,
        "gpu_ordinal": 0,
        "state": "proving" if job_id else "idle",
        "current_job": job_id,
        "current_partition": partition,
        "busy_secs": 0.587 if job_id else None,
        "device": device,
        "pid": 4100 + worker_id,
        "finalizing": [],
        "utilisation": 0.0,
        "history": [0.0] * 30,
        "finished": 312,
        "last_error": None,
        **more,
    }


def device(ident: str, name: str, **more: Any) -> Snapshot:
    """A device that answers every question."""
    return {
        "id": ident,
        "ordinal": 0,
        "name": name,
        "kind": "opencl",
        "state": "ok",
        "reason": None,
        "pid": 4090,
        "restarts": 0,
        "faults": 0,
        "memory_total_bytes": 24 * GIB,
        "memory_free_bytes": int(5.8 * GIB),
        "temperature_c": 71,
        "utilisation": 0.96,
        "unknown": {},
        **more,
    }


def gpu(ordinal: int, name: str | None, **more: Any) -> Snapshot:
    """A GPU whose driver answers every question."""
    return {
        "ordinal": ordinal,
        "name": name,
        "memory_total_bytes": 24 * GIB,
        "memory_free_bytes": int(5.8 * GIB),
        "temperature_c": 71.0,
        "utilisation": 0.96,
        "unknown": {},
        **more,
    }


def srs(circuit: str, size: float, **more: Any) -> Snapshot:
    """Loaded parameters of `size` GiB."""
    return {
        "circuit_id": circuit,
        "bytes": int(size * GIB),
        "last_used_secs_ago": 0.0,
        "evictable": False,
        "tier": "hot",
        "refs": 2,
        "state": "hot",
        "error": None,
        "load_ms": 31_400,
        **more,
    }


def synth_worker(number: int, job_id: str | None = None, partition: int | None = None, **more: Any) -> Snapshot:
    """A synthesis process, at work when it has a job."""
    return {
        "worker_id": f"S{number}",
        "pid": 4200 + number,
        "state": "synthesizing" if job_id else "idle",
        "current_job": job_id,
        "current_partition": partition,
        "busy_secs": 1.8 if job_id else None,
        "restarts": 0,
        "last_error": None,
        **more,
    }


def idle() -> Snapshot:
    """A daemon that has nothing to do."""
    return {
        "uptime_secs": 11_520.0,
        "boot_id": BOOT,
        "host": "gpu-03",
        "state": "serving",
        "state_reason": None,
        "time": NOW,
        "versions": {"cuzk": "0.1.0", "python": "3.11.2", "numpy": "2.4.6"},
        "dev_params": False,
        "memory": {
            "total_bytes": 400 * GIB,
            "used_bytes": 0,
            "available_bytes": 400 * GIB,
            "critical_reserve_bytes": GIB,
            "reservations": [],
        },
        "synthesis": {"max_concurrent": 8, "active": 0, "workers": [synth_worker(n) for n in range(3)]},
        "threads": {"total": 96, "used": 0},
        "pipelines": [],
        "recent": [],
        "throughput": {
            "slot_secs": 30.0,
            "span_secs": 590.0,
            "jobs_completed": [0] * 20,
            "partitions_proved": [0] * 20,
        },
        "gpu_workers": [lane(0, "GPU0"), lane(1, "GPU0")],
        "devices": [device("GPU0", "NVIDIA RTX 4090", utilisation=0.0, memory_free_bytes=23 * GIB, temperature_c=38)],
        "allocations": {"srs": [], "pce": []},
        "counters": {
            "total_completed": 0,
            "total_failed": 0,
            "total_cancelled": 0,
            "refused": 0,
            "partitions_proved": 0,
            "partition_retries": 0,
            "worker_deaths": 0,
            "verify_failures": 0,
            "completed_by_kind": {},
            "failed_by_kind": {},
            "queue_depth": 0,
        },
        "queues": [
            {"proof_kind": kind, "pending": 0, "in_progress": 0}
            for kind in ("winning-post", "window-post", "porep-c2", "snap-update")
        ],
        "buffers": dict.fromkeys(
            ("synth_in_flight", "provers_in_flight", "aux_in_flight", "shells_in_flight", "pending_handles"), 0
        ),
        "journal": {"state": "ok", "error": None},
        "gpus": {"found": [], "unknown": "no NVIDIA driver: Driver Not Loaded"},
    }


def ended(job_id: str, kind: str, circuit: str, secs_ago: float, total_ms: int, **more: Any) -> Snapshot:
    """A job that ended well unless `more` says otherwise."""
    return {
        "job_id": job_id,
        "proof_kind": kind,
        "circuit_id": circuit,
        "state": "done",
        "attempt": 1,
        "error": None,
        "finished_secs_ago": secs_ago,
        "total_ms": total_ms,
        **more,
    }


SNAP = "ps-snap-1004-7731-88213"
POREP = "porep-1000-42"
MEMORY_WAIT = "memory: needs 9.0 GiB, 3.1 GiB free"


def busy() -> Snapshot:
    """Two sectors in the pipeline, one WinningPoSt overtaking them, others waiting."""
    shot = idle()
    snap = job(
        SNAP,
        "snap-update",
        "snap-32g",
        partitions("dddddddddgrssppp", {9: 1}, r="device: all lanes busy", p=MEMORY_WAIT),
    )
    snap["partitions"][8].update(state="gpu", gpu_ms=980)
    snap["partitions_done"] = 8
    porep = job(
        POREP,
        "porep-c2",
        "porep-32g",
        partitions("dddgssrppp", {3: 0}, r="device: all lanes busy", p=MEMORY_WAIT),
        started_secs_ago=18.4,
        attempt=2,
    )
    winning = job(
        "winpost-1004-00112233445566778899aabbccddeeff",
        "winning-post",
        "winning-32g",
        partitions("s"),
        priority="CRITICAL",
        started_secs_ago=0.4,
        deadline_in_secs=21.0,
    )
    window = job(
        "wdpost-1004-3-[17 201 5 88 94 0 131 250]",
        "window-post",
        "wpost-32g",
        partitions("p", p="memory: needs 15.5 GiB, 3.1 GiB free"),
        state="queued",
        priority="HIGH",
        submitted_secs_ago=9.0,
    )
    waiting = job(
        "ps-snap-1004-7732-88214",
        "snap-update",
        "snap-32g",
        partitions("p" * 16, p=MEMORY_WAIT),
        state="queued",
        submitted_secs_ago=3.2,
    )
    shot["pipelines"] = [snap, porep, winning, window, waiting]
    done = {"state": "done", "started_secs_ago": 60.0, "finished_secs_ago": 12.0, "total_ms": 38_200}
    shot["pipelines"].append(job("porep-1000-41", "porep-c2", "porep-32g", partitions("d" * 10), **done))
    shot["recent"] = [
        ended("porep-1000-41", "porep-c2", "porep-32g", 12.0, 38_200),
        ended("winpost-1004-8899aabbccddeeff", "winning-post", "winning-32g", 95.0, 1_840),
        ended("ps-snap-1004-7730-88212", "snap-update", "snap-32g", 131.0, 39_100),
    ]
    shot["throughput"].update(
        jobs_completed=[1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0],
        partitions_proved=[9, 12, 10, 8, 13, 12, 9, 14, 11, 12, 6, 2, 9, 13, 12, 14, 10, 12, 13, 5],
    )
    shot["gpu_workers"] = [
        lane(
            0,
            "GPU0",
            POREP,
            3,
            busy_secs=1.2,
            utilisation=0.88,
            finalizing=[{"job_id": SNAP, "partition": 8, "secs": 0.4}],
            history=[0.9, 0.92, 0.88, 0.91, 0.4, 0.0, 0.1, 0.8] + [0.9, 0.86, 0.93] * 7 + [0.5],
        ),
        lane(1, "GPU0", SNAP, 9, utilisation=0.93, history=[0.94, 0.9, 0.97] * 10),
    ]
    shot["devices"] = [device("GPU0", "NVIDIA RTX 4090")]
    shot["gpus"] = {"found": [gpu(0, "NVIDIA RTX 4090")], "unknown": None}
    shot["synthesis"] = {
        "max_concurrent": 8,
        "active": 5,
        "workers": [
            synth_worker(0, SNAP, 11, busy_secs=1.8),
            synth_worker(1, SNAP, 12, busy_secs=0.9),
            synth_worker(2, POREP, 4, busy_secs=3.4),
            synth_worker(3, POREP, 5, busy_secs=2.1),
            synth_worker(4, winning["job_id"], 0, busy_secs=0.4),
            *(synth_worker(n) for n in (5, 6, 7)),
        ],
    }
    shot["threads"]["used"] = 88
    reservations = [("srs", "porep-32g", 44.0), ("srs", "snap-32g", 33.0), ("srs", "winning-32g", 0.18)]
    reservations += [("circuit", "porep-32g", 0.6), ("circuit", "snap-32g", 0.4)]
    reservations += [("partition", f"{SNAP} [{n}]", 9.0) for n in range(8, 13)]
    reservations += [("partition", f"{POREP} [{n}]", 15.5) for n in range(3, 7)]
    reservations += [("payload", POREP, 0.05), ("payload", SNAP, 0.03), ("pool", "synthesis", 31.0)]
    shot["memory"]["reservations"] = [
        {"kind": kind, "name": name, "place": None, "bytes": int(size * GIB), "job_id": None, "partition": None}
        for kind, name, size in reservations
    ]
    used = sum(reservation["bytes"] for reservation in shot["memory"]["reservations"])
    shot["memory"].update(total_bytes=220 * GIB, used_bytes=used, available_bytes=220 * GIB - used)
    shot["allocations"] = {
        "srs": [
            srs("porep-32g", 44.0, refs=4),
            srs("snap-32g", 33.0, refs=5),
            srs("winning-32g", 0.18, refs=1, load_ms=210),
            srs("wpost-32g", 57.0, state="cold", tier="cold", refs=0, load_ms=None),
        ],
        "pce": [
            {"circuit_id": "porep-32g", "bytes": int(0.6 * GIB), "last_used_secs_ago": 0.0, "evictable": False},
            {"circuit_id": "snap-32g", "bytes": int(0.4 * GIB), "last_used_secs_ago": 212.0, "evictable": True},
        ],
    }
    shot["counters"].update(total_completed=412, total_failed=1, partitions_proved=5120, queue_depth=2)
    numbers = {"winning-post": (0, 1), "window-post": (1, 0), "porep-c2": (0, 1), "snap-update": (1, 1)}
    shot["queues"] = [
        {"proof_kind": kind, "pending": pending, "in_progress": running} for kind, (pending, running) in numbers.items()
    ]
    return shot


def troubled() -> Snapshot:
    """A failed job, a cancelled one, a retried partition, a quarantined device, values nobody knows."""
    shot = busy()
    shot["state"] = "draining"
    shot["state_reason"] = "3 jobs unfinished, 41 s left"
    shot["dev_params"] = True
    retried = shot["pipelines"][1]["partitions"][4]
    retried.update(attempt=2, error="attempt 1: synthesis process S3 died (signal 9, killed)")
    failed = partitions("dddf")
    failed[3].update(attempt=3, error="the proof does not verify, on lanes W0, W1 and W0")
    reason = "partition 3: the proof does not verify after 3 attempts; public inputs and parameters disagree"
    end = {"state": "failed", "finished_secs_ago": 20.0, "error": reason, "total_ms": 12_345}
    shot["pipelines"].append(job("porep-1000-40", "porep-c2", "porep-32g", failed, **end))
    more = {"state": "failed", "error": reason}
    shot["recent"].insert(1, ended("porep-1000-40", "porep-c2", "porep-32g", 20.0, 12_345, **more))
    cut = partitions("dp")
    cut[1].update(state="failed", error="cancelled")
    end = {"state": "cancelled", "finished_secs_ago": 45.0, "error": "cancelled", "total_ms": 900}
    shot["pipelines"].append(job("snap-1000-77", "snap-update", "snap-32g", cut, **end))
    more = {"state": "cancelled", "error": "cancelled"}
    shot["recent"].insert(2, ended("snap-1000-77", "snap-update", "snap-32g", 45.0, 900, **more))
    nothing = dict.fromkeys(("memory_free_bytes", "temperature_c", "utilisation"), "this driver does not tell")
    shot["devices"].append(
        device(
            "GPU1",
            "Intel Arc A770",
            state="quarantined",
            reason="5 faults in 10 minutes, the last: CL_OUT_OF_RESOURCES in msm",
            faults=5,
            restarts=4,
            memory_free_bytes=None,
            temperature_c=None,
            utilisation=None,
            unknown=nothing,
        )
    )
    shot["gpu_workers"].append(lane(2, "GPU1", last_error="CL_OUT_OF_RESOURCES in msm", pid=None))
    shot["synthesis"]["workers"][5].update(state="restarting", restarts=2, pid=None, last_error="killed by signal 9")
    shot["counters"].update(total_failed=2, total_cancelled=1)
    return shot


def long_ids() -> Snapshot:
    """Ids as long and as strange as clients make them, one that looks like markup among them."""
    shot = busy()
    shot["pipelines"][0]["job_id"] = "ps-snap-" + "1234567890" * 20
    shot["pipelines"][1]["job_id"] = '<img src=x onerror="document.title=1"> & "quoted" 扇区'
    for worker, old in zip(shot["gpu_workers"], (1, 0), strict=True):
        worker["current_job"] = shot["pipelines"][old]["job_id"]
    shot["gpu_workers"][0]["finalizing"][0]["job_id"] = shot["pipelines"][0]["job_id"]
    return shot
