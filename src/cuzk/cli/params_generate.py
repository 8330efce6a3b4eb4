"""`cuzk params generate`: development parameters for one of Filecoin's circuits."""

from pathlib import Path
from typing import Annotated

import typer

from cuzk.cli.development import ToxicWasteFile, made_text, make_parameters, read_toxic_waste
from cuzk.cli.output import CircuitId, Json, Threads, answer, warn
from cuzk.filecoin.parameters.folder import development_folder
from cuzk.filecoin.registry import entry as entry_of_id


def generate_command(
    circuit_id: CircuitId,
    toxic_waste: ToxicWasteFile = None,
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
    waste = read_toxic_waste(toxic_waste)
    entry = entry_of_id(circuit_id)
    path = development_folder().path / f"{entry.parameter_stem}.params" if out is None else out
    replaced = path.exists()
    made = make_parameters(
        circuit_id, entry.circuit, path, toxic_waste=waste, sector_size=entry.shape.size, threads=threads
    )
    if replaced:
        warn(
            f"these replace other parameters of {circuit_id}: proofs made with those do not verify now, and a daemon "
            f"that has loaded those keeps them until `cuzk evict {circuit_id}`"
        )
    answer({"circuit": circuit_id, **made}, made_text(made), as_json=json)
