"""Who holds which job, where ids are used again."""

import asyncio

from cuzk.engine.book import Handle, JobBook
from cuzk.engine.identity import Known
from cuzk.errors import InputError
from tests.engine.loop import in_loop, until


def attended(book: JobBook) -> Handle:
    """Return a job of always the same id, held by one caller."""
    handle = Handle(Known("x", "x", b"digest", 1), submitted=0.0, deadline=None, kept=False)
    book.open(handle)
    book.hold(handle, attended=True)
    return handle


@in_loop
async def test_who_lets_go_of_a_refused_job_lets_go_of_no_other() -> None:
    cancelled: list[str] = []
    book = JobBook(0.0, lambda job_id, _reason: cancelled.append(job_id))
    refused = attended(book)
    book.refused(refused, InputError("no"))
    again = attended(book)
    book.release(refused)
    assert again.callers == 1
    await asyncio.sleep(0.01)
    assert not cancelled
    book.release(again)
    await until(lambda: cancelled)
    assert cancelled == ["x"]


@in_loop
async def test_a_refused_job_that_nobody_held_cancels_no_other() -> None:
    cancelled: list[str] = []
    book = JobBook(0.0, lambda job_id, _reason: cancelled.append(job_id))
    refused = attended(book)
    book.release(refused)
    book.refused(refused, InputError("no"))
    attended(book)
    await asyncio.sleep(0.01)
    assert not cancelled
