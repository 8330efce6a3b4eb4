"""Folders of parameter files: the network's and those made for development.

Network parameters lie where all Filecoin software keeps them: FIL_PROOFS_PARAMETER_CACHE, by default
/var/tmp/filecoin-proof-parameters (rust-fil-proofs, storage-proofs-core/src/settings.rs). Development parameters lie in
the user's cache and never pass for the network's: their manifest marks them unsafe, and nothing looks for them unasked.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from cuzk.errors import InputError
from cuzk.filecoin.parameters.manifest import (
    MANIFEST_NAME,
    CheckedFile,
    Manifest,
    check_file,
    folder_manifest,
    read_manifest,
)
from cuzk.filecoin.parameters.names import circuit_ids

NETWORK_FOLDER_VARIABLE = "FIL_PROOFS_PARAMETER_CACHE"
CACHE_VARIABLE = "CUZK_CACHE"

_NETWORK_DEFAULT = "/var/tmp/filecoin-proof-parameters"  # noqa: S108 - where the network's software looks


@dataclass(frozen=True)
class ParameterFolder:
    """A folder of parameter files; a file in it is judged by this folder's own manifest."""

    path: Path
    development: bool = False

    @property
    def manifest(self) -> Manifest:
        """File name to entry: the network's and the folder's own, or for development only the folder's own."""
        if not self.development:
            return folder_manifest(self.path)
        path = self.path / MANIFEST_NAME
        return read_manifest(path) if path.is_file() else {}

    def file(self, name: str) -> Path:
        """Return the path of a file that is here; InputError says where it was looked for and how to get it."""
        path = self.path / name
        if not path.is_file():
            how = "make it with `cuzk params generate" if self.development else "get it with `cuzk params fetch"
            circuit_id = circuit_ids().get(Path(name).stem)
            raise InputError(
                f"there is no parameter file {name} in {self.path}: {how}{f' {circuit_id}' if circuit_id else ''}`"
            )
        return path

    def check(self, name: str) -> CheckedFile:
        """Compare a file's digest with the manifest.

        InputError if the file or its entry is missing, or if it is marked unsafe and this is no development folder.
        """
        path = self.file(name)
        entry = self.manifest.get(name)
        if entry is not None and entry.unsafe and not self.development:
            raise InputError(f"{path} is marked unsafe: development parameters are used only when asked for")
        return check_file(path, self.manifest)

    def checked_file(self, name: str) -> Path:
        """Return the path of a file whose digest is the manifest's; InputError as `check`, or if it is another."""
        path, checked = self.file(name), self.check(name)
        if not checked.good:
            raise InputError(f"{path}: expected the digest {checked.expected}, got {checked.actual}")
        return path


def network_folder() -> ParameterFolder:
    """Return the folder of the network's parameters, by environment or default."""
    return ParameterFolder(Path(os.environ.get(NETWORK_FOLDER_VARIABLE) or _NETWORK_DEFAULT))


def development_folder() -> ParameterFolder:
    """Return the folder of parameters made here: `dev-params` in the cache."""
    return ParameterFolder(cache_folder() / "dev-params", development=True)


def cache_folder() -> Path:
    """Return the folder of derived data: $CUZK_CACHE, or the user's cache folder."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_path("cuzk"))
