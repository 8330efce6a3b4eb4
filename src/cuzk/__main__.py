"""`python -m cuzk` is the `cuzk` command."""

from cuzk.cli import main

main()
