"""Checks of parameter files, and what is remembered of them."""

import asyncio
import errno
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cuzk.engine.checks import FileChecks


@dataclass
class CountedFile:
    """A parameter file that is good, and counts how often it was looked at."""

    path: Path
    identity: str = "one"
    checked: list[str] = field(default_factory=list)

    def check(self) -> None:
        self.checked.append(self.identity)


def test_a_good_file_is_good_though_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    file, checks = CountedFile(tmp_path / "a.params"), FileChecks(tmp_path / "verified.json")
    try:
        asyncio.run(checks.check(file))
        asyncio.run(checks.check(file))
    finally:
        checks.close()
    assert file.checked == ["one"]
    assert not list(tmp_path.iterdir())
