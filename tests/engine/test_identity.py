"""Which job a request means, and which one an id does."""

from cuzk.engine.identity import Identities, Known
from cuzk.engine.states import JobState


def accept(identities: Identities, request_id: str, digest: bytes, state: JobState = "queued") -> Known:
    known = identities.resolve(request_id, digest)
    if known.job_id not in identities:
        identities.add(known)
        identities.moved(known.job_id, state)
    return known


def test_the_same_pair_attaches_until_it_failed() -> None:
    identities = Identities()
    first = accept(identities, "x", b"1")
    assert accept(identities, "x", b"1").job_id == first.job_id == "x"
    identities.moved("x", "done")
    assert accept(identities, "x", b"1").job_id == "x"
    for state in ("failed", "cancelled"):
        newest = identities.find("x")
        assert newest is not None
        identities.moved(newest, state)
        assert accept(identities, "x", b"1").job_id != newest
    assert [identities.resolve("x", b"1").job_id, identities.resolve("x", b"1").attempt] == ["x~3", 3]


def test_other_content_is_another_job_and_the_bare_id_means_the_newest() -> None:
    identities = Identities()
    assert [accept(identities, "x", digest).job_id for digest in (b"1", b"2", b"3")] == ["x", "x~2", "x~3"]
    assert accept(identities, "x", b"2").job_id == "x~2"
    assert identities.find("x") == "x~3"
    assert identities.find("x~2") == "x~2"
    assert identities.find("y") is None


def test_ids_that_look_like_ours_do_not_collide() -> None:
    identities = Identities()
    accept(identities, "x~2", b"other")
    accept(identities, "x", b"1")
    assert accept(identities, "x", b"2").job_id == "x~3"
    accept(identities, "x~3", b"3")
    assert identities.find("x~3") == "x~3"  # the id that was handed out
    assert identities.find("x~2") == "x~2"


def test_what_is_forgotten_is_free_again() -> None:
    identities = Identities()
    accept(identities, "x", b"1")
    accept(identities, "x", b"2")
    identities.forget("x~2")
    assert identities.find("x") == "x"
    identities.forget("x")
    identities.forget("x")
    assert identities.find("x") is None
    assert accept(identities, "x", b"2").job_id == "x"
