"""Downloads parameter files: resumed where it broke off, checked, and visible only when whole.

A file grows as `.NAME.part` and takes its name once its digest is the manifest's. A lock beside it makes several
processes that want the same file download it once: the others wait, and find it there.
"""

import http.client
import os
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from cuzk.errors import CuzkError, InputError
from cuzk.filecoin.parameters.manifest import ManifestEntry, file_digest
from cuzk.files import appending, exclusive, writing

#: The gateway that Filecoin's own tools use (go-paramfetch); files are content-addressed, so any IPFS gateway will do.
DEFAULT_GATEWAY = "https://proofs.filecoin.io/ipfs/"

Progress = Callable[[int, int], None]

_CHUNK = 1 << 20
_TIMEOUT_SECONDS = 60.0
_RANGE_NOT_SATISFIABLE = 416
_PARTIAL = 206
_SERVER_ERROR = 500
#: The largest file of the network has 57 GiB; a gateway that sends more than this is not sending parameters.
_MAX_BYTES = 256 << 30


class FetchError(CuzkError):
    """A download that could not be completed, or whose bytes are not those of the manifest."""


@dataclass(frozen=True)
class Fetched:
    """What came of fetching one file."""

    path: Path
    #: A good file was there already (or another process brought it while this one waited).
    present: bool


def fetch(
    name: str,
    entry: ManifestEntry,
    folder: Path,
    *,
    gateway: str = DEFAULT_GATEWAY,
    progress: Progress | None = None,
    attempts: int = 5,
) -> Fetched:
    """Bring one file of a manifest into a folder, unless a good one is there already.

    A file with another digest is set aside as NAME-invalid-digest. FetchError after `attempts` broken connections in a
    row without progress, or if what the gateway sends does not have the digest.
    """
    url = _url(gateway, entry)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    with exclusive(folder / f".{name}.lock"):
        if path.exists():
            if file_digest(path) == entry.digest:
                return Fetched(path, present=True)
            path.rename(path.with_name(f"{name}-invalid-digest"))
        part = folder / f".{name}.part"
        resumed = part.exists()
        _download(url, part, progress, attempts)
        if file_digest(part) != entry.digest and resumed:  # the old beginning may have been of something else
            part.unlink()
            _download(url, part, progress, attempts)
        digest = file_digest(part)
        if digest != entry.digest:
            part.unlink()
            raise FetchError(f"{name}: expected the digest {entry.digest}, got {digest} from {url}")
        part.replace(path)
        _sync_folder(folder)
    return Fetched(path, present=False)


def _url(gateway: str, entry: ManifestEntry) -> str:
    try:
        scheme = urlsplit(gateway).scheme
    except ValueError:  # brackets that hold no IPv6 address
        scheme = ""
    if scheme not in ("http", "https"):
        raise InputError(f"gateway: expected an http or https URL, got {gateway!r}")
    if not entry.cid:
        raise InputError("the manifest has no CID for this file: it cannot be fetched")
    return f"{gateway.rstrip('/')}/{entry.cid}"


def _download(url: str, part: Path, progress: Progress | None, attempts: int) -> None:
    """Append to `part` until it is whole. Connections that break are opened again, later each time nothing came."""
    failures = 0
    while True:
        before = _size(part)
        try:
            if _transfer(url, part, progress):
                return
            trouble: object = ConnectionError("the connection was closed early")
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, urllib.error.HTTPError) and error.code < _SERVER_ERROR:
                raise FetchError(f"{url}: {error}") from error
            trouble = error.reason if type(error) is urllib.error.URLError else error
        failures = 0 if _size(part) > before else failures + 1
        if failures >= attempts:
            raise FetchError(f"{url}: {trouble}")
        time.sleep(min(0.1 * 2**failures, 30.0))


def _transfer(url: str, part: Path, progress: Progress | None) -> bool:
    """Make one request for what is missing of `part`; return whether it is whole."""
    have = _size(part)
    request = urllib.request.Request(url, headers={"User-Agent": "cuzk", "Accept-Encoding": "identity"})  # noqa: S310
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS)  # noqa: S310 - the scheme was checked
    except urllib.error.HTTPError as error:
        error.close()
        if have and error.code == _RANGE_NOT_SATISFIABLE:  # nothing is missing, or too much is there: the digest tells
            return True
        raise
    with response, appending(part) as file:
        if response.status != _PARTIAL:  # the server does not resume
            file.truncate(0)
            have = 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length and length.isdecimal() else 0
        _check_room(part, total, have)
        done = _copy(response, file, have, total, progress)
        file.flush()
        with writing(part):
            os.fsync(file.fileno())
    return total in (0, done)


def _check_room(part: Path, total: int, have: int) -> None:
    if total > _MAX_BYTES:
        raise FetchError(f"{part.name}: expected at most {_MAX_BYTES} bytes, the gateway announces {total}")
    free = shutil.disk_usage(part.parent).free
    if total - have > free:
        raise FetchError(f"{part.parent}: {total - have} bytes are needed, {free} are free")


def _copy(response: IO[Any], file: IO[bytes], have: int, total: int, progress: Progress | None) -> int:
    done = have
    while chunk := response.read(_CHUNK):
        done += len(chunk)
        if done > _MAX_BYTES:
            raise FetchError(f"the gateway sends more than {_MAX_BYTES} bytes")
        file.write(chunk)
        if progress:
            progress(done, total)
    return done


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _sync_folder(folder: Path) -> None:
    """Make the new name durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
