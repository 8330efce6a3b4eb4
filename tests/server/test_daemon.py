"""The daemon's life, its sockets, health, reflection and the token."""

import asyncio
import os
import socket
from pathlib import Path

import grpc
import httpx
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from cuzk.addresses import TcpAddress, UnixAddress, parse_address
from cuzk.errors import InputError
from cuzk.proto import proving_pb2 as pb
from cuzk.server.sockets import bound_socket, claim_unix_path
from tests.server.conftest import Running
from tests.server.test_rpc import refused, winning


def test_addresses() -> None:
    assert parse_address("127.0.0.1:9820") == TcpAddress("127.0.0.1", 9820)
    assert parse_address("http://localhost:9820") == TcpAddress("localhost", 9820)
    assert parse_address("[::1]:0") == TcpAddress("::1", 0)
    assert str(parse_address("[::1]:5")) == "[::1]:5"
    assert parse_address(":9820") == TcpAddress("0.0.0.0", 9820)
    assert parse_address("unix:///run/x.sock") == UnixAddress(Path("/run/x.sock"))
    assert [parse_address(a).is_loopback for a in ("127.9.9.9:1", "[::1]:1", "localhost:1", "unix:///x")] == [True] * 4
    assert not any(parse_address(a).is_loopback for a in ("0.0.0.0:1", "gpu-03:1", "[::]:1"))
    for bad in ("", "9820", "host:", "host:x", "host:65536", "::1:5", "unix://relative.sock", "host:１"):
        with pytest.raises(InputError, match="expected"):
            parse_address(bad)
    for path in ("/" + "x" * 107, "/\0"):  # too long for a socket's address, and what no path holds
        with pytest.raises(InputError, match="at most 107 bytes"):
            parse_address(f"unix://{path}")
    with pytest.raises(InputError, match="expected HOST:PORT"):
        parse_address("localhost:" + "9" * 5000)


def test_a_dead_socket_file_is_replaced_and_everything_else_left(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cuzk.sock"
    claim_unix_path(path)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(os.fspath(path))
    claim_unix_path(path)
    assert not path.exists()
    with socket.socket(socket.AF_UNIX) as live:
        live.bind(os.fspath(path))
        live.listen()
        with pytest.raises(InputError, match="in use"):
            claim_unix_path(path)
    assert path.exists()
    plain = tmp_path / "plain"
    plain.write_text("precious")
    with pytest.raises(InputError, match="not a socket"):
        claim_unix_path(plain)
    assert plain.read_text() == "precious"


def test_serves_on_a_unix_socket_and_removes_it(serve, tmp_path: Path) -> None:
    path = tmp_path / "cuzk.sock"

    async def story(running: Running) -> None:
        await running.stub.SubmitProof(winning())
        assert path.is_socket()
        with pytest.raises(InputError, match="in use"):
            claim_unix_path(path)

    serve(story, listen=UnixAddress(path))
    assert not path.exists()


def test_http_on_a_unix_socket_is_removed_too(serve, tmp_path: Path) -> None:
    path = tmp_path / "status.sock"

    async def story(_running: Running) -> None:
        transport = httpx.AsyncHTTPTransport(uds=os.fspath(path))
        async with httpx.AsyncClient(transport=transport) as client:
            assert (await client.get("http://daemon/healthz")).json() == {"ok": True}

    serve(story, status_listen=UnixAddress(path))
    assert not path.exists()


def test_a_port_is_not_shared(serve) -> None:
    async def story(running: Running) -> None:
        from cuzk.server.rpc import ProvingService
        from cuzk.server.rpc_server import RpcServer

        second = RpcServer(ProvingService(running.engine, str), max_message_bytes=1 << 20)
        with pytest.raises(InputError, match="Address already in use, perhaps by another daemon"):
            await second.start(parse_address(running.daemon.endpoints.grpc))

    serve(story)


@pytest.mark.parametrize("option", ["listen", "status_listen"])
@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("no-such-host.invalid", "no-such-host.invalid cannot be resolved"),
        ("two..dots", r"two\.\.dots cannot be resolved"),
        ("192.0.2.1", "Cannot assign requested address"),  # TEST-NET-1, which is nobody's
    ],
)
def test_an_address_that_cannot_be_had_is_refused_with_the_reason(serve, option: str, host: str, reason: str) -> None:
    async def story(_running: Running) -> None:
        pytest.fail("it serves")

    with pytest.raises(InputError, match=f"cannot listen at {host}:1: {reason}"):
        serve(story, **{option: TcpAddress(host, 1)})


def test_a_host_is_listened_at_by_an_address_that_this_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `localhost`, which names an IPv6 address also where there is no IPv6."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 0)) for host in ("192.0.2.1", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: found)
    with bound_socket(TcpAddress("some-host", 0)) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_health_follows_the_engine(serve) -> None:
    async def story(running: Running) -> None:
        stub = health_pb2_grpc.HealthStub(running.channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(service="cuzk.v1.ProvingEngine"))
        statuses = health_pb2.HealthCheckResponse
        assert (await watch.read()).status == statuses.SERVING
        running.engine.not_ready = "no healthy device"
        assert (await watch.read()).status == statuses.NOT_SERVING
        watch.cancel()

    serve(story)


def test_reflection_describes_the_service(serve) -> None:
    async def story(running: Running) -> None:
        stub = reflection_pb2_grpc.ServerReflectionStub(running.channel)
        call = stub.ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        names = [service.name for service in (await call.read()).list_services_response.service]
        assert "cuzk.v1.ProvingEngine" in names
        await call.write(reflection_pb2.ServerReflectionRequest(file_containing_symbol="cuzk.v1.ProvingEngine"))
        answer = (await call.read()).file_descriptor_response.file_descriptor_proto[0]
        described = FileDescriptorProto.FromString(answer).service[0]
        assert [method.name for method in described.method] == [
            "SubmitProof",
            "AwaitProof",
            "Prove",
            "CancelProof",
            "GetStatus",
            "GetMetrics",
            "PreloadSRS",
            "EvictSRS",
        ]
        await call.done_writing()

    serve(story)


def test_the_token_guards_grpc_and_http(serve) -> None:
    async def story(running: Running) -> None:
        answer = await refused(running.stub.GetStatus(pb.GetStatusRequest()))
        assert answer.code() is grpc.StatusCode.UNAUTHENTICATED
        answer = await refused(running.stub.SubmitProof(winning(), metadata=(("authorization", "Bearer wrong"),)))
        assert answer.code() is grpc.StatusCode.UNAUTHENTICATED
        assert await running.stub.GetStatus(pb.GetStatusRequest(), metadata=(("authorization", "bearer s3cret"),))
        health = health_pb2_grpc.HealthStub(running.channel)
        assert await health.Check(health_pb2.HealthCheckRequest())
        async with httpx.AsyncClient(base_url=running.http) as client:
            for path in ("/status", "/metrics", "/api/v1/jobs"):
                assert (await client.get(path)).status_code == 401
                assert (await client.get(path, headers={"authorization": "Bearer s3cret"})).status_code == 200
            for path in ("/", "/healthz", "/readyz", "/panel/panel.css"):
                assert (await client.get(path)).status_code == 200

    serve(story, token="s3cret")


def test_the_first_signal_drains_and_answers_are_delivered(serve) -> None:
    async def story(running: Running) -> None:
        proving = asyncio.ensure_future(running.stub.Prove(pb.ProveRequest(submit=winning())))
        while not running.engine.jobs:
            await asyncio.sleep(0.01)
        running.daemon.request_stop()
        draining = asyncio.ensure_future(running.daemon.drain())
        await asyncio.sleep(0.05)
        assert (await refused(running.stub.SubmitProof(winning("late")))).code() is grpc.StatusCode.UNAVAILABLE
        async with httpx.AsyncClient(base_url=running.http) as client:
            answer = await client.get("/readyz")
        assert (answer.status_code, answer.json()["reason"]) == (503, "draining")
        running.engine.finish("a job [1 2]")
        await draining
        assert (await proving).result.status == pb.AwaitProofResponse.COMPLETED

    serve(story)


def test_the_second_signal_ends_the_drain_at_once(serve) -> None:
    async def story(running: Running) -> None:
        await running.stub.SubmitProof(winning())
        running.daemon.request_stop()
        draining = asyncio.ensure_future(running.daemon.drain())
        await asyncio.sleep(0.05)
        assert not draining.done()
        running.daemon.request_stop()
        await asyncio.wait_for(draining, 30)

    serve(story)
