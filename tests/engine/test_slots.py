"""Sums over slots of time, against sums over all that ever happened."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuzk.engine.slots import Slots


def test_amounts_fall_into_their_slots_and_leave_with_them() -> None:
    slots = Slots(10, 3)
    for at, amount in ((1, 1), (9.9, 1), (10, 5), (31, 7)):
        slots.add(at, amount)
    assert slots.read(31, 0) == [5, 0, 7]
    assert slots.read(45, 0) == [0, 7, 0]
    assert slots.read(35, 33) == [7]
    assert slots.oldest(35) == 10
    assert Slots(10, 3).read(5, 0) == [0]


def test_an_interval_is_cut_at_the_boundaries() -> None:
    slots = Slots(10, 3)
    slots.add_interval(7, 22)
    assert slots.read(22, 0) == [3, 10, 2]
    assert slots.read(25, 0, running_since=24) == [3, 10, 3]
    assert slots.read(25, 0) == [3, 10, 2], "what runs is not added"
    slots.add_interval(24, 1000)
    assert slots.read(1000, 0) == [10, 10, 0]


@given(
    st.lists(st.floats(0.01, 40), min_size=2, max_size=40),
    st.floats(0.5, 20),
    st.integers(1, 8),
)
def test_intervals_one_after_the_other(steps: list[float], seconds: float, count: int) -> None:
    slots, now, intervals = Slots(seconds, count), 100.0, []
    for pause, length in zip(steps[::2], steps[1::2], strict=False):
        intervals.append((now + pause, now + pause + length))
        now += pause + length
        slots.add_interval(*intervals[-1])
    newest = int(now // seconds)
    expected = [
        sum(max(0.0, min(end, (slot + 1) * seconds) - max(start, slot * seconds)) for start, end in intervals)
        for slot in range(max(newest - count + 1, int(100 // seconds)), newest + 1)
    ]
    assert slots.read(now, 100.0) == pytest.approx(expected, abs=1e-6)
