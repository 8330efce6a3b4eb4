"""The commands that talk to a daemon, against one over the fake engine."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from cuzk.cli.jobs import STATES
from cuzk.cli.words import duration, size
from cuzk.engine.states import JobState
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Priority, Request
from tests.cli.runner import cuzk
from tests.panel import snapshots
from tests.server.background import BackgroundDaemon, background_daemon


@pytest.fixture
def daemon() -> Iterator[BackgroundDaemon]:
    with background_daemon() as running:
        yield running


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "request.json"
    path.write_text(
        Request(Kind.WINNING, request_id="w 1", priority=Priority.CRITICAL, vanilla_proofs=(b"v",)).to_json()
    )
    return path


def test_submit_and_await(daemon: BackgroundDaemon, request_file: Path, tmp_path: Path) -> None:
    run = cuzk("submit", request_file, "--server", daemon.grpc)
    assert (run.code, run.out) == (0, "w 1\n")
    run = cuzk("await", "w 1", "--timeout", 0.05, "-s", daemon.grpc)
    assert (run.code, run.out.startswith("w 1: timeout")) == (1, True)
    daemon.call(lambda: daemon.engine.finish("w 1"))
    run = cuzk("await", "w 1", "--out", tmp_path / "proof.bin", "-s", daemon.grpc)
    assert (run.code, (tmp_path / "proof.bin").read_bytes()) == (0, b"\x01" * 192)
    run = cuzk("await", "w 1", "--json", "-s", daemon.grpc)
    assert (run.json["status"], run.json["proof"], run.json["total_ms"]) == ("completed", "01" * 192, 10)


def test_prove_by_a_daemon(daemon: BackgroundDaemon, request_file: Path, tmp_path: Path) -> None:
    threading.Timer(0.5, daemon.call, [lambda: daemon.engine.finish("w 1")]).start()
    run = cuzk("prove", request_file, "--server", daemon.grpc, "--out", tmp_path / "proof.bin")
    assert (run.code, (tmp_path / "proof.bin").read_bytes()) == (0, b"\x01" * 192)
    assert run.out.startswith("w 1: completed, total 10 ms")
    run = cuzk("prove", request_file, "--server", daemon.grpc, "--out", tmp_path / "x", "--dev-params")
    assert (run.code, "--server: the daemon has parameters" in run.err) == (2, True)


def test_where_the_proof_goes_is_looked_at_before_the_wait(
    daemon: BackgroundDaemon, request_file: Path, tmp_path: Path
) -> None:
    for command in (("prove", request_file, "--server", daemon.grpc), ("await", "w 1", "-s", daemon.grpc)):
        run = cuzk(*command, "--out", tmp_path)
        assert (run.code, run.err) == (2, f"cuzk: cannot write {tmp_path}: Is a directory\n")
    assert not daemon.engine.requests
    cuzk("submit", request_file, "-s", daemon.grpc)
    daemon.call(lambda: daemon.engine.finish("w 1", "failed", error="no luck"))
    assert cuzk("await", "w 1", "--out", tmp_path / "proof", "-s", daemon.grpc).out == "w 1: failed: no luck\n"
    assert list(tmp_path.iterdir()) == [request_file]


def test_what_a_client_called_its_job_gives_no_orders_to_the_terminal(
    daemon: BackgroundDaemon, request_file: Path
) -> None:
    name = "\x1b]0;title\x07[/red]"
    daemon.engine.snapshot = snapshots.busy()
    daemon.engine.snapshot["pipelines"][0].update(job_id=name, state="failed", error=name)
    daemon.engine.snapshot["allocations"]["srs"][0].update(state="failed", error=name)
    for command in ("status", "jobs"):
        shown = cuzk(command, "--url", daemon.status_url).out
        assert "\\x1b]0;title\\x07[/red]" in shown
        assert "\x1b" not in shown
    assert "\x1b" not in cuzk("cancel", name, "-s", daemon.grpc).err
    request_file.write_text(Request(Kind.WINNING, request_id=name, vanilla_proofs=(b"v",)).to_json())
    assert cuzk("submit", request_file, "-s", daemon.grpc).out == "\\x1b]0;title\\x07[/red]\n"
    assert cuzk("submit", request_file, "-s", daemon.grpc, "--json").json == {"job_id": name}


def test_failed_jobs_and_unknown_ones(daemon: BackgroundDaemon, request_file: Path) -> None:
    cuzk("submit", request_file, "-s", daemon.grpc)
    daemon.call(lambda: daemon.engine.finish("w 1", "failed", error="partition 0: no luck"))
    run = cuzk("await", "w 1", "-s", daemon.grpc)
    assert (run.code, run.out) == (1, "w 1: failed: partition 0: no luck\n")
    run = cuzk("await", "none", "-s", daemon.grpc)
    assert (run.code, run.err) == (2, "cuzk: no job has the id 'none'\n")
    run = cuzk("submit", request_file, "-s", "127.0.0.1:1")
    assert (run.code, "no daemon answers at 127.0.0.1:1" in run.err) == (3, True)


NOWHERE = "127.0.0.1:1"


@pytest.mark.parametrize("asked", ["tcp", "a socket that is not there", "a name that nobody has"])
@pytest.mark.parametrize(
    "command", [("cancel", "x"), ("await", "x"), ("preload", "winning-2k"), ("evict", "winning-2k")], ids=" ".join
)
def test_no_daemon_answers(command: tuple[str, ...], asked: str, tmp_path: Path) -> None:
    addresses = {"tcp": NOWHERE, "a socket that is not there": f"unix://{tmp_path}/none"}
    address = addresses.get(asked, "nobody.invalid:9820")
    run = cuzk(*command, "-s", address, "--json")
    assert run.code == 3
    assert run.json["error"].startswith(f"no daemon answers at {address}: ")
    assert run.err == f"cuzk: {run.json['error']}\n"
    people = cuzk(*command, "-s", address)
    assert (people.out, "`cuzk serve` starts one" in people.err) == ("", True)


@pytest.mark.parametrize("command", [("status",), ("jobs",)], ids=" ".join)
def test_no_status_is_there(command: tuple[str, ...], daemon: BackgroundDaemon) -> None:
    run = cuzk(*command, "--url", f"http://{NOWHERE}/status", "--json")
    assert (run.code, run.json["error"].startswith(f"no daemon answers at http://{NOWHERE}/status: ")) == (3, True)
    run = cuzk(*command, "--url", f"{daemon.status_url}x", "--json")
    assert (run.code, "404 Not Found" in run.json["error"]) == (1, True)
    run = cuzk(*command, "--url", f"{daemon.status_url.removesuffix('status')}", "--json")
    assert (run.code, "expected JSON, as at http://127.0.0.1:9821/status" in run.json["error"]) == (1, True)
    run = cuzk(*command, "--url", f"{daemon.status_url.removesuffix('status')}healthz", "--json")
    assert (run.code, "expected a daemon's, as at http://127.0.0.1:9821/status" in run.json["error"]) == (1, True)
    run = cuzk(*command, "--url", "nonsense", "--json")
    assert (run.code, "expected the URL of a daemon's status" in run.json["error"]) == (2, True)


def test_failures_as_json(daemon: BackgroundDaemon, tmp_path: Path) -> None:
    run = cuzk("await", "none", "--json", "-s", daemon.grpc)
    assert (run.code, run.json) == (2, {"error": "no job has the id 'none'"})
    run = cuzk("submit", tmp_path / "none.json", "--json", "-s", daemon.grpc)
    assert (run.code, "cannot read" in run.json["error"]) == (2, True)
    run = cuzk("submit", tmp_path / "none.json", "-s", daemon.grpc)
    assert (run.code, run.out) == (2, "")


def test_cancel(daemon: BackgroundDaemon, request_file: Path) -> None:
    cuzk("submit", request_file, "-s", daemon.grpc)
    assert cuzk("cancel", "w 1", "-s", daemon.grpc).out == "w 1: cancelled\n"
    run = cuzk("cancel", "w 1", "--json", "-s", daemon.grpc)
    assert (run.code, run.json) == (1, {"job_id": "w 1", "was_running": False})
    run = cuzk("await", "w 1", "-s", daemon.grpc)
    assert (run.code, run.out) == (1, "w 1: cancelled\n")


def test_preload_and_evict(daemon: BackgroundDaemon) -> None:
    assert cuzk("preload", "winning-2k", "-s", daemon.grpc).out == "winning-2k: loaded in 42 ms\n"
    run = cuzk("preload", "no-1k", "-s", daemon.grpc)
    assert (run.code, run.err.startswith("cuzk: circuit_id: expected")) == (2, True)
    assert cuzk("evict", "winning-2k", "-s", daemon.grpc).out == "winning-2k: 123 B freed\n"
    assert cuzk("evict", "wpost-2k", "-s", daemon.grpc).out == "wpost-2k: was not loaded\n"


def test_status_and_jobs(daemon: BackgroundDaemon) -> None:
    daemon.engine.snapshot = snapshots.troubled()
    assert cuzk("status", "--url", daemon.status_url, "--json").json == daemon.engine.snapshot
    text = cuzk("status", "--url", daemon.status_url).out
    for words in (
        "draining (3 jobs unfinished, 41 s left)",
        "porep-1000-42",
        "quarantined",
        "finishing",
        "development parameters",
    ):
        assert words in text
    run = cuzk("jobs", "--url", daemon.status_url, "--state", "broken")
    assert (run.code, "--state: expected one of checking, queued" in run.err) == (2, True)
    assert get_args(JobState) == STATES
    jobs = cuzk("jobs", "--url", daemon.status_url, "--state", "failed", "--json").json["jobs"]
    assert [job["job_id"] for job in jobs] == ["porep-1000-40"]
    assert "does not verify" in cuzk("jobs", "--url", daemon.status_url).out.replace("\n", " ")


def test_the_status_of_another_version_is_refused_with_a_sentence(daemon: BackgroundDaemon) -> None:
    daemon.engine.snapshot = {"uptime_secs": 1.0, "pipelines": [{"job_id": "x"}]}
    for command in (("status",), ("jobs",), ("jobs", "--state", "failed", "--json")):
        run = cuzk(*command, "--url", daemon.status_url)
        assert (run.code, "this daemon's status is not one that cuzk " in run.err) == (1, True), run.err
    assert cuzk("status", "--url", daemon.status_url, "--json").json == daemon.engine.snapshot


def test_an_idle_daemon(daemon: BackgroundDaemon) -> None:
    daemon.engine.snapshot = snapshots.idle()
    daemon.engine.snapshot["devices"][0].update(name=None, kind=None, state="starting")
    assert "GPU0" in cuzk("status", "--url", daemon.status_url).out
    assert cuzk("jobs", "--url", daemon.status_url).out == "no job is unfinished, or ended lately\n"
    assert json.loads(cuzk("jobs", "--url", daemon.status_url, "--json").out) == {"jobs": []}


@pytest.mark.parametrize(
    ("ms", "words"),
    [(None, "—"), (587, "587 ms"), (5200, "5.2 s"), (41_000, "41 s"), (190_000, "3 m 10 s"), (11_520_000, "3 h 12 m")],
)
def test_durations(ms: float | None, words: str) -> None:
    assert duration(ms) == words


@pytest.mark.parametrize(
    ("n", "words"), [(None, "—"), (0, "0 B"), (1024, "1.00 KiB"), (312 << 30, "312 GiB"), (19_540_000_000, "18.2 GiB")]
)
def test_sizes(n: float | None, words: str) -> None:
    assert size(n) == words
