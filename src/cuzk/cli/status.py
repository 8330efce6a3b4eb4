"""`cuzk status`: what a daemon is doing."""

import json as json_module
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live

from cuzk.cli.connection import Certificate, StatusUrl, Token
from cuzk.cli.output import Json
from cuzk.cli.status_view import status_view
from cuzk.client import DEFAULT_STATUS_URL, ServerError, fetch_status

app = typer.Typer(add_completion=False)

_WATCH_SECONDS = 1.0


@app.command(epilog="Example: cuzk status --watch")
def command(
    url: StatusUrl = DEFAULT_STATUS_URL,
    token: Token = None,
    ca: Certificate = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Show it again every second, until Ctrl-C.")] = False,
    json: Json = False,
) -> None:
    """Show what a daemon is doing: memory, jobs and their partitions, devices, parameters."""
    if watch and not json:
        _watch(url, token, ca)
        return
    while True:
        status = fetch_status(url, token=token, ca_certificate=ca)
        if json:
            print(json_module.dumps(status), flush=True)
        else:
            Console().print(status_view(status))
        if not watch:
            return
        time.sleep(_WATCH_SECONDS)


def _watch(url: str, token: str | None, ca: Path | None) -> None:
    console = Console()
    with Live(console=console, auto_refresh=False, screen=console.is_terminal) as live:
        try:
            while True:
                try:
                    live.update(status_view(fetch_status(url, token=token, ca_certificate=ca)), refresh=True)
                except ServerError as error:
                    live.update(f"{error}\ntrying again every {_WATCH_SECONDS:.0f} s", refresh=True)
                time.sleep(_WATCH_SECONDS)
        except KeyboardInterrupt:
            return
