"""Runs the `cuzk` command inside the test's process."""

import json
import sys
from dataclasses import dataclass
from io import StringIO
from typing import Any
from unittest.mock import patch

from cuzk.cli import main


@dataclass(frozen=True)
class Outcome:
    """Exit code and what was printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def cuzk(*arguments: object) -> Outcome:
    """Run `cuzk` with arguments, as the installed script does."""
    out, err = StringIO(), StringIO()
    with (
        patch.object(sys, "argv", ["cuzk", *map(str, arguments)]),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
    ):
        try:
            main()
            code = 0
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else int(bool(exit_.code))
    return Outcome(code, out.getvalue(), err.getvalue())
