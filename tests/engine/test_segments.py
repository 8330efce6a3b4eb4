"""Segments and what lies in them."""

import asyncio
import os
import re
import resource
import threading
from pathlib import Path

import numpy as np
import pytest

from cuzk.engine.kinds import Prepared
from cuzk.engine.payloads import PreparedReader, pack_prepared
from cuzk.engine.segments import SegmentStore, drop_tail, in_thread, mapped, touched_segment, write_segment
from cuzk.errors import FormatError
from tests.engine.loop import in_loop, until

MIB = 1 << 20


def pages(descriptor: int) -> int:
    return os.fstat(descriptor).st_blocks * 512


@pytest.mark.skipif(
    tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) < (5, 14), reason="before 5.14 Linux cannot"
)
def test_all_pages_are_mapped_at_once() -> None:
    descriptor = touched_segment("test-mapped", 3 * MIB, 1)
    try:
        for writable in (False, True):
            with mapped(descriptor, writable=writable):
                maps = Path("/proc/self/smaps").read_text()
                assert re.search(r"memfd:test-mapped .*\nSize: +3072 kB\n(.*\n)*?Rss: +3072 kB\n", maps)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("threads", [1, 3])
def test_fresh_segments_have_all_their_pages(threads: int) -> None:
    descriptor = touched_segment("test", 130 * MIB + 5, threads)
    try:
        assert pages(descriptor) >= 130 * MIB + 5
        with mapped(descriptor, writable=True) as view:
            view[-1] = 7
        drop_tail(descriptor, 100 * MIB)
        assert 30 * MIB <= pages(descriptor) <= 31 * MIB
        with mapped(descriptor, writable=False) as view:
            assert len(view) == 130 * MIB + 5
            assert view[-1] == 0
    finally:
        os.close(descriptor)


def test_a_segment_that_cannot_be_is_a_memory_error() -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, limits[1]))
    try:
        with pytest.raises(MemoryError, match="cannot get 2097152 bytes for a segment: File too large"):
            touched_segment("test", 2 * MIB, 1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_free_segments_are_used_again() -> None:
    store = SegmentStore()
    assert not store.take_free("a", 0, MIB)
    store.put("a", 0, MIB, descriptor := touched_segment("test", MIB, 1))
    store.release("a", 0, MIB, keep=True)
    assert store.descriptor("a", 0) is None
    assert store.take_free("b", 1, MIB)
    assert store.descriptor("b", 1) == descriptor
    store.release("b", 1, MIB, keep=False)
    assert not store.take_free("b", 1, MIB)


def test_a_segment_that_is_released_before_it_is_made_goes_where_it_was_to_go() -> None:
    store = SegmentStore()
    store.release("a", 0, MIB, keep=True)
    store.put_late(MIB, touched_segment("test", MIB, 1))
    assert store.take_free("b", 0, MIB)
    store.release("a", 1, MIB, keep=False)
    store.put_late(MIB, touched_segment("test", MIB, 1))
    assert not store.take_free("b", 1, MIB)
    store.release("a", 2, MIB, keep=True)
    store.drop_free(MIB)
    store.put_late(MIB, touched_segment("test", MIB, 1))
    assert not store.take_free("b", 2, MIB)
    store.release("a", 3, MIB, keep=True)
    assert not store.take_free("b", 3, MIB)  # counted as the owed one, and made anew meanwhile
    store.put("b", 3, MIB, touched_segment("test", MIB, 1))
    store.put_late(MIB, touched_segment("test", MIB, 1))
    assert not store.take_free("b", 4, MIB)
    store.close()


def test_a_checked_job_is_read_in_place() -> None:
    job = {"paths": np.arange(1000, dtype=np.uint64), "more": [np.ones((2, 3)), "text"]}
    prepared = Prepared("winning-2k", job, [b"\1" * 32, b"", b"\2" * 64])
    descriptor = write_segment("test", pack_prepared(prepared))
    with mapped(descriptor, writable=False) as view:
        reader = PreparedReader(view)
        assert (reader.circuit_id, len(reader)) == ("winning-2k", 3)
        assert [reader.public_inputs(number) for number in range(3)] == list(prepared.public_inputs)
        read = reader.job()
        np.testing.assert_array_equal(read["paths"], job["paths"])
        assert not read["paths"].flags.owndata
        assert not read["paths"].flags.writeable
        with pytest.raises(IndexError):
            reader.public_inputs(3)
    os.close(descriptor)


@pytest.mark.parametrize("damage", [b"", b"x", b"cuzkjob1" + b"\xff" * 8, b"cuzkjob2" + b"\0" * 8])
def test_what_is_no_checked_job_is_refused(damage: bytes) -> None:
    with pytest.raises(FormatError):
        PreparedReader(memoryview(damage))


@in_loop
async def test_a_segment_that_nobody_waits_for_any_more_is_closed() -> None:
    begun, go_on = threading.Event(), threading.Event()
    made: list[int] = []

    def make() -> int:
        begun.set()
        go_on.wait()
        made.append(write_segment("test", [b"x"]))
        return made[0]

    waiting = asyncio.create_task(in_thread(make))
    await until(begun.is_set)
    waiting.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(made[0])
