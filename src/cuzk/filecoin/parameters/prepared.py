"""Prepared parameters of Filecoin's circuits: made once by `cuzk params prepare`, used by every proof from then on.

They lie in the cache, `prepared/network` or `prepared/dev-params`, one file a circuit and instruction set, and belong
to the parameter file whose digest the manifest has: a file that is not of that digest is not used.
"""

import logging
from collections.abc import Mapping
from pathlib import Path

from cuzk.devices.cpu import kernel_isa
from cuzk.errors import InputError
from cuzk.filecoin.parameters.folder import ParameterFolder, cache_folder
from cuzk.filecoin.registry import CircuitEntry
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.points import Check
from cuzk.groth16.prepared import prepared_size

__all__ = ["MULTIPLES", "default_multiples", "open_parameters", "prepare_parameters", "prepared_path"]

MULTIPLES = (8, 4, 2, 1)
"""What is chosen from: with more, reading them costs what they save (docs/performance.md)."""

_SMALL = 512 << 20
"""Multiples are kept for circuits whose prepared parameters are then no larger than this."""
_log = logging.getLogger(__name__)


def prepared_path(folder: ParameterFolder, circuit_id: str) -> Path:
    """Return where a circuit's prepared parameters are kept for the instruction set in use."""
    kind = "dev-params" if folder.development else "network"
    return cache_folder() / "prepared" / kind / f"{circuit_id}-{kernel_isa()}.prepared"


def default_multiples(counts: Mapping[str, int]) -> int:
    """Return how many multiples to keep of vectors of these lengths: as many as are small, else one."""
    return next((number for number in MULTIPLES if prepared_size(counts, number) <= _SMALL), 1)


def open_parameters(folder: ParameterFolder, entry: CircuitEntry, *, threads: int = 1) -> Parameters:
    """Map a circuit's parameter file, whose digest was checked, and its prepared points if there are any of use.

    InputError if the parameter file is missing, FormatError if it is not one.
    """
    name = f"{entry.parameter_stem}.params"
    parameters = Parameters.open(folder.file(name), check=Check.STRUCTURE)
    manifest_entry, path = folder.manifest.get(name), prepared_path(folder, entry.circuit_id)
    if manifest_entry is None or not path.is_file():
        return parameters
    try:
        return parameters.with_prepared(path, source=manifest_entry.digest, threads=threads)
    except InputError as error:  # damaged, of other parameters, or not to be read by this user
        _log.warning("%s; proving from the parameter file (`cuzk params prepare` makes it anew)", error)
        return parameters


def prepare_parameters(
    folder: ParameterFolder, entry: CircuitEntry, *, multiples: int | None = None, threads: int = 1
) -> Parameters:
    """Check a circuit's parameter file and return it with prepared points, made unless they are there.

    InputError if the file is missing or is not the manifest's, or if nothing can be written.
    """
    name = f"{entry.parameter_stem}.params"
    path = folder.checked_file(name)
    parameters = Parameters.open(path, check=Check.STRUCTURE)
    if multiples is None:
        multiples = default_multiples(parameters.counts)
    return parameters.prepare(
        prepared_path(folder, entry.circuit_id),
        source=folder.manifest[name].digest,
        multiples=multiples,
        threads=threads,
    )
