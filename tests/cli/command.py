"""Runs the `cuzk` command inside the test's process."""

import json
from dataclasses import dataclass
from typing import Any

from typer.testing import CliRunner

from cuzk.cli.root import app


@dataclass(frozen=True)
class Run:
    """What a run of the command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def cuzk(*arguments: object) -> Run:
    """Run `cuzk` with arguments; exceptions that no user should see are raised here."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="cuzk")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Run(result.exit_code, result.stdout, result.stderr)
