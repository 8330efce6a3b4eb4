"""The typed client against a daemon, TLS included."""

import threading
from pathlib import Path

import grpc
import pytest
import trustme

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


@pytest.mark.parametrize("address", ["", "x", "::::", "é:é", "unix://", "unix://relative", "127.0.0.1:99999"])
def test_an_address_that_is_none_is_bad_input(address: str) -> None:
    with pytest.raises(InputError, match=r"expected (HOST:PORT|unix://|an IPv6)"):
        Client(address)


def test_unix_socket(tmp_path: Path) -> None:
    with background_daemon(listen=UnixAddress(tmp_path / "s")) as daemon, Client(f"unix://{tmp_path}/s") as client:
        assert daemon.grpc == f"unix://{tmp_path}/s"
        assert client.submit(REQUEST) == "w 1"


def test_tls_and_token(tmp_path: Path) -> None:
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    server.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    server.cert_chain_pems[0].write_to_path(str(tmp_path / "cert.pem"))
    files = TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem")
    with background_daemon(tls=files, token="s3cret") as daemon:
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
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1")
    for name, blob in (
        ("ca", authority.cert_pem),
        ("key", server.private_key_pem),
        ("cert", server.cert_chain_pems[0]),
    ):
        blob.write_to_path(str(tmp_path / f"{name}.pem"))
    files = TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem", tmp_path / "ca.pem")
    with (
        background_daemon(tls=files) as daemon,
        Client(daemon.grpc, ca_certificate=tmp_path / "ca.pem") as client,
        pytest.raises(ServerError),
    ):
        client.status()
    with pytest.raises(InputError, match=r"cannot read the TLS file .*none.pem"):
        TlsFiles(tmp_path / "none.pem", tmp_path / "key.pem").credentials()
