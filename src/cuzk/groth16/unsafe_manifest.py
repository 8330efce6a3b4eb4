"""Marks the parameter files made here as unsafe, in the manifest of their folder.

`parameters.json` names each file with its digest, the first 16 bytes of BLAKE2b-512 in hex, in the form of the
network's own manifest (rust-fil-proofs, parameters.json) plus `"unsafe": true`: a process knew their toxic waste.
"""

import fcntl
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from cuzk.errors import FormatError, InputError
from cuzk.files import read_bounded, replacing

MANIFEST_NAME = "parameters.json"

_MAX_FILE_SIZE = 16 << 20
_DIGEST_BYTES = 16
_NAME = re.compile(r"[A-Za-z0-9._-]{1,250}\.params", re.ASCII)


class DigestingWriter:
    """Passes bytes on to a file while it digests them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.blake2b()

    def write(self, data: bytes | memoryview) -> None:
        """Write bytes."""
        self._file.write(data)
        self._hash.update(data)

    @property
    def digest(self) -> str:
        """The digest, in hex, of what was written so far."""
        return self._hash.hexdigest()[: 2 * _DIGEST_BYTES]


def check_may_write(path: Path) -> None:
    """Raise InputError unless `path` is a name for parameters and not that of a file which is not marked unsafe."""
    if not _NAME.fullmatch(path.name):
        raise InputError(f"parameters are named *.params, of letters, digits, dots and hyphens; not {path.name!r}")
    manifest = _read(path.parent)
    for name in (path.name, path.with_suffix(".vk").name):
        if name in manifest and not manifest[name].get("unsafe"):
            raise InputError(
                f"{path.parent / MANIFEST_NAME} has {name} as a file of a trusted setup: choose another name"
            )


Publish = Callable[[Mapping[str, str]], None]


@contextmanager
def publishing(folder: Path, sector_size: int) -> Iterator[Publish]:
    """Let the files of one set of parameters take their names together with their entries in the manifest.

    The block gets a function to call with the files' digests by name when all is written: from then on, until the
    block ends and they stand in the manifest, marked unsafe, nobody else publishes in this folder. So files are to be
    opened `replacing` inside the block, which names them as it ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder, os.O_RDONLY)
    published: dict[str, str] = {}

    def publish(digests: Mapping[str, str]) -> None:
        fcntl.flock(lock, fcntl.LOCK_EX)
        published.update(digests)

    try:
        yield publish
        _record(folder, published, sector_size)
    finally:
        os.close(lock)


def _record(folder: Path, digests: Mapping[str, str], sector_size: int) -> None:
    manifest = _read(folder)
    for name, digest in digests.items():
        manifest[name] = {"cid": "", "digest": digest, "sector_size": sector_size, "unsafe": True}
    with replacing(folder / MANIFEST_NAME) as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def _read(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / MANIFEST_NAME
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(read_bounded(path, _MAX_FILE_SIZE), type=dict[str, dict[str, Any]])
    except msgspec.DecodeError as error:
        raise FormatError(f"{path} is not a manifest of parameter files: {error}") from error
