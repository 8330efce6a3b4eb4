"""Reading and writing whole files with care: sizes before bytes, and nothing half-written under a final name."""

import errno
import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cuzk.errors import FormatError, InputError

_PIECE = 1 << 16
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def read_bounded(path: Path, limit: int) -> bytes:
    """Return a file's bytes; InputError if it cannot be read, FormatError if it has more than `limit` bytes."""
    pieces: list[bytes] = []
    left = limit + 1
    try:
        with path.open("rb") as file:
            # A read allocates what it asks for, so ask for what there is; a pipe does not say, and is read in pieces.
            step = max(os.fstat(file.fileno()).st_size, _PIECE)
            while piece := file.read(min(step, left)):
                pieces.append(piece)
                left -= len(piece)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    if not left:
        raise FormatError(f"{path} is too large: expected at most {limit} bytes")
    return b"".join(pieces)


def map_file(path: Path) -> memoryview:
    """Map a file into memory, read-only; InputError if it cannot be read, FormatError if it is empty."""
    try:
        with path.open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:  # an empty file cannot be mapped
        raise FormatError(f"{path} is empty") from error


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the name `path` when the block ends well, and vanishes when it does not.

    InputError if it cannot be made or written, as when the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise InputError(f"cannot write {path}: {error.strerror}") from error
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
