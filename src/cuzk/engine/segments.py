"""Anonymous memory that travels between processes by descriptor (memfd): nothing to unlink, gone with its last holder.

Fresh segments are touched before they are handed out (the kernel zeroes pages at about a GiB a second), and free ones
are kept for the next partition of the same size; the core counts them in the budget and says which to close.
"""

import asyncio
import ctypes
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np

_TOUCH_AT_ONCE = 64 << 20
_FALLOC_FL_KEEP_SIZE = 1
_FALLOC_FL_PUNCH_HOLE = 2
_MADV_POPULATE_READ, _MADV_POPULATE_WRITE = 22, 23

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def write_segment(name: str, parts: Sequence[bytes | memoryview]) -> int:
    """Make a segment that holds these bytes; return its descriptor."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            for part in parts:
                file.write(part)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def touched_segment(name: str, size: int, threads: int) -> int:
    """Make a segment of this size with all its pages there; return its descriptor. MemoryError if they are not."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, size)
        starts = range(0, size, _TOUCH_AT_ONCE)
        with ThreadPoolExecutor(max(1, min(threads, len(starts)))) as pool:
            list(pool.map(lambda at: os.posix_fallocate(descriptor, at, min(_TOUCH_AT_ONCE, size - at)), starts))
    except OSError as error:
        os.close(descriptor)
        raise MemoryError(f"cannot get {size} bytes for a segment: {error.strerror}") from error
    return descriptor


async def in_thread(make: Callable[..., int], *arguments: Any) -> int:
    """Make a segment in a thread; whoever is cancelled meanwhile leaves no descriptor behind."""
    making = asyncio.ensure_future(asyncio.to_thread(make, *arguments))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        os.close(await making)
        raise


def drop_tail(descriptor: int, tail: int) -> None:
    """Give the pages of the last `tail` bytes back; they read as zero from then on."""
    size = os.fstat(descriptor).st_size
    begin = -(-(size - tail) // mmap.PAGESIZE) * mmap.PAGESIZE
    if begin < size and _libc.fallocate(descriptor, _FALLOC_FL_PUNCH_HOLE | _FALLOC_FL_KEEP_SIZE, begin, size - begin):
        number = ctypes.get_errno()
        raise OSError(number, f"cannot give pages of a segment back: {os.strerror(number)}")


@contextmanager
def mapped(descriptor: int, *, writable: bool) -> Iterator[memoryview]:
    """Map a segment for a block. Views of it must not outlive the block by much: they keep the mapping alive."""
    protection = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
    view = memoryview(mmap.mmap(descriptor, os.fstat(descriptor).st_size, flags=mmap.MAP_SHARED, prot=protection))
    # All pages at once: seven times as fast as one at a time, when they are first written to. Not with MAP_POPULATE:
    # `mmap` holds the GIL, for a minute if a segment is big. Linux before 5.14 refuses: there they come one at a time.
    populate = _MADV_POPULATE_WRITE if writable else _MADV_POPULATE_READ
    _libc.madvise(np.frombuffer(view, np.uint8).ctypes.data, len(view), populate)
    try:
        yield view
    finally:
        del view


class SegmentStore:
    """The engine's segments: in use by (job, partition), and free by size.

    A segment may be released before it was made (a worker died meanwhile): it is then owed to the free ones.
    """

    def __init__(self) -> None:
        self._used: dict[tuple[str, int], tuple[int, int]] = {}
        self._free: dict[int, list[int]] = {}
        self._owed: dict[int, int] = {}

    def take_free(self, job_id: str, partition: int, size: int) -> bool:
        """Use a free segment of this size; False if there is none."""
        if not self._free.get(size):  # the caller makes one: what was to be free, but is still being made, is too many
            self._owed[size] = max(0, self._owed.get(size, 0) - 1)
            return False
        self._used[job_id, partition] = size, self._free[size].pop()
        return True

    def put(self, job_id: str, partition: int, size: int, descriptor: int) -> None:
        """Use a new segment."""
        self._used[job_id, partition] = size, descriptor

    def put_late(self, size: int, descriptor: int) -> None:
        """Take in a new segment whose user is gone already."""
        if self._owed.get(size):
            self._owed[size] -= 1
            self._free.setdefault(size, []).append(descriptor)
        else:
            os.close(descriptor)

    def descriptor(self, job_id: str, partition: int) -> int | None:
        """Return the descriptor of a partition's segment, if it has one."""
        entry = self._used.get((job_id, partition))
        return None if entry is None else entry[1]

    def release(self, job_id: str, partition: int, size: int, *, keep: bool) -> None:
        """End the use of a segment: keep it free, or close it."""
        entry = self._used.pop((job_id, partition), None)
        if entry is None:
            self._owed[size] = self._owed.get(size, 0) + keep
        elif keep:
            self._free.setdefault(size, []).append(entry[1])
        else:
            os.close(entry[1])

    def drop_free(self, size: int) -> None:
        """Close one free segment of this size, or owe one less."""
        if self._free.get(size):
            os.close(self._free[size].pop())
        elif self._owed.get(size):
            self._owed[size] -= 1

    def close(self) -> None:
        """Close all."""
        for descriptor in (entry[1] for entry in self._used.values()):
            os.close(descriptor)
        for descriptor in chain.from_iterable(self._free.values()):
            os.close(descriptor)
        self._used.clear()
        self._free.clear()
