"""Reading and writing whole files with care: sizes before bytes, and nothing half-written under a final name."""

import errno
import fcntl
import io
import mmap
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from cuzk.errors import FormatError, InputError

_PIECE = 1 << 16


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
    with replacing_together(path) as (file,):
        yield file


@contextmanager
def replacing_together(*paths: Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Open several new files as `replacing` does. None takes its name before all are on the disk, whole."""
    with ExitStack() as stack:
        new = [stack.enter_context(closing(_NewFile(path))) for path in paths]
        yield tuple(one.file for one in new)
        for one in new:
            one.finish()
        for one in new:
            one.take_name()


def appending(path: Path) -> BinaryIO:
    """Open a file to write at its end; here and later InputError names it if that cannot be."""
    with writing(path):
        return io.BufferedWriter(_NamedFile(path, "ab", path))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Have what the system refuses in the block raised as an InputError that names this file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Hold a lock file, which one process at a time does; InputError if it cannot be written.

    It stays behind, since removing it would let two processes hold different ones.
    """
    with writing(lock):
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("w")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class _NewFile:
    """A file under a name of its own beside the one that it is to take."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            self._target = Path(os.path.realpath(path))  # a link stays one
            self._target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if path.exists() and not path.is_file():  # such as /dev/null, which would be a file from then on
                raise OSError(errno.EINVAL, "it is not a regular file")
            _remove_abandoned(self._target)
            descriptor, name = _temporary(self._target)
        self._temporary = Path(name)
        self.file: BinaryIO = io.BufferedWriter(_NamedFile(descriptor, "wb", path))

    def finish(self) -> None:
        """Have everything on the disk."""
        self.file.flush()
        with writing(self._path):
            os.fsync(self.file.fileno())
            self._temporary.chmod(0o666 & ~_umask())

    def take_name(self) -> None:
        """Take the final name; the file is locked meanwhile."""
        with writing(self._path):
            self._temporary.replace(self._target)

    def close(self) -> None:
        """Close the file, and remove it unless it took its name."""
        with suppress(InputError):  # what is still to be written then matters to nobody
            self.file.close()
        self._temporary.unlink(missing_ok=True)


class _NamedFile(io.FileIO):
    """Says which file could not be written: with several open at a time, nobody else could."""

    def __init__(self, file: int | Path, mode: str, path: Path) -> None:
        super().__init__(file, mode)
        self._path = path

    def write(self, data: Any, /) -> int:
        with writing(self._path):
            return super().write(data)


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
