"""Manifests: which parameter files there are, and the digest that each must have.

Three exist: the network's, shipped with this package (`network.tsv`); a `parameters.json` in the parameter folder, as
rust-fil-proofs' tools write it; and one of the same form in the folder of development parameters.
The digest of a file is the first 16 bytes of its BLAKE2b-512 (rust-fil-proofs, storage-proofs-core parameter_cache).
"""

import functools
import hashlib
import importlib.resources
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from cuzk.errors import FormatError, InputError

DIGEST_BYTES = 16
MANIFEST_NAME = "parameters.json"

_MAX_MANIFEST_BYTES = 16 << 20
_NAME = re.compile(r"[A-Za-z0-9._-]{1,250}\.(params|vk|srs|meta)", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)
_CID = re.compile(r"[A-Za-z0-9]{0,100}", re.ASCII)


class ManifestEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """One file of a manifest: its IPFS CID (empty where it has none), digest (hex) and sector size in bytes."""

    cid: str
    digest: str
    sector_size: int
    #: True for parameters whose toxic waste is, or may be, known: never for the network.
    unsafe: bool = False


Manifest = Mapping[str, ManifestEntry]


@dataclass(frozen=True)
class CheckedFile:
    """The result of checking a file against a manifest."""

    name: str
    expected: str
    actual: str
    unsafe: bool

    @property
    def good(self) -> bool:
        """Whether the file has the digest that the manifest states."""
        return self.actual == self.expected


@functools.cache
def network_manifest() -> Manifest:
    """Return the manifest of the Filecoin network: file name to entry."""
    text = importlib.resources.files("cuzk.filecoin.parameters").joinpath("network.tsv").read_text(encoding="ascii")
    entries: dict[str, ManifestEntry] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        stem, size, params_cid, params_digest, vk_cid, vk_digest = line.split("\t")
        entries[f"{stem}.params"] = ManifestEntry(params_cid, params_digest, int(size))
        entries[f"{stem}.vk"] = ManifestEntry(vk_cid, vk_digest, int(size))
    return entries


def read_manifest(path: Path) -> Manifest:
    """Read a `parameters.json`: {file name: {cid, digest, sector_size}}; FormatError says what is wrong with it."""
    if path.stat().st_size > _MAX_MANIFEST_BYTES:
        raise FormatError(
            f"{path}: a manifest is at most {_MAX_MANIFEST_BYTES} bytes, this one has {path.stat().st_size}"
        )
    try:
        entries = msgspec.json.decode(path.read_bytes(), type=dict[str, ManifestEntry])
    except msgspec.DecodeError as error:
        raise FormatError(f"{path}: not a parameter manifest: {error}") from error
    for name, entry in entries.items():
        if not _NAME.fullmatch(name):
            raise FormatError(f"{path}: expected the name of a parameter file, got {name!r}")
        if not _DIGEST.fullmatch(entry.digest):
            raise FormatError(f"{path}: digest of {name}: expected 32 lower-case hex digits, got {entry.digest!r}")
        if not _CID.fullmatch(entry.cid):
            raise FormatError(f"{path}: cid of {name}: expected letters and digits, got {entry.cid!r}")
    return entries


def folder_manifest(folder: Path) -> Manifest:
    """Return the manifest that holds for a folder: the network's and the folder's own `parameters.json`.

    Parameters made for development have the network's names. Entries marked unsafe say so and stand; otherwise the
    network's digest holds for a name of the network, so that other parameters never pass for the network's.
    """
    path = folder / MANIFEST_NAME
    own = read_manifest(path) if path.is_file() else {}
    return {**own, **network_manifest(), **{name: entry for name, entry in own.items() if entry.unsafe}}


def file_digest(path: Path) -> str:
    """Return a file's digest in hex: the first 16 bytes of BLAKE2b-512, computed in constant memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, hashlib.blake2b).digest()[:DIGEST_BYTES].hex()


def check_file(path: Path, manifest: Manifest) -> CheckedFile:
    """Compare a file with its entry; InputError where the manifest does not know the name."""
    entry = manifest.get(path.name)
    if entry is None:
        raise InputError(f"{path.name}: no manifest of this folder knows a parameter file of this name")
    return CheckedFile(path.name, entry.digest, file_digest(path), entry.unsafe)
