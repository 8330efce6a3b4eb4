"""Options and answers of the commands that talk to a daemon."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from cuzk.cli.output import answer
from cuzk.cli.words import duration
from cuzk.client import Result
from cuzk.files import replacing

Server = Annotated[
    str,
    typer.Option("--server", "-s", envvar="CUZK_SERVER", help="The daemon: HOST:PORT or unix:///PATH.", metavar="ADDR"),
]
StatusUrl = Annotated[
    str, typer.Option("--url", envvar="CUZK_STATUS_URL", help="The daemon's status over HTTP.", metavar="URL")
]
Token = Annotated[
    str | None, typer.Option("--token", envvar="CUZK_TOKEN", help="The daemon's token, if it has one.", metavar="TEXT")
]
Certificate = Annotated[
    Path | None, typer.Option("--ca", envvar="CUZK_CA", help="PEM file of who signed the daemon's TLS certificate.")
]
ClientCertificate = Annotated[
    Path | None,
    typer.Option("--cert", envvar="CUZK_CERT", help="PEM file of your certificate and its key, if the daemon asks."),
]
ProofFile = Annotated[Path | None, typer.Option("--out", "-o", help="Write the proof here.", metavar="FILE")]
JobId = Annotated[str, typer.Argument(help="A job's id, as `cuzk submit` prints it.", metavar="JOB")]


def answer_result(wait: Callable[[], Result], out: Path | None, *, as_json: bool) -> None:
    """Wait for a job and print how it ended, the proof in hexadecimal or into a file; exit with 1 unless completed."""
    with nullcontext() if out is None else replacing(out) as file:  # a name that cannot be written is refused at once
        result = wait()
        if result.status != "completed":
            answer(result_json(result), _text(result, out), as_json=as_json, yes=False)  # ends it: no file
        if file is not None:
            file.write(result.proof)
    answer(result_json(result), _text(result, out), as_json=as_json)


def result_json(result: Result) -> dict[str, Any]:
    """Return a result for JSON: the proof in hexadecimal."""
    return {**asdict(result), "proof": result.proof.hex()}


def _text(result: Result, out: Path | None) -> str:
    if result.status != "completed":
        why = result.error if result.error != result.status else ""  # "cancelled" is its own reason
        return f"{result.job_id}: {result.status}" + (f": {why}" if why else "")
    times = (
        f"total {duration(result.total_ms)} (queue {duration(result.queue_wait_ms)}, "
        f"synthesis {duration(result.synthesis_ms)}, device {duration(result.gpu_compute_ms)})"
    )
    proof = result.proof.hex() if out is None else f"{len(result.proof)} bytes in {out}"
    return f"{result.job_id}: {result.status}, {times}\n{proof}"
