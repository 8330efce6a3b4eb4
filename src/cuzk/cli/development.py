"""Development parameters, as `groth16 setup`, `params generate` and `demo` make them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from cuzk.cli.output import progress_bar, warn
from cuzk.devices.cpu import available_threads
from cuzk.groth16.circuit import Circuit
from cuzk.groth16.setup import setup
from cuzk.groth16.toxic_waste import ToxicWaste
from cuzk.groth16.unsafe_manifest import check_may_write

ToxicWasteFile = Annotated[
    Path | None, typer.Option(help="Secrets to use instead of fresh ones (JSON), for reproducible tests.")
]


def read_toxic_waste(path: Path | None) -> ToxicWaste | None:
    """Return the secrets in a file, with a warning; None if there is no file, so that fresh ones are drawn."""
    if path is None:
        return None
    waste = ToxicWaste.read(path)
    warn("the toxic waste of these parameters is in a file: proofs under them prove nothing")
    return waste


def make_parameters(
    label: str,
    circuit: Callable[[], Circuit],
    path: Path,
    *,
    toxic_waste: ToxicWaste | None = None,
    sector_size: int = 0,
    threads: int | None = None,
) -> dict[str, Any]:
    """Set a circuit up, showing progress under a label from when it is built; return what was made, for JSON."""
    check_may_write(path)  # before the circuit is built, which may take minutes
    with progress_bar(label) as progress:
        built = circuit()
        begin = time.perf_counter()
        parameters = setup(
            built,
            path,
            toxic_waste=toxic_waste,
            sector_size=sector_size,
            threads=threads or available_threads(),
            progress=progress,
        )
    return {
        "params": str(path),
        "vk": str(path.with_suffix(".vk")),
        "bytes": path.stat().st_size,
        "domain": parameters.domain,
        "constraints": built.num_constraints,
        "seconds": round(time.perf_counter() - begin, 3),
        "unsafe": True,
    }


def made_text(made: dict[str, Any]) -> str:
    """Say what `make_parameters` made."""
    size, constraints, seconds = made["bytes"], made["constraints"], made["seconds"]
    return f"{made['params']}: {size:,} bytes for {constraints:,} constraints, {seconds:.1f} s (unsafe)"
