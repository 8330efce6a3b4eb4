"""The HTTP side: status, metrics, probes, jobs and the panel. All of it only reads."""

from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cuzk.engine import Engine
from cuzk.server.access import is_authorized
from cuzk.server.metrics import CONTENT_TYPE, Metrics

PANEL = Path(__file__).parent / "panel"
JSON = "application/json"

#: What needs no token: probes, and the page, which holds no data and asks for the token itself.
_OPEN_PATHS = ("/healthz", "/readyz", "/", "/panel/")

#: Pages of other origins read the status, as they did the Rust daemon's. They get no more than what it says: nothing
#: here acts, and where there is a token they must have it, since no cookie speaks for whoever looks at them.
_STATUS_HEADERS = {"cache-control": "no-store", "access-control-allow-origin": "*"}
_PREFLIGHT_HEADERS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "authorization",
    "access-control-max-age": "3600",
}

_HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
}


def web_app(engine: Engine, metrics: Metrics, token: str | None = None) -> Starlette:
    """Make the HTTP application."""

    async def status(_request: Request) -> Response:
        return Response(engine.status_json(), media_type=JSON, headers=_STATUS_HEADERS)

    async def preflight(_request: Request) -> Response:
        return Response(status_code=204, headers=_PREFLIGHT_HEADERS)

    async def metrics_text(_request: Request) -> Response:
        return Response(metrics.text(), headers={"content-type": CONTENT_TYPE})

    async def alive(_request: Request) -> Response:
        return JSONResponse({"ok": True})

    async def ready(_request: Request) -> Response:
        reason = engine.ready()
        return JSONResponse({"ok": reason is None, "reason": reason}, status_code=200 if reason is None else 503)

    async def jobs(request: Request) -> Response:
        states = set(request.query_params.getlist("state"))
        listed = [job for job in engine.status().pipelines if not states or job.state in states]
        return Response(msgspec.json.encode({"jobs": listed}), media_type=JSON)

    async def job(request: Request) -> Response:
        job_id = request.path_params["job_id"]
        for item in engine.status().pipelines:
            if item.job_id == job_id:
                return Response(msgspec.json.encode(item), media_type=JSON)
        return JSONResponse({"error": f"no unfinished or lately ended job has the id {job_id!r}"}, status_code=404)

    async def page(_request: Request) -> Response:
        return FileResponse(PANEL / "index.html", headers={"cache-control": "no-cache"})

    async def not_found(request: Request, _error: Exception) -> Response:
        return JSONResponse({"error": f"nothing is at {request.url.path}"}, status_code=404)

    routes = [
        Route("/", page),
        Route("/status", status),
        Route("/status", preflight, methods=["OPTIONS"]),
        Route("/metrics", metrics_text),
        Route("/healthz", alive),
        Route("/readyz", ready),
        Route("/api/v1/jobs", jobs),
        Route("/api/v1/jobs/{job_id:path}", job),
        Mount("/panel", _PanelFiles(directory=PANEL)),
    ]
    middleware = [Middleware(_Headers), Middleware(_Token, token=token)]
    return Starlette(routes=routes, middleware=middleware, exception_handlers={404: not_found})


class _PanelFiles(StaticFiles):
    """The panel's files; a browser asks each time whether they changed, as they do with the daemon."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response


class _Headers:
    """Adds what every answer carries."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS.items()]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class _Token:
    """Answers 401 where the token is needed and not given."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._may_pass(Request(scope)):
            refusal = JSONResponse(
                {"error": "this daemon expects its token: Authorization: Bearer TOKEN"},
                status_code=401,
                headers={"www-authenticate": "Bearer"} | _cross_origin(scope),
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _may_pass(self, request: Request) -> bool:
        path = request.url.path
        is_open = any(
            path == known or (known.endswith("/") and known != "/" and path.startswith(known)) for known in _OPEN_PATHS
        )
        is_preflight = request.method == "OPTIONS" and path == "/status"  # browsers send no token with it
        return is_open or is_preflight or is_authorized(self._token, request.headers.get("authorization"))


def _cross_origin(scope: Scope) -> dict[str, str]:
    """Return the header that lets a page of another origin see why the status was refused."""
    return {"access-control-allow-origin": "*"} if scope["path"] == "/status" else {}
