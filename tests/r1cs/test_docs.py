"""The program in docs/circuits.md runs as it stands."""

import re
from typing import Any

from tests.conftest import REPOSITORY


def test_the_example_runs() -> None:
    text = (REPOSITORY / "docs" / "circuits.md").read_text()
    (example,) = re.findall(r"^```python\n(from .*?)^```", text, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(compile(example, "docs/circuits.md", "exec"), names)
    assert names["compiled"].num_inputs == 1 + 2
