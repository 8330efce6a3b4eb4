"""A daemon's status on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cuzk import __version__
from cuzk.cli.words import duration, harmless, seconds, size
from cuzk.errors import CuzkError

_OPEN = ("checking", "queued", "running")
_MEMORY = (
    ("srs", "SRS"),
    ("circuit", "circuits"),
    ("partition", "partitions"),
    ("payload", "payloads"),
    ("pool", "pools"),
)
_WORDS = {"synthesizing": "synth", "synth_done": "ready"}
_STYLES = {"failed": "red", "quarantined": "red", "running": "cyan", "proving": "cyan", "synthesizing": "cyan"}


@contextmanager
def understanding() -> Iterator[None]:
    """Refuse the status of a daemon that is not of this version, or what is no status at all."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CuzkError(
            f"this daemon's status is not one that cuzk {__version__} can show ({error!r}); --json prints it as it is"
        ) from error


@understanding()
def status_view(status: dict[str, Any]) -> RenderableType:
    """Render a status: the head, then jobs, devices and parameters, each only if there are any."""
    parts: list[RenderableType] = [_text(line) for line in _head(status)]
    if status["pipelines"]:
        parts += [Text(), jobs_view(status["pipelines"])]
    if status["gpu_workers"]:
        parts += [Text(), _lanes(status)]
    if status["allocations"]["srs"]:
        parts += [Text(), _parameters(status["allocations"]["srs"])]
    return Group(*parts)


@understanding()
def jobs_view(jobs: list[dict[str, Any]]) -> RenderableType:
    """Render a list of jobs, and below it what holds or ended them."""
    if not jobs:
        return Text("no job is unfinished, or ended lately")
    notes = [_text(f"{job['job_id']}: {_why(job)}") for job in jobs if _why(job)]
    return Group(_jobs(jobs), *([Text(), *notes] if notes else []))


def _head(status: dict[str, Any]) -> list[str]:
    memory, synthesis, counters = status["memory"], status["synthesis"], status["counters"]
    reason = f" ({status['state_reason']})" if status["state_reason"] else ""
    held = {kind: sum(r["bytes"] for r in memory["reservations"] if r["kind"] == kind) for kind, _ in _MEMORY}
    parts = ", ".join(f"{label} {size(held[kind])}" for kind, label in _MEMORY if held[kind])
    running = sum(queue["in_progress"] for queue in status["queues"])
    waiting = sum(queue["pending"] for queue in status["queues"])
    lines = [
        f"cuzk {status['versions']['cuzk']}   {status['state']}{reason}   up {seconds(status['uptime_secs'])}",
        f"memory     {size(memory['used_bytes'])} of {size(memory['total_bytes'])}" + (f": {parts}" if parts else ""),
        f"synthesis  {synthesis['active']} of {synthesis['max_concurrent']}",
        f"jobs       {running} running, {waiting} waiting; {counters['total_completed']} completed, "
        f"{counters['total_failed']} failed, {counters['total_cancelled']} cancelled",
    ]
    if status["dev_params"]:
        lines.append("development parameters are allowed: proofs made with them convince nobody else")
    if status["journal"]["state"] != "ok":
        lines.append(f"the journal cannot be written, no job is accepted: {status['journal']['error']}")
    return lines


def _table(*columns: str) -> Table:
    table = Table(*columns, box=None, pad_edge=False, header_style="dim")
    table.columns[0].overflow = "fold"
    return table


def _text(text: str) -> Text:
    """Return text that is neither markup nor orders to the terminal, whatever a daemon's clients called their jobs."""
    return Text(harmless(text))


def _styled(word: str) -> Text:
    return Text(harmless(word), style=_STYLES.get(word, ""))


def _jobs(jobs: list[dict[str, Any]]) -> Table:
    table = _table("job", "kind", "state", "partitions", "time")
    for job in jobs:
        time = job["total_ms"] if job["state"] not in _OPEN else job["started_secs_ago"] * 1000
        table.add_row(
            _text(job["job_id"]),
            _text(job["circuit_id"] or job["proof_kind"]),
            _styled(job["state"]),
            _text(_progress(job)),
            duration(time),
        )
    return table


def _progress(job: dict[str, Any]) -> str:
    """Say how many are done, and what the others are doing: `9 / 16 done, 1 gpu, 2 synth`."""
    counts: dict[str, int] = {}
    for partition in job["partitions"]:
        if partition["state"] not in ("done", "pending"):
            word = _WORDS.get(partition["state"], partition["state"])
            counts[word] = counts.get(word, 0) + 1
    others = "".join(f", {count} {word}" for word, count in counts.items())
    return f"{job['partitions_done']} / {job['total_partitions']} done{others}"


def _why(job: dict[str, Any]) -> str:
    if job["state"] == "failed":
        return str(job["error"])
    waits = [partition["waits_for"] for partition in job["partitions"] if partition["waits_for"]]
    return f"waits for {waits[0]}" if waits else ""


def _lanes(status: dict[str, Any]) -> Table:
    table = _table("lane", "device", "state", "job", "since", "last minute")
    devices = {device["id"]: device for device in status["devices"]}
    for lane in status["gpu_workers"]:
        device = devices.get(lane["device"])
        works = lane["current_job"] is not None
        jobs = [f"{lane['current_job']} [{lane['current_partition']}]"] if works else []
        jobs += [f"finishing {item['job_id']} [{item['partition']}]" for item in lane["finalizing"]]
        state = device["state"] if device and device["state"] != "ok" else lane["state"]
        table.add_row(
            f"W{lane['worker_id']}",
            _text((device and device["name"]) or lane["device"]),
            _styled(state),
            _text("\n".join(jobs)),
            seconds(lane["busy_secs"]) if works else "",
            f"{lane['utilisation']:.0%}",
        )
    return table


def _parameters(srs: list[dict[str, Any]]) -> Table:
    table = _table("parameters", "state", "size", "use")
    for item in srs:
        idle = f"idle {seconds(item['last_used_secs_ago'])}" if item["evictable"] and item["state"] == "hot" else ""
        use = f"{item['refs']} in use" if item["refs"] else idle
        table.add_row(
            _text(item["circuit_id"]), _styled(item["state"]), size(item["bytes"]), _text(item["error"] or use)
        )
    return table
