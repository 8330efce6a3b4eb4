"""The sockets on which the daemon listens."""

import errno
import os
import socket
import stat
from pathlib import Path
from typing import Any

from cuzk.addresses import Address, UnixAddress
from cuzk.errors import InputError


def claim_unix_path(path: Path) -> None:
    """Make way for a new socket file: a dead one is removed, a live one or another kind of file refused."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise InputError(f"{path} exists and is not a socket; it is left alone")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except TimeoutError:
            pass  # nobody accepts, but somebody listens
    raise InputError(f"{path} is in use by another process")


def bound_socket(address: Address) -> socket.socket:
    """Bind and listen; InputError when the address cannot be had. Of the addresses of a host, the first that can."""
    refusals = []
    for family, where in _candidates(address):
        try:
            return _listening(family, where)
        except OSError as error:
            refusals.append(error)
    first = refusals[0]
    taken = first.errno == errno.EADDRINUSE
    hint = ", perhaps by another daemon; --listen and --status-listen name other addresses" if taken else ""
    raise InputError(f"cannot listen at {address}: {first.strerror}{hint}") from first


def _candidates(address: Address) -> list[tuple[int, Any]]:
    """Return families with addresses for `bind`; at least one."""
    if isinstance(address, UnixAddress):
        claim_unix_path(address.path)
        return [(socket.AF_UNIX, os.fspath(address.path))]
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, ValueError) as error:  # ValueError: what no name is, such as one with a label of 64 letters
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot listen at {address}: {address.host} cannot be resolved ({reason})") from error
    return [(family, where) for family, _, _, _, where in found]


def _listening(family: int, where: Any) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family != socket.AF_UNIX:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
        sock.listen(128)
    except OSError:
        sock.close()
        raise
    return sock
