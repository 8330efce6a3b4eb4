"""Downloads from a server on the loopback interface that resumes, breaks off, lies and counts."""

import hashlib
import multiprocessing
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cuzk.errors import InputError
from cuzk.filecoin.parameters.fetch import FetchError, fetch
from cuzk.filecoin.parameters.manifest import ManifestEntry
from tests.full_disk import file_size_limit

NAME = "v28-test.params"
DATA = hashlib.shake_256(b"parameters").digest(3_000_000)


def digest_of(data: bytes) -> str:
    return hashlib.blake2b(data).hexdigest()[:32]


ENTRY = ManifestEntry(cid="QmTest", digest=digest_of(DATA), sector_size=2048)


class Gateway(ThreadingHTTPServer):
    """Serves DATA at /ipfs/QmTest; the attributes make it misbehave."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = DATA
        self.ranges = True
        self.break_after: list[int] = []
        self.errors: list[int] = []
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/ipfs/"


class Handler(BaseHTTPRequestHandler):
    server: Gateway

    def do_GET(self) -> None:
        gateway = self.server
        wanted = self.headers.get("Range")
        gateway.requests.append(wanted or "whole")
        if self.path != "/ipfs/QmTest" or gateway.errors:
            self.send_error(gateway.errors.pop(0) if gateway.errors else 404)
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted and gateway.ranges else 0  # type: ignore[index]
        if start and start >= len(gateway.content):
            self.send_error(416)
            return
        body = gateway.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: gateway.break_after.pop(0)] if gateway.break_after else body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Gateway() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def leftovers(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {NAME, f".{NAME}.lock"}


def test_a_file_comes_whole_and_is_not_fetched_twice(gateway: Gateway, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    fetched = fetch(NAME, ENTRY, tmp_path / "new", gateway=gateway.url, progress=lambda *done: seen.append(done))
    assert fetched.path.read_bytes() == DATA
    assert not fetched.present
    assert seen[-1] == (len(DATA), len(DATA))
    assert fetch(NAME, ENTRY, tmp_path / "new", gateway=gateway.url).present
    assert gateway.requests == ["whole"]
    assert not leftovers(tmp_path / "new")


def test_a_broken_download_is_resumed(gateway: Gateway, tmp_path: Path) -> None:
    gateway.break_after = [1_000_000, 0, 500_000]
    fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert (tmp_path / NAME).read_bytes() == DATA
    assert gateway.requests == ["whole", "bytes=1000000-", "bytes=1000000-", "bytes=1500000-"]


def test_a_later_call_resumes_too(gateway: Gateway, tmp_path: Path) -> None:
    (tmp_path / f".{NAME}.part").write_bytes(DATA[:2_000_000])
    fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert gateway.requests == ["bytes=2000000-"]
    assert (tmp_path / NAME).read_bytes() == DATA
    assert not leftovers(tmp_path)


def test_a_complete_part_only_needs_its_name(gateway: Gateway, tmp_path: Path) -> None:
    (tmp_path / f".{NAME}.part").write_bytes(DATA)
    fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert (tmp_path / NAME).read_bytes() == DATA


@pytest.mark.parametrize("old", [b"something else" * 100, DATA + b"too long"])
def test_a_foreign_part_is_started_again(gateway: Gateway, tmp_path: Path, old: bytes) -> None:
    (tmp_path / f".{NAME}.part").write_bytes(old)
    fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert (tmp_path / NAME).read_bytes() == DATA
    assert len(gateway.requests) == 2


def test_a_server_without_ranges_starts_again(gateway: Gateway, tmp_path: Path) -> None:
    gateway.ranges, gateway.break_after = False, [700_000]
    fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert (tmp_path / NAME).read_bytes() == DATA


def test_server_errors_are_waited_out_and_others_are_not(gateway: Gateway, tmp_path: Path) -> None:
    gateway.errors = [503, 502]
    fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    gateway.errors, gateway.requests = [503] * 9, []
    with pytest.raises(FetchError, match="503"):
        fetch(NAME, ENTRY, tmp_path / "b", gateway=gateway.url, attempts=2)
    assert len(gateway.requests) == 2
    gateway.errors, gateway.requests = [404], []
    with pytest.raises(FetchError, match="404"):
        fetch(NAME, ENTRY, tmp_path / "c", gateway=gateway.url)
    assert len(gateway.requests) == 1


def test_wrong_bytes_never_take_the_name(gateway: Gateway, tmp_path: Path) -> None:
    gateway.content = DATA[:-1] + b"\0"
    with pytest.raises(FetchError, match=f"expected the digest {ENTRY.digest}, got {digest_of(gateway.content)}"):
        fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert not (tmp_path / NAME).exists()
    assert not leftovers(tmp_path)


def test_a_bad_file_is_set_aside(gateway: Gateway, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"bad")
    fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert (tmp_path / NAME).read_bytes() == DATA
    assert (tmp_path / f"{NAME}-invalid-digest").read_bytes() == b"bad"


def test_several_processes_download_once(gateway: Gateway, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(3) as pool:
        pending = [pool.apply_async(fetch, (NAME, ENTRY, tmp_path), {"gateway": gateway.url}) for _ in range(3)]
        results = [result.get(timeout=60) for result in pending]
    assert sorted(result.present for result in results) == [False, True, True]
    assert gateway.requests == ["whole"]
    assert (tmp_path / NAME).read_bytes() == DATA


def test_what_cannot_be_fetched_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gateway: expected an http or https URL, got 'file:///etc/'"):
        fetch(NAME, ENTRY, tmp_path, gateway="file:///etc/")
    with pytest.raises(InputError, match="no CID"):
        fetch(NAME, ManifestEntry("", "00", 1), tmp_path)


def test_a_gateway_that_is_no_url_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gateway: expected an http or https URL, got 'http://\[::1'"):
        fetch(NAME, ENTRY, tmp_path, gateway="http://[::1")


def test_nobody_listening_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"127\.0\.0\.1:1/QmTest"):
        fetch(NAME, ENTRY, tmp_path, gateway="http://127.0.0.1:1/", attempts=1)


def test_a_full_disk_is_not_the_gateways_fault_and_ends_at_once(gateway: Gateway, tmp_path: Path) -> None:
    with (
        file_size_limit(2_500_000),
        pytest.raises(InputError, match=rf"cannot write .*/\.{NAME}\.part: File too large"),
    ):
        fetch(NAME, ENTRY, tmp_path, gateway=gateway.url)
    assert gateway.requests == ["whole"]
    assert fetch(NAME, ENTRY, tmp_path, gateway=gateway.url).path.read_bytes() == DATA
    assert gateway.requests[1].startswith("bytes=2")
