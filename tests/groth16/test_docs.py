"""The examples in docs/groth16.md run as they stand, one after the other in one folder."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runner import cuzk
from tests.conftest import REPOSITORY


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (REPOSITORY / "docs" / "groth16.md").read_text()
    examples = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert [language for language, _ in examples] == ["python", "", "python"]
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for language, example in examples:
        if language == "python":
            exec(compile(example, "docs/groth16.md", "exec"), names)
            continue
        for line in example.splitlines():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "cuzk"
            outcome = cuzk(*arguments)
            assert outcome.code == 0, f"{line}: {outcome.err}"
    made = {path.name for path in tmp_path.iterdir()}
    assert made >= {"c.r1cs", "w.bin", "c.params", "c.vk", "proof.bin", "public.bin", "mimc.params", "mimc.proof"}
    assert (tmp_path / "public.bin").read_bytes()[4:] == names["mimc"](12345).to_bytes(32, "little")
