"""`cuzk serve`: the daemon. `cuzk-daemon` is the same, with the flags of the Rust daemon."""

import json as json_module
import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from cuzk.cli.output import Json
from cuzk.cli.proving import DevParams
from cuzk.cli.root import run_alone
from cuzk.engine.config import Config, load_config
from cuzk.errors import InputError

app = typer.Typer(add_completion=False)

#: Where the Rust daemon looks for its configuration.
RUST_CONFIG = Path("/data/zk/cuzk.toml")


@app.command(epilog="Example: cuzk serve -c cuzk.toml --set jobs.max_pending=15")
def command(
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="A TOML file; docs/daemon.md lists its keys.", metavar="FILE")
    ] = None,
    listen: Annotated[
        str | None, typer.Option("--listen", "-l", help="gRPC at HOST:PORT or unix:///PATH.", metavar="ADDR")
    ] = None,
    status_listen: Annotated[
        str | None, typer.Option(help="HTTP (status, metrics, panel) at HOST:PORT; empty is off.", metavar="ADDR")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where accepted jobs are kept over a restart.", metavar="FOLDER")
    ] = None,
    dev_params: DevParams = False,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.", metavar="LEVEL")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any key of the configuration; may be repeated.", metavar="SECTION.KEY=VALUE"),
    ] = None,
    check_config: Annotated[
        bool, typer.Option("--check-config", help="Say what the configuration comes to, and exit.")
    ] = False,
    json: Json = False,
) -> None:
    """Take proof jobs over gRPC, prove them, and show what is going on at the panel's address.

    SIGTERM or Ctrl-C drains: no new job is taken, those under way may end. A second one stops at once. Jobs that were
    accepted and are unfinished go on at the next start.
    """
    flags: dict[str, dict[str, object]] = {
        "daemon": {"listen": listen, "status_listen": status_listen, "data_dir": data_dir},
        "srs": {"dev_params": dev_params or None},
        "logging": {"level": log_level},
    }
    given = {section: {k: v for k, v in keys.items() if v is not None} for section, keys in flags.items()}
    for setting in settings or ():
        section, key, value = parse_setting(setting)
        given.setdefault(section, {})[key] = value
    loaded = load_config(config, overrides=given)
    if check_config:
        _show(loaded, json)
        return
    from cuzk.server.run import run_daemon

    run_daemon(loaded)


def parse_setting(text: str) -> tuple[str, str, Any]:
    """Read SECTION.KEY=VALUE; the value is read as in TOML, or else taken as text."""
    name, equals, value = text.partition("=")
    section, dot, key = name.strip().partition(".")
    if not equals or not dot or not section or not key:
        raise InputError(f"--set: expected SECTION.KEY=VALUE, got {text!r}")
    try:
        return section, key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return section, key, value.strip()


def _show(config: Config, as_json: bool) -> None:
    values = config.model_dump(mode="json")
    if as_json:
        print(json_module.dumps({"config": values, "warnings": list(config.warnings)}))
        return
    for section, keys in values.items():
        print(f"[{section}]")
        for key, value in keys.items():
            print(f"{key} = {json_module.dumps(value)}")
    for warning in config.warnings:
        print(f"cuzk: warning: {warning}", file=sys.stderr)


def daemon_main() -> None:
    """Run `cuzk-daemon`: `cuzk serve`, with the Rust daemon's file where no other is named and it is there."""
    arguments = sys.argv[1:]
    named = any(argument in ("-c", "--config") or argument.startswith(("-c", "--config=")) for argument in arguments)
    if not named and RUST_CONFIG.exists():
        arguments = ["--config", str(RUST_CONFIG), *arguments]
    run_alone("cuzk-daemon", command, arguments, example="cuzk-daemon -c cuzk.toml -l 127.0.0.1:9820")
