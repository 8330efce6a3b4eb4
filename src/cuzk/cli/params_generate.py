"""`cuzk params generate`: development parameters for one of Filecoin's circuits."""

import time
from pathlib import Path
from typing import Annotated

import typer

from cuzk.cli.output import Json, Threads, answer, progress_bar, warn
from cuzk.devices.cpu import available_threads
from cuzk.filecoin.parameters.folder import development_folder
from cuzk.filecoin.registry import entry as entry_of_id
from cuzk.groth16.setup import setup
from cuzk.groth16.toxic_waste import ToxicWaste


def generate_command(
    circuit_id: Annotated[str, typer.Argument(help="Such as winning-2k.", metavar="ID", show_default=False)],
    toxic_waste: Annotated[
        Path | None, typer.Option(help="Secrets to use instead of fresh ones (JSON), for reproducible tests.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write; under the network's name in the cache unless given.", metavar="FILE.params"),
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Make development parameters for a circuit. They are unsafe: whoever ran this could forge proofs.

    The verifying key goes beside them, and both into the manifest of their folder, marked unsafe.
    """
    waste = None
    if toxic_waste is not None:
        warn("the toxic waste of these parameters is in a file: proofs under them prove nothing")
        waste = ToxicWaste.read(toxic_waste)
    entry = entry_of_id(circuit_id)
    path = development_folder().path / f"{entry.parameter_stem}.params" if out is None else out
    begin = time.perf_counter()
    circuit = entry.circuit()
    with progress_bar(circuit_id) as progress:
        parameters = setup(
            circuit,
            path,
            toxic_waste=waste,
            sector_size=entry.shape.size,
            threads=threads or available_threads(),
            progress=progress,
        )
    seconds = time.perf_counter() - begin
    result = {
        "circuit": circuit_id,
        "params": str(path),
        "vk": str(path.with_suffix(".vk")),
        "bytes": path.stat().st_size,
        "domain": parameters.domain,
        "constraints": circuit.num_constraints,
        "seconds": round(seconds, 3),
        "unsafe": True,
    }
    text = f"{path}: {result['bytes']:,} bytes for {circuit.num_constraints:,} constraints, {seconds:.1f} s (unsafe)"
    answer(result, text, as_json=json)
