"""The root of the command: finds subcommands, and turns errors into exit codes and sentences."""

import errno
import importlib
import inspect
import io
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from cuzk.cli.words import harmless
from cuzk.errors import CuzkError, InputError, UnreachableError

# Subcommand: module that holds its `app`, and the line that `cuzk --help` shows for it.
SUBCOMMANDS = {
    "demo": ("demo", "Make proofs of small sectors through a daemon, and verify them."),
    "prove": ("prove", "Make a proof for a request, and show how long each step took."),
    "serve": ("serve", "Run the daemon."),
    "status": ("status", "Show what a daemon is doing."),
    "submit": ("submit", "Submit a proof job to a daemon."),
    "await": ("await_", "Wait for a job and print its proof."),
    "cancel": ("cancel", "Cancel a job."),
    "jobs": ("jobs", "List a daemon's jobs."),
    "preload": ("preload", "Load a circuit's parameters into a daemon."),
    "evict": ("evict", "Free a circuit's parameters in a daemon."),
    "verify": ("verify", "Verify a Filecoin proof; the public inputs are computed here."),
    "groth16": ("groth16", "Set up, prove and verify any circuit, over files."),
    "synthesize": ("synthesize", "Make the witness of a request's proof, without proving."),
    "circuits": ("circuits", "Show circuits: sizes, densities, digests."),
    "vanilla": ("vanilla", "Make, show and check requests and their vanilla proofs."),
    "params": ("params", "Make, fetch, list, check and prepare parameter files."),
    "bench": ("bench", "Measure the kernels beside their peers."),
    "info": ("info", "Show version, processor, memory and devices."),
}

EXIT_NO = 1
EXIT_BAD_INPUT = 2
EXIT_UNREACHABLE = 3

_WRITING_FAILED = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


class _Root:
    """What is called first: errors on purpose become a sentence and an exit code, and with --json an object too."""

    def invoke(self, ctx: Any) -> Any:
        """Run it, or the subcommand."""
        as_json = "--json" in ctx.args or ctx.params.get("json", False)
        try:
            return super().invoke(ctx)  # type: ignore[misc]
        except (CuzkError, OSError, UnicodeEncodeError) as error:
            if isinstance(error, OSError) and error.filename is None and error.errno in _WRITING_FAILED:
                raise  # of the answer: what writes files names them
            sentence = _sentence(error)
            if as_json:
                print(json.dumps({"error": sentence}))
            print(f"{ctx.info_name}: {harmless(sentence)}", file=sys.stderr)
            if isinstance(error, UnreachableError) and not as_json:
                print(
                    "cuzk: `cuzk serve` starts one; --server, or --url for the status, names another", file=sys.stderr
                )
            ctx.exit(_exit_code(error))


class LazyGroup(_Root, TyperGroup):
    """A group whose subcommands are imported when they are called, not when they are listed."""

    _listing = False

    def list_commands(self, _ctx: Any) -> list[str]:
        """Return the names of the subcommands."""
        return list(SUBCOMMANDS)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """Return a subcommand; while help is printed, only its name and line."""
        if cmd_name not in SUBCOMMANDS:
            return None
        module_name, summary = SUBCOMMANDS[cmd_name]
        if self._listing:
            return TyperCommand(cmd_name, help=summary)
        command = typer.main.get_command(importlib.import_module(f"cuzk.cli.{module_name}").app)
        command.name = cmd_name
        command.help = command.help or summary
        _reflow(command)
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print help without importing the subcommands."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


class _LoneCommand(_Root, TyperCommand):
    """A subcommand as a program of its own."""


def _reflow(command: Any) -> None:
    """Join the lines of each paragraph of help: typer keeps their ends, which are those of the source."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for subcommand in getattr(command, "commands", {}).values():
        _reflow(subcommand)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, UnicodeEncodeError):  # an argument's bytes; only names of files may be any
        return f"expected text in UTF-8, got {error.object!r}"
    return str(error)


def _exit_code(error: Exception) -> int:
    if isinstance(error, UnreachableError):
        return EXIT_UNREACHABLE
    return EXIT_BAD_INPUT if isinstance(error, (InputError, OSError, UnicodeEncodeError)) else EXIT_NO


_CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    cls=LazyGroup,
    name="cuzk",
    help="A Groth16 proving engine for Filecoin storage proofs.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings=_CONTEXT_SETTINGS,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from cuzk import __version__

        print(f"cuzk {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def _terminate(number: int, _frame: object) -> None:
    """Unwind, as Ctrl-C does: half-written files vanish, and a daemon that was started here is stopped."""
    raise SystemExit(128 + number)


def _run(program: str, call: Callable[[], None]) -> None:
    """Call something that ends with SystemExit; an answer that cannot be written is no answer."""
    for number in (signal.SIGTERM, signal.SIGHUP):  # the second when the terminal is closed
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _terminate)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows ASCII alone is answered too
    try:
        try:
            call()
        finally:
            if sys.stdout is not None:  # it may be closed
                sys.stdout.flush()
    except OSError as error:
        # Python would try it again as it exits, and say that it failed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has gone, as with `| head`
            sys.exit(EXIT_NO)
        print(f"{program}: cannot write {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)


def main() -> None:
    """Run the `cuzk` command."""
    _run("cuzk", lambda: app(prog_name="cuzk"))


def run_alone(program: str, command: Callable[..., None], arguments: list[str], *, example: str) -> None:
    """Run a subcommand's function as a program of its own, which its help and its errors name."""
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(cls=_LoneCommand, context_settings=_CONTEXT_SETTINGS, epilog=f"Example: {example}")(command)
    made = typer.main.get_command(alone)
    _reflow(made)
    _run(program, lambda: made(arguments, prog_name=program))
