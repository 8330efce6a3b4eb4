"""The typed client against a daemon, TLS included."""

import math
import threading
from pathlib import Path

import grpc
import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from cuzk.addresses import UnixAddress
from cuzk.client import Client, NoAnswerError, RefusedError, ServerError, fetch_status
from cuzk.errors import InputError
from cuzk.filecoin.kinds import Kind
from cuzk.filecoin.request import Priority, Request
from cuzk.server.access import TlsFiles
from tests.server.background import background_daemon

REQUEST = Request(Kind.WINNING, request_id="w 1", priority=Priority.CRITICAL, vanilla_proofs=(b"v",))


def test_submit_wait_prove_cancel() -> None:
    with background_daemon() as daemon, Client(daemon.grpc) as client:
        assert client.submit(REQUEST) == "w 1"
        assert daemon.engine.requests["w 1"].priority == Priority.CRITICAL
        assert client.wait("w 1", timeout=0.01).status == "timeout"
        threading.Timer(0.1, daemon.call, [lambda: daemon.engine.finish("w 1")]).start()
        assert client.wait("w 1", timeout=math.inf).status == "completed"
        result = client.prove(REQUEST, timeout=20)
        assert (result.status, result.proof, result.total_ms) == ("completed", b"\x01" * 192, 10)
        assert client.cancel("w 1") is False
        with pytest.raises(RefusedError, match="no job has the id 'other'") as caught:
            client.wait("other")
        assert isinstance(caught.value, InputError)


def test_status_metrics_and_parameters() -> None:
    with background_daemon() as daemon, Client(daemon.grpc) as client:
        assert len(client.status().queues) == 4
        assert "cuzk_proofs_completed_total" in client.metrics()
        assert client.preload("winning-2k") == (False, 42)
        assert client.evict("winning-2k") == (True, 123)
        assert fetch_status(daemon.status_url)["boot_id"] == daemon.engine.snapshot["boot_id"]


def test_errors_carry_their_code() -> None:
    with (
        Client("127.0.0.1:1") as client,
        pytest.raises(NoAnswerError, match=r"no daemon answers at 127.0.0.1:1") as caught,
    ):
        client.status()
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE
    with pytest.raises(NoAnswerError, match=r"no daemon answers at http://127\.0\.0\.1:1/status"):
        fetch_status("http://127.0.0.1:1/status")
    with background_daemon() as daemon, Client(daemon.grpc) as client:
        with pytest.raises(ServerError, match=f"the daemon at {daemon.grpc} did not answer in time") as late:
            client.prove(REQUEST, timeout=0.1)
        assert late.value.code is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("address", ["", "x", "::::", "é:é", "unix://", "unix://relative", "127.0.0.1:99999"])
def test_an_address_that_is_none_is_bad_input(address: str) -> None:
    with pytest.raises(InputError, match=r"expected (HOST:PORT|unix://|an IPv6)"):
        Client(address)


def test_unix_socket(tmp_path: Path) -> None:
    with background_daemon(listen=UnixAddress(tmp_path / "s")) as daemon, Client(f"unix://{tmp_path}/s") as client:
        assert daemon.grpc == f"unix://{tmp_path}/s"
        assert client.submit(REQUEST) == "w 1"


def tls_files(folder: Path, *, mutual: bool = False) -> TlsFiles:
    """Write an authority (ca.pem), a server's certificate, and a client's in one file with its key (client.pem)."""
    authority = trustme.CA()
    server, client = authority.issue_cert("127.0.0.1"), authority.issue_cert("client@example.com")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    server.private_key_pem.write_to_path(str(folder / "key.pem"))
    server.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    client.private_key_and_cert_chain_pem.write_to_path(str(folder / "client.pem"))
    return TlsFiles(folder / "cert.pem", folder / "key.pem", folder / "ca.pem" if mutual else None)


def test_a_wrong_token_is_bad_input_over_http_too() -> None:
    with background_daemon(token="s3cret") as daemon:
        assert fetch_status(daemon.status_url, token="s3cret")["state"]
        with pytest.raises(RefusedError, match=r"401 Unauthorized: this daemon expects its token"):
            fetch_status(daemon.status_url, token="other")


@pytest.mark.parametrize("token", ["tökén", "two\nlines", ""])
def test_a_token_that_no_header_carries_is_refused(token: str) -> None:
    for call in (lambda: Client(token=token), lambda: fetch_status(token=token)):
        with pytest.raises(InputError, match="the token: expected printable ASCII"):
            call()


def test_tls_and_token(tmp_path: Path) -> None:
    with background_daemon(tls=tls_files(tmp_path), token="s3cret") as daemon:
        with Client(daemon.grpc, token="s3cret", ca_certificate=tmp_path / "ca.pem") as client:
            assert client.submit(REQUEST) == "w 1"
        with (
            Client(daemon.grpc, token="other", ca_certificate=tmp_path / "ca.pem") as client,
            pytest.raises(RefusedError, match="expects its token"),
        ):
            client.submit(REQUEST)
        with Client(daemon.grpc, token="s3cret") as client, pytest.raises(ServerError) as caught:
            client.status()
        assert caught.value.code is grpc.StatusCode.UNAVAILABLE


def test_client_certificates_can_be_demanded(tmp_path: Path) -> None:
    with background_daemon(tls=tls_files(tmp_path, mutual=True)) as daemon:
        ca = tmp_path / "ca.pem"
        with Client(daemon.grpc, ca_certificate=ca) as client, pytest.raises(ServerError):
            client.status()
        with Client(daemon.grpc, ca_certificate=ca, certificate=tmp_path / "client.pem") as client:
            assert client.submit(REQUEST) == "w 1"


def test_http_over_tls(tmp_path: Path) -> None:
    with background_daemon(tls=tls_files(tmp_path, mutual=True), status_tls=True) as daemon:
        assert daemon.status_url.startswith("https://127.0.0.1:")
        assert fetch_status(daemon.status_url, ca_certificate=tmp_path / "ca.pem")["state"] == "serving"
        with pytest.raises(ServerError, match="CERTIFICATE_VERIFY_FAILED"):
            fetch_status(daemon.status_url)
        with pytest.raises(ServerError):
            fetch_status(daemon.status_url.replace("https", "http"))


def test_tls_files_that_cannot_be_used(tmp_path: Path) -> None:
    tls_files(tmp_path)
    with pytest.raises(InputError, match=r"cannot read the TLS file .*none.pem"):
        TlsFiles(tmp_path / "none.pem", tmp_path / "key.pem").credentials()
    with pytest.raises(InputError, match=r"cannot read the TLS file .*none.pem"):
        TlsFiles(tmp_path / "cert.pem", tmp_path / "none.pem").context()
    with pytest.raises(InputError, match=r"cannot use .*ca.pem with .*key.pem: KEY_VALUES_MISMATCH"):
        TlsFiles(tmp_path / "ca.pem", tmp_path / "key.pem").context()


def test_a_client_ca_without_certificates_is_refused(tmp_path: Path) -> None:
    """Else it would let everyone in, or be blamed on the port."""
    files = tls_files(tmp_path)
    for content in (b"", b"garbage", (tmp_path / "key.pem").read_bytes()):
        (tmp_path / "none.pem").write_bytes(content)
        with pytest.raises(InputError, match=r"cannot use .*none.pem as client CA"):
            TlsFiles(files.certificate, files.key, tmp_path / "none.pem").credentials()


def test_a_key_with_a_password_is_refused_without_asking_for_it(tmp_path: Path) -> None:
    files = tls_files(tmp_path)
    key = load_pem_private_key(files.key.read_bytes(), None)
    encryption = BestAvailableEncryption(b"secret")
    files.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    with pytest.raises(InputError, match=r"cannot use .*cert.pem with .*key.pem"):
        files.credentials()


def test_certificates_that_cannot_be_used_are_bad_input(tmp_path: Path) -> None:
    tls_files(tmp_path)
    for content in (b"", b"garbage"):
        (tmp_path / "none.pem").write_bytes(content)
        with pytest.raises(InputError, match=r"cannot use .*none.pem: expected the certificate of an authority"):
            Client("127.0.0.1:1", ca_certificate=tmp_path / "none.pem")
    for name in ("none.pem", "cert.pem", "key.pem"):
        with pytest.raises(InputError, match=rf"cannot use .*{name}: expected a certificate and its key"):
            Client("127.0.0.1:1", ca_certificate=tmp_path / "ca.pem", certificate=tmp_path / name)
