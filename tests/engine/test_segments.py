"""Segments and what lies in them."""

import os
import resource

import numpy as np
import pytest

from cuzk.engine.kinds import Prepared
from cuzk.engine.payloads import PreparedReader, decode_request, digest_request, encode_request, pack_prepared
from cuzk.engine.segments import SegmentStore, drop_tail, mapped, touched_segment, write_segment
from cuzk.errors import FormatError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Priority, Request

MIB = 1 << 20


def pages(descriptor: int) -> int:
    return os.fstat(descriptor).st_blocks * 512


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


def test_requests_are_told_apart_by_everything_but_id_and_priority() -> None:
    request = Request(Kind.WINNING, 3, 2048, "x [1]", Priority.CRITICAL, b"v", (b"1", b"2"), 4, 5, b"r" * 32, 6)
    assert decode_request(encode_request(request)) == request
    same = Request(Kind.WINNING, 3, 2048, "y", Priority.LOW, b"v", (b"1", b"2"), 4, 5, b"r" * 32, 6)
    other = Request(Kind.WINNING, 3, 2048, "x [1]", Priority.CRITICAL, b"v", (b"12",), 4, 5, b"r" * 32, 6)
    assert digest_request(request) == digest_request(same)
    assert digest_request(request) != digest_request(other)
