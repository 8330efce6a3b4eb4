"""`cuzk jobs`: the jobs of a daemon."""

from typing import Annotated

import typer
from rich.console import Console

from cuzk.cli.connection import Certificate, StatusUrl, Token
from cuzk.cli.output import Json, answer
from cuzk.cli.status_view import jobs_view, understanding
from cuzk.client import DEFAULT_STATUS_URL, fetch_status
from cuzk.errors import InputError

app = typer.Typer(add_completion=False)

#: Those of `cuzk.engine.states.JobState`, which takes as long to import as all of this command.
STATES = ("checking", "queued", "running", "done", "failed", "cancelled")


@app.command(epilog="Example: cuzk jobs --state running --state queued")
def command(
    state: Annotated[
        list[str] | None,
        typer.Option(help=f"Only jobs in this state: {', '.join(STATES)}; may be repeated.", metavar="STATE"),
    ] = None,
    url: StatusUrl = DEFAULT_STATUS_URL,
    token: Token = None,
    ca: Certificate = None,
    json: Json = False,
) -> None:
    """List the unfinished jobs of a daemon, oldest first, and those that ended lately."""
    for one in state or ():
        if one not in STATES:
            raise InputError(f"--state: expected one of {', '.join(STATES)}, got {one!r}")
    status = fetch_status(url, token=token, ca_certificate=ca)
    with understanding():
        jobs = [job for job in status["pipelines"] if not state or job["state"] in state]
    if json:
        answer({"jobs": jobs}, "", as_json=True)
    else:
        Console().print(jobs_view(jobs))
