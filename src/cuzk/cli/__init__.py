"""The `cuzk` command: one small module a subcommand, imported when it is used.

Exit codes: 0 yes, 1 no, 2 bad input or usage, with a sentence on standard error.
"""

from cuzk.cli.root import main

__all__ = ["main"]
