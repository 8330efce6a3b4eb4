"""The command as a whole: help, version, information, and what is imported for it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from cuzk import __version__
from cuzk.cli.root import SUBCOMMANDS, app
from tests.cli.runner import cuzk
from tests.conftest import REPOSITORY


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that does something, as the words that call it."""
    if not isinstance(command, TyperGroup):
        yield path
        return
    for name in command.list_commands(None):
        yield from leaves(command.get_command(None, name), (*path, name))


LEAVES = sorted(leaves(typer.main.get_command(app)))


def test_help_lists_the_subcommands_and_imports_none() -> None:
    code = (
        "import sys; from cuzk.cli import main; sys.argv = ['cuzk', '--help']\n"
        "try: main()\nexcept SystemExit as e: assert not e.code\n"
        "assert 'numpy' not in sys.modules, 'help must not load numpy'"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    for name, (_, summary) in SUBCOMMANDS.items():
        assert name in result.stdout
        assert summary.split()[0] in result.stdout


@pytest.mark.parametrize("command", LEAVES, ids=" ".join)
def test_every_command_has_help_with_an_example_and_json(command: tuple[str, ...]) -> None:
    outcome = cuzk(*command, "--help")
    assert outcome.code == 0
    assert "Example" in outcome.out
    assert "--json" in outcome.out


def test_paragraphs_of_help_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert "which must stay. To undo it, remove the file." in cuzk("params", "prepare", "--help").out


def test_groups_say_what_they_are() -> None:
    for name in ("params", "vanilla", "groth16"):
        assert SUBCOMMANDS[name][1].split(",")[0] in cuzk(name, "--help").out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=str)
def test_a_signal_to_end_leaves_no_half_written_file(number: signal.Signals, tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path\n"
        "from cuzk.cli import root; from cuzk.files import replacing\n"
        "def app(**_):\n"
        "    with replacing(Path(sys.argv[1])):\n"
        f"        os.kill(os.getpid(), {number})\n"
        "        time.sleep(60)\n"
        "root.app = app\n"
        "root.main()"
    )
    ended = subprocess.run([sys.executable, "-c", code, tmp_path / "file"], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (128 + number, b"")
    assert not list(tmp_path.iterdir())


def test_nohup_is_respected() -> None:
    code = (
        "import os, signal; from cuzk.cli import root\n"
        "root.app = lambda **_: os.kill(os.getpid(), signal.SIGHUP)\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "root.main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["info", "circuits list", "params list --json", "--version", "prove --help"])
@pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "unbuffered"])
def test_an_answer_that_cannot_be_written_is_no_answer(command: str, buffered: bool) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    arguments = [sys.executable, "-m", "cuzk", *command.split()]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, env=environment, text=True, check=False)
    expected = "cuzk: cannot write standard output: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, expected)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        ended = subprocess.run(arguments, stdout=gone, stderr=subprocess.PIPE, env=environment, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_terminal_that_knows_ascii_alone_is_answered() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for command in ("bench kernels --log2 3 --only ntt", "verify --help"):
        arguments = [sys.executable, "-m", "cuzk", *command.split()]
        ended = subprocess.run(arguments, capture_output=True, env=environment, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "\\u20" in ended.stdout


def test_arguments_that_are_no_text_are_refused_and_names_of_files_taken_as_they_are(tmp_path: Path) -> None:
    odd = "\udcff"  # as Python has the byte 0xff of an argument
    for command in (("await", odd, "-s", "127.0.0.1:1"), ("serve", "-l", f"{odd}:1"), ("vanilla", "generate", odd)):
        outcome = cuzk(*command)
        assert (outcome.code, "\\udcff" in outcome.err, "Traceback" in outcome.err) == (2, True, False), outcome.err
    file = tmp_path / odd
    assert cuzk("vanilla", "generate", "wpost-2k", "--out", file).code == 0
    assert cuzk("vanilla", "verify", file).out == f"{tmp_path}/\\udcff: valid for wpost-2k\n"


def test_the_readme_lists_the_subcommands() -> None:
    lines = (REPOSITORY / "README.md").read_text().splitlines()
    expected = [f"| `cuzk {name}` | {summary} |" for name, (_, summary) in SUBCOMMANDS.items()]
    assert [line for line in lines if line.startswith("| `cuzk ")] == expected


def test_version() -> None:
    assert cuzk("--version").out == f"cuzk {__version__}\n"
    result = subprocess.run([sys.executable, "-m", "cuzk", "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"cuzk {__version__}\n"


@pytest.mark.parametrize("arguments", [("nope",), ("groth16", "nope"), ("verify",), ("info", "--nope")])
def test_usage_errors_exit_with_2(arguments: tuple[str, ...]) -> None:
    outcome = cuzk(*arguments)
    assert outcome.code == 2
    assert outcome.err


def test_info() -> None:
    info = cuzk("info", "--json").json
    assert info["version"] == __version__
    assert info["threads"] >= 1
    assert info["memory"]["total"] > info["memory"]["free"] > 0
    assert info["devices"][0]["kind"] == "cpu"
    assert info["isa"] in ("portable", "avx512ifma")
    assert "processor" in cuzk("info").out


def test_bench_kernels_reports_every_kernel_beside_its_peer() -> None:
    report = json.loads(cuzk("bench", "kernels", "--log2", "4", "--json").out)
    assert {"cpu", "threads", "isa"} <= set(report["machine"])
    assert [kernel["name"] for kernel in report["kernels"]] == [
        "fp_mul",
        "fr_mul",
        "ntt",
        "msm_g1",
        "msm_g2",
        "groth16",
    ]
    for kernel in report["kernels"]:
        assert set(kernel) == {"name", "log2n", "threads", "seconds", "peer", "peer_seconds", "ratio"}
        assert kernel["log2n"] == 4
        assert kernel["seconds"] > 0
        if kernel["name"] in ("fr_mul", "msm_g1", "msm_g2"):
            assert kernel["peer"] == "py-arkworks"
            assert kernel["ratio"] == pytest.approx(kernel["peer_seconds"] / kernel["seconds"])
        else:
            assert kernel["peer"] is kernel["ratio"] is None


def test_bench_kernels_takes_one_name() -> None:
    outcome = cuzk("bench", "kernels", "--only", "ntt", "--log2", "6", "--threads", "2")
    assert outcome.code == 0
    assert "2^6" in outcome.out
    assert cuzk("bench", "kernels", "--only", "nope").code == 2
    assert cuzk("bench", "kernels", "--only", "ntt", "--log2", "99").code == 2
