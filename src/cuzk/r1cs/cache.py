"""The cache of compiled circuits: traced once on a machine, mapped from then on."""

import hashlib
import logging
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from cuzk.errors import InputError
from cuzk.r1cs import storage
from cuzk.r1cs.builder import ConstraintSystem
from cuzk.r1cs.compiled import CompiledCircuit

__all__ = ["cached_circuit"]

_SUFFIX = ".pce"
_log = logging.getLogger(__name__)


def cached_circuit(
    folder: Path, name: str, circuit: Callable[[ConstraintSystem], None], sources: Iterable[Path]
) -> CompiledCircuit:
    """Return the compiled circuit from the folder, or trace it and leave it there.

    `sources` are the files, or folders of them, with the code that writes the circuit: the name of the cached file
    contains their digest, so that a change of the code is never answered with the circuit of before. A damaged file is
    replaced; if the folder cannot be written, the circuit is just not kept.
    """
    path = folder / f"{name}-{_fingerprint(tuple(sources))}{_SUFFIX}"
    if path.exists():
        try:
            return storage.load(path)
        except InputError as error:
            _log.warning("%s; the circuit is traced again", error)
    compiled = CompiledCircuit.trace(name, circuit)
    try:
        storage.save(compiled, path)
        _remove_older(folder, name, path)
    except InputError as error:
        _log.warning("%s; the compiled circuit is not kept", error)
    return compiled


def _remove_older(folder: Path, name: str, path: Path) -> None:
    """Remove the circuits of the same name that other code left; who has one mapped keeps it."""
    pattern = re.compile(re.escape(name) + "-[0-9a-f]{16}" + re.escape(_SUFFIX))
    for other in folder.iterdir():
        if other != path and pattern.fullmatch(other.name):
            other.unlink(missing_ok=True)


@cache
def _fingerprint(sources: tuple[Path, ...]) -> str:
    """Return a digest of the code, in 16 hex digits."""
    digest = hashlib.sha256(storage.VERSION.to_bytes(8, "little"))
    for source in sources:
        for file in sorted(source.glob("*.py")) if source.is_dir() else [source]:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
