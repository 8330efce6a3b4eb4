"""The sockets on which the daemon listens."""

import errno
import os
import socket
import stat
from pathlib import Path

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
    """Bind and listen; InputError when the address cannot be had."""
    if isinstance(address, UnixAddress):
        claim_unix_path(address.path)
        family, where = socket.AF_UNIX, os.fspath(address.path)
        sock = socket.socket(family, socket.SOCK_STREAM)
    else:
        try:
            family, kind, protocol, _, where = socket.getaddrinfo(  # type: ignore[assignment]
                address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
        except OSError as error:
            raise InputError(f"{address}: no such host ({error.strerror})") from error
        sock = socket.socket(family, kind, protocol)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(where)
        sock.listen(128)
    except OSError as error:
        sock.close()
        taken = error.errno == errno.EADDRINUSE
        hint = ", perhaps by another daemon; --listen and --status-listen name other addresses" if taken else ""
        raise InputError(f"cannot listen at {address}: {error.strerror}{hint}") from error
    return sock
