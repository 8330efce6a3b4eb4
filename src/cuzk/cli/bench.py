"""`cuzk bench kernels`: how fast the kernels are, beside their peers."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from cuzk.bench.kernels import KERNELS, SINGLE_THREADED, Measurement, machine, run
from cuzk.cli.output import Json, answer

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def _group() -> None:
    """Measure kernels and workloads."""


@app.command("kernels", epilog="Example: cuzk bench kernels --only msm_g1 --log2 16 --threads 1 --json")
def kernels_command(
    only: Annotated[str | None, typer.Option(help=f"One kernel: {', '.join(KERNELS)}.", metavar="NAME")] = None,
    log2: Annotated[
        int | None, typer.Option("--log2", help="Size 2^N instead of each kernel's own.", metavar="N")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Threads to use.", metavar="N")] = 1,
    json: Json = False,
) -> None:
    """Time the kernels, and py-arkworks in the same run where it has the operation. Seconds are minima."""
    results = run(list(KERNELS) if only is None else [only], log2, threads)
    report = {"machine": machine(), "kernels": [result.to_json() for result in results]}
    answer(report, _table(results), as_json=json)


def _table(results: list[Measurement]) -> str:
    table = Table("kernel", "size", "threads", "time", "peer", "ratio")
    for result in results:
        ratio = result.to_json()["ratio"]
        table.add_row(
            result.name,
            f"2^{result.log2n}",
            str(result.threads),
            _duration(result.seconds, result),
            "—" if result.peer_seconds is None else f"{_duration(result.peer_seconds, result)} ({result.peer})",
            "—" if ratio is None else f"{ratio:.2f}",
        )
    console = Console()
    with console.capture() as capture:
        console.print(table)
    return capture.get().rstrip("\n")


def _duration(seconds: float, result: Measurement) -> str:
    """Show one field multiplication, and everything else as a whole."""
    if result.name in SINGLE_THREADED:
        return f"{seconds / (1 << result.log2n) * 1e9:.1f} ns"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
