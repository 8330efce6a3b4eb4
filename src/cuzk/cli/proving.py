"""What the commands that prove and verify requests share: which parameter files they use."""

from pathlib import Path
from typing import Annotated

import typer

from cuzk.errors import InputError
from cuzk.filecoin.parameters.folder import ParameterFolder, development_folder, network_folder
from cuzk.filecoin.parameters.prepared import open_parameters
from cuzk.filecoin.registry import CircuitEntry
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.points import Check

RequestFile = Annotated[Path, typer.Argument(help="A request file.", metavar="REQUEST.json", show_default=False)]
DevParams = Annotated[
    bool, typer.Option("--dev-params", help="Use parameters made by `cuzk params generate`, which are unsafe.")
]


def find_parameters(stem: str, extension: str, given: Path | None, dev_params: bool) -> Path:
    """Return the file given, or else the one of this name in the folder of parameters, its digest checked."""
    if given is not None:
        if not given.is_file():
            raise InputError(f"{given} is not a file")
        return given
    return _folder(dev_params).checked_file(f"{stem}.{extension}")


def find_prover_parameters(entry: CircuitEntry, given: Path | None, dev_params: bool, threads: int) -> Parameters:
    """Map the parameters to prove with: the file given, or the folder's, checked, with prepared points if there are."""
    path = find_parameters(entry.parameter_stem, "params", given, dev_params)
    if given is not None:
        return Parameters.open(path, check=Check.STRUCTURE)
    return open_parameters(_folder(dev_params), entry, threads=threads)


def _folder(dev_params: bool) -> ParameterFolder:
    return development_folder() if dev_params else network_folder()
