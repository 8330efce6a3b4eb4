"""The order of partitions before a stage."""

from hypothesis import given
from hypothesis import strategies as st

from cuzk.engine.scheduler import Entry, Rank, StageQueue

NEVER = float("inf")


def queue(**changes: object) -> StageQueue:
    return StageQueue(**({"grouping": True, "max_delay": 5.0, "max_jobs": 0} | changes))  # type: ignore[arg-type]


def entry(
    job: str, age: int, partition: int = 0, *, circuit: str = "a", priority: int = 2, deadline: float = NEVER
) -> Entry:
    return Entry(Rank(-priority, deadline, age, partition), job, circuit)


def jobs(line: StageQueue, now: float = 0.0) -> list[str]:
    return [found.job_id for found in line.in_order(now)]


def test_priority_then_deadline_then_age_then_partition() -> None:
    line = queue()
    entries = [
        entry("winning", 9, priority=4),
        entry("soon", 5, deadline=50.0),
        entry("later", 4, deadline=60.0),
        entry("old", 1, 0),
        entry("old", 1, 1),
        entry("young", 2),
        entry("low", 0, priority=1),
    ]
    for number in (4, 0, 6, 2, 5, 1, 3):
        line.add(entries[number])
    assert list(line.in_order(0.0)) == entries


def test_the_same_circuit_passes_others_of_its_priority_for_a_while() -> None:
    line = queue()
    line.add(first := entry("first", 1))
    line.add(entry("other", 2, circuit="b"))
    line.add(entry("same", 3))
    line.add(entry("urgent", 4, circuit="b", priority=3))
    line.take(first)
    assert jobs(line, 10.0) == ["urgent", "other", "same"]
    line.remove(entry("urgent", 4, circuit="b", priority=3))
    assert jobs(line, 10.0) == ["same", "other"]
    assert jobs(line, 14.9) == ["same", "other"]
    assert jobs(line, 15.0) == ["other", "same"]


def test_no_more_than_max_jobs_go_in_a_row() -> None:
    line = queue(max_jobs=2)
    for age in range(4):
        line.add(entry(f"a{age}", age, 0))
        line.add(entry(f"a{age}", age, 1))
    line.add(entry("b", 1, circuit="b"))
    order = []
    while line.entries:
        first = next(iter(line.in_order(0.0)))
        order.append(first.job_id)
        line.take(first)
    assert order == ["a0", "a0", "a1", "a1", "b", "a2", "a2", "a3", "a3"]


def test_without_grouping_rank_is_all() -> None:
    line = queue(grouping=False)
    line.add(first := entry("first", 1))
    line.add(entry("other", 2, circuit="b"))
    line.add(entry("same", 3))
    line.take(first)
    assert jobs(line) == ["other", "same"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=12))
def test_everything_goes_once_and_no_priority_passes_a_higher_one(wanted: list[tuple[str, int, int]]) -> None:
    line = queue(max_delay=2.0)
    for age, (circuit, priority, partitions) in enumerate(wanted):
        for partition in range(partitions):
            line.add(entry(f"{age}", age, partition, circuit=circuit, priority=priority))
    count, gone = len(line), []
    for now in range(count):
        first = next(iter(line.in_order(float(now))))
        line.take(first)
        gone.append(first)
    assert len(set(gone)) == count
    assert not line.entries
    assert [found.rank.urgency for found in gone] == sorted(found.rank.urgency for found in gone)
    for job in {found.job_id for found in gone}:
        parts = [found.rank.partition for found in gone if found.job_id == job]
        assert parts == sorted(parts)
