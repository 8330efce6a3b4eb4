"""Where the daemon listens: `host:port`, `[v6]:port` or `unix:///path`."""

import ipaddress
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path

from cuzk.errors import InputError

_UNIX = "unix://"


@dataclass(frozen=True)
class TcpAddress:
    """A host and a port; port 0 asks for any free one."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class UnixAddress:
    """A socket file, which its permissions guard."""

    path: Path

    @property
    def is_loopback(self) -> bool:
        """Only this machine can reach it."""
        return True

    def __str__(self) -> str:
        return f"{_UNIX}{self.path}"


Address = TcpAddress | UnixAddress


def parse_address(text: str) -> Address:
    """Read an address; InputError says what is expected."""
    if text.startswith(_UNIX):
        path = Path(text.removeprefix(_UNIX))
        if not path.is_absolute():
            raise InputError(f"expected unix:// and an absolute path (unix:///run/cuzk.sock), got {text!r}")
        return UnixAddress(path)
    host, separator, port = text.removeprefix("http://").rpartition(":")
    if not separator or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InputError(f"expected HOST:PORT or unix:///PATH, got {text!r}")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise InputError(f"expected an IPv6 address in brackets ([::1]:{port}), got {text!r}")
    return TcpAddress(host or "0.0.0.0", int(port))  # noqa: S104 (":9820" means every interface, as elsewhere)


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
        raise InputError(f"cannot listen at {address}: {error.strerror}") from error
    return sock
