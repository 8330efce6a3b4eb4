"""What subcommands share: the options they have in common, how they answer and how they show progress."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from cuzk.cli.root import EXIT_NO
from cuzk.cli.words import harmless

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
CircuitId = Annotated[str, typer.Argument(help="A circuit id, such as winning-32g.", metavar="ID", show_default=False)]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, max=1024, help="Threads to use; all CPUs unless given.", metavar="N")
]


def answer(data: Mapping[str, Any], text: str, *, as_json: bool, yes: bool = True) -> None:
    """Print a command's result, as JSON or as text, and exit with 1 if the answer is no."""
    print(json.dumps(data) if as_json else harmless(text))
    if not yes:
        raise typer.Exit(EXIT_NO)


def print_table(table: Table, *, columns: int) -> None:
    """Print a table, as wide as the terminal; elsewhere, where no width is known, `columns` wide."""
    Console(width=None if sys.stdout.isatty() else columns).print(table)


def warn(message: str) -> None:
    """Print a warning on standard error."""
    print(f"cuzk: warning: {message}", file=sys.stderr)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that shows how much is done (done, total), on a terminal; elsewhere it shows nothing."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
