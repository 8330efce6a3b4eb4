"""Marks the parameter files made here as unsafe, in the manifest of their folder.

`parameters.json` names each file with its digest, the first 16 bytes of BLAKE2b-512 in hex, in the form of the
network's own manifest (rust-fil-proofs, parameters.json) plus `"unsafe": true`: a process knew their toxic waste.
"""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from cuzk.errors import FormatError, InputError
from cuzk.files import read_bounded, replacing_together

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


@contextmanager
def publishing(folder: Path, names: Sequence[str], sector_size: int) -> Iterator[list[DigestingWriter]]:
    """Open new files of one set of parameters; they take their names together with their entries in the manifest.

    When the block ends well they stand in the manifest, marked unsafe; else nothing is left of them, and everything is
    as it was. While they take their names nobody else publishes in this folder.
    """
    with ExitStack() as afterwards, replacing_together(*(folder / name for name in (*names, MANIFEST_NAME))) as files:
        writers = [DigestingWriter(file) for file in files[:-1]]
        yield writers
        lock = os.open(folder, os.O_RDONLY)
        afterwards.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        manifest = _read(folder)
        for name, writer in zip(names, writers, strict=True):
            manifest[name] = {"cid": "", "digest": writer.digest, "sector_size": sector_size, "unsafe": True}
        files[-1].write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def _read(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / MANIFEST_NAME
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(read_bounded(path, _MAX_FILE_SIZE), type=dict[str, dict[str, Any]])
    except msgspec.DecodeError as error:
        raise FormatError(f"{path} is not a manifest of parameter files: {error}") from error
