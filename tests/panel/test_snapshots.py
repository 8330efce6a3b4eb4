"""The snapshots that these tests show have exactly the keys that the engine's have."""

import msgspec
import pytest

from cuzk.engine.status import Status
from tests.panel import snapshots


@pytest.mark.parametrize("name", ["idle", "busy", "troubled", "long_ids"])
def test_keys_and_types_are_the_engines(name: str) -> None:
    snapshot = getattr(snapshots, name)()
    assert msgspec.to_builtins(msgspec.convert(snapshot, Status)) == snapshot
