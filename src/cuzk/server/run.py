"""From a configuration to a running daemon."""

import asyncio
import gc
import json
import os
from pathlib import Path

import structlog

from cuzk.addresses import parse_address
from cuzk.engine import Config, Engine
from cuzk.engine.config import DaemonConfig, SrsConfig
from cuzk.errors import InputError
from cuzk.filecoin.parameters.folder import development_folder, network_folder
from cuzk.files import replacing
from cuzk.server.access import TlsFiles
from cuzk.server.daemon import Daemon, Endpoints, ServerOptions
from cuzk.server.logs import configure_logs

_log = structlog.get_logger(__name__)

#: In the data folder while a daemon serves: {"pid", "grpc", "panel"}.
ENDPOINTS_FILE = "daemon.json"


def run_daemon(config: Config) -> None:
    """Serve until a signal. InputError when the configuration cannot be served, such as a port that is in use."""
    configure_logs(config.logging.level, config.logging.format)
    for warning in config.warnings:
        _log.warning("configuration", message=warning)
    options = server_options(config.daemon)
    _warn_without_parameters(config.srs)
    asyncio.run(_serve(config, options))


def _warn_without_parameters(srs: SrsConfig) -> None:
    """Say that jobs will fail; that is no error, since files may come later and each job looks for its own."""
    folder = srs.param_cache or (development_folder() if srs.dev_params else network_folder()).path
    if not any(folder.glob("*.params")):
        how = "cuzk params generate" if srs.dev_params else "cuzk params fetch"
        _log.warning("no parameter files: jobs fail until there are", folder=str(folder), get_them_with=how)


async def _serve(config: Config, options: ServerOptions) -> None:
    announcement = _Announcement(config.daemon.data_dir / ENDPOINTS_FILE)

    def on_serving(endpoints: Endpoints) -> None:
        announcement.make(endpoints)
        # Modules and the registry stay for good: a full collection would walk through them, 50 ms in which nobody
        # is answered.
        gc.collect()
        gc.freeze()

    try:
        await Daemon(Engine(config), options, on_serving=on_serving).run()
    finally:
        announcement.withdraw()


class _Announcement:
    """The endpoints file; withdrawn only by who made it, since another daemon may own the data folder."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._made = False

    def make(self, endpoints: Endpoints) -> None:
        with replacing(self._file) as out:
            out.write(json.dumps({"pid": os.getpid(), "grpc": endpoints.grpc, "panel": endpoints.panel}).encode())
        self._made = True

    def withdraw(self) -> None:
        if self._made:
            self._file.unlink(missing_ok=True)


def server_options(config: DaemonConfig) -> ServerOptions:
    """Read what the configuration names: addresses, TLS files, the token."""
    if not config.listen:
        raise InputError("daemon.listen: expected an address: HOST:PORT or unix:///PATH, got ''")
    return ServerOptions(
        listen=parse_address(config.listen),
        status_listen=parse_address(config.status_listen) if config.status_listen else None,
        token=None if config.token_file is None else _read_token(config.token_file),
        tls=_tls_files(config),
        status_tls=config.status_tls,
        max_message_bytes=config.max_message_size,
        drain_timeout=config.drain_timeout,
    )


def _tls_files(config: DaemonConfig) -> TlsFiles | None:
    if config.tls_certificate is None and config.tls_key is None:
        for name, wanted in (("tls_client_ca", config.tls_client_ca), ("status_tls", config.status_tls)):
            if wanted:
                raise InputError(f"daemon.{name}: expected with it daemon.tls_certificate and daemon.tls_key")
        return None
    if config.tls_certificate is None or config.tls_key is None:
        raise InputError("daemon.tls_certificate and daemon.tls_key: expected both or none")
    return TlsFiles(config.tls_certificate, config.tls_key, config.tls_client_ca)


def _read_token(file: Path) -> str:
    try:
        first_line = file.read_text().partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"daemon.token_file: cannot read {file}: {error}") from error
    if not first_line:
        raise InputError(f"daemon.token_file: expected the token on the first line of {file}, found nothing")
    if not first_line.isascii() or not first_line.isprintable():
        raise InputError(f"daemon.token_file: expected a token of printable ASCII in {file}: no header carries others")
    return first_line
