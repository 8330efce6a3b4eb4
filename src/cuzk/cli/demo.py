"""`cuzk demo`: the main job in one command: sectors, a daemon, requests, proofs, and a check of what comes back."""

import json as json_module
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cuzk.cli.daemon_process import DaemonProcess
from cuzk.cli.development import make_parameters
from cuzk.cli.output import Json, print_table
from cuzk.cli.root import EXIT_NO
from cuzk.cli.status_view import status_view
from cuzk.cli.words import duration
from cuzk.client import Client, Result, ServerError, fetch_status
from cuzk.devices.cpu import available_threads
from cuzk.errors import FormatError, InputError
from cuzk.filecoin.development import DevelopmentOrder
from cuzk.filecoin.parameters.folder import development_folder
from cuzk.filecoin.registry import CircuitEntry, decode, families
from cuzk.filecoin.request import Request
from cuzk.groth16.proof import Proof, split_proofs
from cuzk.groth16.verifier import verify
from cuzk.groth16.verifying_key import VerifyingKey

app = typer.Typer(add_completion=False)

_POLL_SECONDS = 0.25


@dataclass(frozen=True)
class Made:
    """One job of the demo: what was asked, what came back, and whether it verifies."""

    entry: CircuitEntry
    request: Request
    result: Result
    partitions: int
    verified: bool

    def json(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "kind": _name(self.entry),
            "job_id": self.result.job_id,
            "circuit": self.entry.circuit_id,
            "status": self.result.status,
            "error": self.result.error,
            "verified": self.verified,
            "partitions": self.partitions,
            "bytes": len(self.result.proof),
            "queue_wait_ms": self.result.queue_wait_ms,
            "synthesis_ms": self.result.synthesis_ms,
            "gpu_compute_ms": self.result.gpu_compute_ms,
            "total_ms": self.result.total_ms,
        }


@app.command(epilog="Example: cuzk demo --kinds winning,window --keep")
def command(
    kinds: Annotated[
        str, typer.Option(help="Which kinds of proof, with commas between.")
    ] = "winning,window,porep,snap",
    repeat: Annotated[int, typer.Option(help="So many jobs of each kind.", min=1, max=1000, metavar="N")] = 1,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the daemon serving at the end, until Ctrl-C.")] = False,
    json: Json = False,
) -> None:
    """Make proofs of 2 KiB sectors through a daemon, and verify them here.

    Makes development parameters (kept for the next time), seals sectors, starts a daemon on loopback with a temporary
    data folder, submits, shows the progress and the panel's address, verifies what comes back. Exit code 0: all of it
    verifies.
    """
    entries = _entries(kinds)
    for entry in entries:
        _ensure_parameters(entry)
    orders = [(entry, _order(entry, number)) for entry in entries for number in range(repeat)]
    threads = available_threads()
    requests = [(entry, _request(entry, order, number, threads)) for number, (entry, order) in enumerate(orders)]
    with tempfile.TemporaryDirectory(prefix="cuzk-demo-") as folder, DaemonProcess(Path(folder)) as daemon:
        _say(f"panel: {daemon.panel}")
        begin = time.perf_counter()
        results = _prove(daemon, [request for _, request in requests])
        seconds = time.perf_counter() - begin
        made = [_check(entry, request, result) for (entry, request), result in zip(requests, results, strict=True)]
        _show(made, daemon, seconds, json)
        if keep:
            daemon.serve_until_interrupted()
    if not all(job.verified for job in made):
        raise typer.Exit(EXIT_NO)


def _entries(kinds: str) -> list[CircuitEntry]:
    """Return the smallest circuit of each kind named; InputError names those there are."""
    known = {_name(entry): entry for entry in (next(iter(f.entries.values())) for f in families().values())}
    names = [name.strip() for name in kinds.split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise InputError(f"--kinds: expected some of {','.join(known)}, got {kinds!r}")
    return [known[name] for name in names]


def _name(entry: CircuitEntry) -> str:
    return entry.kind.name.lower()


def _order(entry: CircuitEntry, number: int) -> DevelopmentOrder:
    randomness = secrets.token_bytes(31) + b"\0"  # below the field's order
    sectors = (1, 2) if _name(entry) == "window" else (1,)
    return DevelopmentOrder(f"demo {number}".encode(), 1000, sectors, randomness)


def _request(entry: CircuitEntry, order: DevelopmentOrder, number: int, threads: int) -> Request:
    return replace(entry.development_request(order, threads), request_id=f"demo-{entry.circuit_id}-{number}")


def _ensure_parameters(entry: CircuitEntry) -> None:
    path = development_folder().path / f"{entry.parameter_stem}.params"
    if path.exists() and path.name in development_folder().manifest:
        return
    _say(f"making development parameters of {entry.circuit_id}, once")
    make_parameters(entry.circuit_id, entry.circuit, path, sector_size=entry.shape.size)


def _prove(daemon: DaemonProcess, requests: Sequence[Request]) -> list[Result]:
    """Submit everything at once and show the daemon's status until all is done."""
    # The client closes before the pool waits for its threads: so Ctrl-C ends their calls.
    with ThreadPoolExecutor(len(requests)) as pool, Client(daemon.grpc) as client, _progress() as show:
        futures = [pool.submit(client.prove, request) for request in requests]
        while not all(future.done() for future in futures):
            daemon.check_alive()
            show(daemon, futures)
            time.sleep(_POLL_SECONDS)
        return [future.result() for future in futures]


class _Progress:
    """The status on a terminal; elsewhere a line whenever the number of finished jobs changes."""

    def __init__(self, live: Live | None) -> None:
        self._live = live
        self._finished = -1

    def __call__(self, daemon: DaemonProcess, futures: Sequence["Future[Result]"]) -> None:
        if self._live is not None:
            try:
                self._live.update(status_view(fetch_status(f"{daemon.panel}status", timeout=2)), refresh=True)
            except ServerError as error:
                self._live.update(Text(str(error)), refresh=True)
            return
        finished = sum(future.done() for future in futures)
        if finished != self._finished:
            self._finished = finished
            _say(f"{finished} of {len(futures)} proofs")


@contextmanager
def _progress() -> Iterator[_Progress]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Progress(None)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield _Progress(live)


def _check(entry: CircuitEntry, request: Request, result: Result) -> Made:
    """Verify a result with public inputs that are computed here."""
    job = decode(request)
    key = VerifyingKey.open(development_folder().file(f"{entry.parameter_stem}.vk"))
    try:
        proofs = split_proofs(result.proof)
        verified = (
            result.status == "completed"
            and len(proofs) == job.partitions
            and all(verify(key, job.public_inputs(index), Proof.parse(proof)) for index, proof in enumerate(proofs))
        )
    except FormatError:
        verified = False
    return Made(entry, request, result, job.partitions, verified)


def _show(made: Sequence[Made], daemon: DaemonProcess, seconds: float, as_json: bool) -> None:
    if as_json:
        jobs = [job.json() for job in made]
        print(json_module.dumps({"jobs": jobs, "panel": daemon.panel, "seconds": round(seconds, 3)}), flush=True)
        return
    table = Table("kind", "job", "parts", "queue", "synthesis", "device", "total", "proof", box=None, pad_edge=False)
    for column in table.columns[2:7]:
        column.justify = "right"
    for job in made:
        times = (job.result.queue_wait_ms, job.result.synthesis_ms, job.result.gpu_compute_ms, job.result.total_ms)
        proof = Text("verified") if job.verified else Text(f"WRONG: {job.result.error or 'not valid'}", style="red")
        table.add_row(_name(job.entry), job.result.job_id, str(job.partitions), *map(duration, times), proof)
    print_table(table, columns=120)
    good = sum(job.verified for job in made)
    print(f"{good} of {len(made)} proofs verified, {duration(seconds * 1000)}", flush=True)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
