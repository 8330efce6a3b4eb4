"""`cuzk serve` before it serves: configuration from file, environment and flags."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cuzk.addresses import TcpAddress, UnixAddress
from cuzk.cli.serve import parse_setting
from cuzk.engine import load_config
from cuzk.errors import InputError
from cuzk.server.run import server_options
from tests.cli.runner import cuzk


def test_flags_override_the_file(tmp_path: Path) -> None:
    file = tmp_path / "cuzk.toml"
    file.write_text(
        '[daemon]\nlisten = "unix:///run/curio/cuzk.sock"\n[jobs]\nmax_pending = 3\n[srs]\npreload = ["x"]\n'
    )
    run = cuzk("serve", "-c", file, "--set", "jobs.max_pending=15", "--check-config", "--json")
    assert run.code == 0
    assert run.json["config"]["daemon"]["listen"] == "unix:///run/curio/cuzk.sock"
    assert run.json["config"]["jobs"]["max_pending"] == 15
    assert [warning.split(" ")[0] for warning in run.json["warnings"]] == ["srs.preload"]
    run = cuzk("serve", "-c", file, "-l", "127.0.0.1:7", "--dev-params", "--log-level", "debug", "--check-config")
    assert 'listen = "127.0.0.1:7"' in run.out
    assert "dev_params = true" in run.out
    assert "warning: srs.preload is ignored" in run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "jobs.max_pending=none"], "jobs.max_pending: expected"),
        (["--set", "jobs.nothing=1"], "unknown key jobs.nothing"),
        (["--set", "jobs"], "--set: expected SECTION.KEY=VALUE, got 'jobs'"),
        (["--listen", "nowhere"], "daemon.listen: expected"),
        (["-c", "/does/not/exist.toml"], "cannot read /does/not/exist.toml"),
    ],
)
def test_bad_configurations_are_refused_with_the_key(arguments: list[str], message: str) -> None:
    run = cuzk("serve", *arguments, "--check-config")
    assert (run.code, message in run.err) == (2, True)


def test_settings_are_read_as_toml_or_as_text() -> None:
    assert parse_setting("jobs.max_pending=15") == ("jobs", "max_pending", 15)
    assert parse_setting("memory.total_budget = 4GiB") == ("memory", "total_budget", "4GiB")
    assert parse_setting('srs.param_cache="/x=y"') == ("srs", "param_cache", "/x=y")


def test_server_options(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("s3cret\nmore\n")
    given = {"listen": "unix:///x", "status_listen": "", "token_file": str(token), "max_message_size": "1MiB"}
    options = server_options(load_config(environment={}, overrides={"daemon": given}).daemon)
    assert (options.listen, options.status_listen) == (UnixAddress(Path("/x")), None)
    assert (options.token, options.max_message_bytes) == ("s3cret", 1 << 20)
    assert server_options(load_config(environment={}).daemon).listen == TcpAddress("127.0.0.1", 9820)
    for text, message in (("\n", "expected the token on the first line"), ("tökén\n", "a token of printable ASCII")):
        token.write_text(text)
        with pytest.raises(InputError, match=message):
            server_options(load_config(environment={}, overrides={"daemon": {"token_file": str(token)}}).daemon)
    for wrong, message in (
        ({"token_file": "/does/not/exist"}, "cannot read /does/not/exist"),
        ({"tls_key": "/key.pem"}, "expected both or none"),
        ({"tls_client_ca": "/ca.pem"}, r"daemon\.tls_client_ca: expected with it daemon\.tls_certificate"),
        ({"status_tls": True}, r"daemon\.status_tls: expected with it daemon\.tls_certificate"),
        ({"listen": ""}, "daemon.listen: expected an address"),
    ):
        with pytest.raises(InputError, match=message):
            server_options(load_config(environment={}, overrides={"daemon": wrong}).daemon)


def test_the_rust_daemons_name_and_flags_work(tmp_path: Path) -> None:
    file = tmp_path / "cuzk.toml"
    file.write_text("[pipeline]\nmax_parallel_synthesis = 4\n")
    command = [Path(sys.executable).parent / "cuzk-daemon", "-c", file, "-l", "127.0.0.1:1", "--check-config"]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, check=True, timeout=60)
    assert "max_parallel_synthesis = 4" in run.stdout
    assert 'listen = "127.0.0.1:1"' in run.stdout


def test_the_rust_daemons_name_is_the_one_that_is_spoken_of() -> None:
    def daemon(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [Path(sys.executable).parent / "cuzk-daemon", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert daemon("--help").stdout.split()[:2] == ["Usage:", "cuzk-daemon"]
    assert "Example: cuzk-daemon -c" in daemon("-h").stdout
    wrong = daemon("--nothing")
    assert (wrong.returncode, wrong.stderr.split()[:2]) == (2, ["Usage:", "cuzk-daemon"])
    missing = daemon("-c", "/does/not/exist", "--json")
    assert missing.returncode == 2
    assert missing.stderr == "cuzk-daemon: cannot read /does/not/exist: No such file or directory\n"
    assert list(json.loads(missing.stdout)) == ["error"]
