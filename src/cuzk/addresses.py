"""Where a daemon listens and its clients call: `host:port`, `[v6]:port` or `unix:///path`."""

import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path

from cuzk.errors import InputError

_UNIX = "unix://"
_MAX_UNIX_PATH = 107  # bytes, as Linux has room for in a socket's address (unix(7))


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
        if len(os.fsencode(path)) > _MAX_UNIX_PATH or "\0" in text:
            raise InputError(f"expected a path of at most {_MAX_UNIX_PATH} bytes after unix://, got {text!r}")
        return UnixAddress(path)
    host, separator, port = text.removeprefix("http://").rpartition(":")
    if not separator or not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 65535:
        raise InputError(f"expected HOST:PORT or unix:///PATH, got {text!r}")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise InputError(f"expected an IPv6 address in brackets ([::1]:{port}), got {text!r}")
    return TcpAddress(host or "0.0.0.0", int(port))  # noqa: S104 (":9820" means every interface, as elsewhere)
