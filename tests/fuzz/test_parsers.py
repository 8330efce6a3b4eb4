"""A short run of every fuzz target; `make fuzz` gives each five minutes."""

import pytest

from tests.fuzz.fuzzer import fuzz
from tests.fuzz.targets import TARGETS, Target


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_damaged_input_is_refused_or_read(target: Target) -> None:
    assert fuzz(target, max_examples=60) > 0
