"""What the commands that prove and verify requests share: which parameter files they use."""

from pathlib import Path
from typing import Annotated

import typer

from cuzk.errors import InputError
from cuzk.filecoin.parameters.folder import development_folder, network_folder

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
    folder = development_folder() if dev_params else network_folder()
    return folder.checked_file(f"{stem}.{extension}")
