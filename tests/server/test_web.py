"""The HTTP side, over a real socket."""

import asyncio
import re

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from cuzk.engine.events import JobChecking, JobEnded, JobRefused
from cuzk.proto import proving_pb2 as pb
from cuzk.server import http_server
from tests.server.conftest import Running


def test_status_is_the_engines_word_for_word(serve) -> None:
    async def story(running: Running) -> None:
        async with httpx.AsyncClient(base_url=running.http) as client:
            answer = await client.get("/status")
        assert answer.content == running.engine.status_json()
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]

    serve(story)


def test_pages_of_other_origins_may_read_the_status_and_nothing_else(serve) -> None:
    async def story(running: Running) -> None:
        origin = {"origin": "http://dashboard.example"}
        token = {"authorization": "Bearer s3cret"}
        async with httpx.AsyncClient(base_url=running.http) as client:
            answer = await client.get("/status", headers=origin | token)
            assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")
            asked = origin | {
                "access-control-request-method": "GET",
                "access-control-request-headers": "authorization",
            }
            answer = await client.options("/status", headers=asked)
            assert answer.status_code == 204
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.headers["access-control-allow-headers"] == "authorization"
            assert answer.headers["access-control-allow-methods"] == "GET"
            answer = await client.get("/status", headers=origin)
            assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (401, "*")
            assert "access-control-allow-credentials" not in answer.headers
            for path in ("/", "/metrics", "/healthz", "/readyz", "/api/v1/jobs"):
                answer = await client.get(path, headers=origin | token)
                assert (answer.status_code, answer.headers.get("access-control-allow-origin")) == (200, None)
                assert (await client.options(path, headers=asked | token)).status_code == 405

    serve(story, token="s3cret")


def test_probes(serve) -> None:
    async def story(running: Running) -> None:
        async with httpx.AsyncClient(base_url=running.http) as client:
            assert (await client.get("/healthz")).json() == {"ok": True}
            assert (await client.get("/readyz")).json() == {"ok": True, "reason": None}
            running.engine.not_ready = "no healthy device"
            answer = await client.get("/readyz")
            assert (answer.status_code, answer.json()) == (503, {"ok": False, "reason": "no healthy device"})
            assert (await client.get("/healthz")).status_code == 200

    serve(story)


def test_jobs_by_state_and_by_id(serve) -> None:
    async def story(running: Running) -> None:
        async with httpx.AsyncClient(base_url=running.http) as client:
            jobs = (await client.get("/api/v1/jobs")).json()["jobs"]
            assert jobs == running.engine.snapshot["pipelines"]
            queued = (await client.get("/api/v1/jobs", params={"state": ["queued", "failed"]})).json()["jobs"]
            assert {job["state"] for job in queued} == {"queued"}
            window = "wdpost-1004-3-[17 201 5 88 94 0 131 250]"
            assert (await client.get(f"/api/v1/jobs/{window}")).json()["job_id"] == window
            answer = await client.get("/api/v1/jobs/none/such")
            assert (answer.status_code, "none/such" in answer.json()["error"]) == (404, True)

    serve(story)


def test_unknown_paths_and_methods(serve) -> None:
    async def story(running: Running) -> None:
        async with httpx.AsyncClient(base_url=running.http) as client:
            assert (await client.get("/statusfoo")).status_code == 404
            assert (await client.get("/panel/../metrics.py")).status_code == 404
            assert (await client.get("/panel/%2e%2e/metrics.py")).status_code == 404
            assert (await client.post("/status")).status_code == 405

    serve(story)


def test_connections_without_a_whole_request_are_closed(serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "PATIENCE_SECONDS", 1.0)

    async def story(running: Running) -> None:
        host, _, port = running.http.removeprefix("http://").rpartition(":")

        async def answer(begun: bytes) -> bytes:
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(begun)
            answer = await reader.read()
            writer.close()
            return answer

        begun = (b"", b"GET /status HTTP/1.1\r\nHost: x\r\n", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /")
        answers = await asyncio.gather(*map(answer, begun))
        assert [text.count(b"200 OK") for text in answers] == [0, 0, 1]

    serve(story)


CHUNKED = b"POST /status HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("request_in_pieces", "answers"),
    [
        ([CHUNKED + b"no length\r\n"], [b"400"]),
        ([CHUNKED, b"no length\r\n"], [b"405"]),
        ([b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + CHUNKED + b"no length\r\n"], [b"200", b"400"]),
        ([b"nothing of the kind\r\n\r\n"], [b"400"]),
    ],
    ids=["body with the head", "body after the answer", "after a good one", "no head"],
)
def test_what_is_no_http_is_refused_with_one_line_in_the_log(
    serve, request_in_pieces: list[bytes], answers: list[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    async def story(running: Running) -> None:
        host, _, port = running.http.removeprefix("http://").rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        first, *later = request_in_pieces
        writer.write(first)
        got = b""
        for piece in later:
            got += await reader.readuntil(b"\r\n\r\n")  # an answer to what came so far
            writer.write(piece)
        got += await reader.read()
        writer.close()
        assert re.findall(rb"HTTP/1\.1 (\d+)", got) == answers
        async with httpx.AsyncClient(base_url=running.http) as client:
            assert (await client.get("/healthz")).status_code == 200

    serve(story)
    (record,) = (record for record in caplog.records if record.name.startswith("uvicorn"))
    assert record.getMessage() == "Invalid HTTP request received."
    assert record.exc_info is None


def test_who_asks_for_websockets_is_answered_without_advice_in_the_log(serve, caplog: pytest.LogCaptureFixture) -> None:
    async def story(running: Running) -> None:
        headers = {"connection": "upgrade", "upgrade": "websocket"}
        async with httpx.AsyncClient(base_url=running.http, headers=headers) as client:
            assert (await client.get("/healthz")).json() == {"ok": True}

    serve(story)
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


def test_the_panel_is_served(serve) -> None:
    async def story(running: Running) -> None:
        async with httpx.AsyncClient(base_url=running.http) as client:
            page = await client.get("/")
            assert "<cuzk-panel" in page.text
            for path, kind in (("cuzk-panel.js", "text/javascript"), ("panel.css", "text/css")):
                answer = await client.get(f"/panel/{path}")
                assert answer.headers["content-type"].startswith(kind)
                assert answer.headers["cache-control"] == "no-cache"

    serve(story)


def test_metrics_parse_and_agree_with_the_status(serve) -> None:
    async def story(running: Running) -> None:
        running.engine.snapshot["counters"]["completed_by_kind"] = {"porep-c2": 400, "winning-post": 12}
        running.engine.snapshot["devices"][0]["temperature_c"] = None
        async with httpx.AsyncClient(base_url=running.http) as client:
            answer = await client.get("/metrics")
        families = {family.name: family for family in text_string_to_metric_families(answer.text)}
        completed = {s.labels["proof_kind"]: s.value for s in families["cuzk_proofs_completed"].samples}
        assert completed == {"porep_c2": 400, "winning_post": 12, "window_post": 0, "snap_update": 0}
        assert families["cuzk_device_temperature_celsius"].samples == []
        assert families["cuzk_memory_used_bytes"].samples[0].value == running.engine.snapshot["memory"]["used_bytes"]
        assert all(family.type in ("counter", "gauge", "histogram") for family in families.values())
        reply = await running.stub.GetMetrics(pb.GetMetricsRequest())
        assert reply.prometheus_text == answer.text

    serve(story)


def test_durations_are_a_histogram_of_what_was_proved(serve) -> None:
    async def story(running: Running) -> None:
        tell = running.engine.callback
        for number, state in enumerate(("done", "done", "failed", "cancelled")):
            job = f"job {number}"
            tell(
                JobChecking(
                    at=100.0, job_id=job, request_id=job, kind="winning-post", priority=4, attempt=1, submitted_at=99.0
                )
            )
            tell(JobEnded(at=104.0, job_id=job, state=state))
        tell(JobChecking(at=1.0, job_id="bad", request_id="", kind="porep-c2", priority=2, attempt=1, submitted_at=1.0))
        tell(JobRefused(at=2.0, job_id="bad", reason="no"))
        async with httpx.AsyncClient(base_url=running.http) as client:
            answer = await client.get("/metrics")
        (family,) = [f for f in text_string_to_metric_families(answer.text) if f.name == "cuzk_proof_duration_seconds"]
        samples = {(s.name.rpartition("_")[2], s.labels.get("le")): s.value for s in family.samples}
        assert {s.labels["proof_kind"] for s in family.samples} == {"winning_post"}
        assert samples["sum", None] == 10.0
        assert (samples["bucket", "2.0"], samples["bucket", "5.0"], samples["count", None]) == (0, 2, 2)

    serve(story)
