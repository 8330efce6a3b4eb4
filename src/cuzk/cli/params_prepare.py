"""`cuzk params prepare`: a circuit's points as this machine's kernels want them."""

import time
from pathlib import Path
from typing import Annotated

import typer

from cuzk.cli.output import CircuitId, Json, Threads, answer
from cuzk.devices.cpu import available_threads
from cuzk.filecoin.parameters.folder import ParameterFolder, development_folder, network_folder
from cuzk.filecoin.parameters.prepared import prepare_parameters, prepared_path
from cuzk.filecoin.registry import entry as entry_of_id


def prepare_command(
    circuit_id: CircuitId,
    multiples: Annotated[
        int | None,
        typer.Option(
            help="Multiples kept of each point: up to 8 are faster, and take as many times the memory. "
            "Unless given, 8, or as many as 512 MiB hold, or 1.",
            min=1,
            max=16,
            metavar="N",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="The network's parameter folder, if it is not the usual one.", metavar="DIR")
    ] = None,
    dev_params: Annotated[bool, typer.Option("--dev-params", help="The development parameters.")] = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Keep a circuit's parameters in the form that the CPU's kernels work on, in the cache: proofs take less time.

    `cuzk prove` and daemons use them from the next load on, in place of the parameter file, which must stay. To undo
    it, remove the file.
    """
    entry, begin = entry_of_id(circuit_id), time.perf_counter()
    if folder is not None:
        chosen = ParameterFolder(folder, development=dev_params)
    else:
        chosen = development_folder() if dev_params else network_folder()
    made = prepare_parameters(chosen, entry, multiples=multiples, threads=threads or available_threads()).prepared
    if made is None:
        raise AssertionError("prepare_parameters returns prepared points")
    path, seconds = prepared_path(chosen, circuit_id), time.perf_counter() - begin
    result = {
        "circuit": circuit_id,
        "file": str(path),
        "bytes": made.nbytes,
        "multiples": made.multiples,
        "seconds": round(seconds, 3),
    }
    text = f"{path}: {made.nbytes:,} bytes, {made.multiples} of each point, {seconds:.1f} s"
    answer(result, text, as_json=json)
