"""The example in docs/groth16.md runs as it stands."""

import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (REPOSITORY / "docs" / "groth16.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/groth16.md", "exec"), {})
    assert (tmp_path / "chain.params").exists()
