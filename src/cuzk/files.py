"""Reading and writing whole files with care: sizes before bytes, and nothing half-written under a final name."""

import errno
import fcntl
import mmap
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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

    What a writer that was killed left beside it is removed. InputError if it cannot be made or written, as when the
    disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _remove_abandoned(path)
        descriptor, name = _temporary(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)  # while it is locked
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise InputError(f"cannot write {path}: {error.strerror}") from error
        raise


@contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Hold a lock file, which one process at a time does; InputError if it cannot be written.

    It stays behind, since removing it would let two processes hold different ones.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("w")
    except OSError as error:
        raise InputError(f"cannot write {lock}: {error.strerror or error}") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _temporary(path: Path) -> tuple[int, str]:
    """Make a file beside `path`, locked for as long as it is open: `_remove_abandoned` takes no other for alive."""
    while True:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, name
        os.close(descriptor)  # another writer was here before the lock


def _remove_abandoned(path: Path) -> None:
    """Remove the files that `_temporary` made and nobody holds."""
    made = re.compile(re.escape(f".{path.name}.") + "[a-z0-9_]{8}")
    with suppress(OSError):  # a folder that may be written and not read
        for other in path.parent.iterdir():
            if made.fullmatch(other.name) and other.is_file():
                with suppress(OSError), other.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    other.unlink()


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
