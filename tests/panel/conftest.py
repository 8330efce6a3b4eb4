"""The panel in a real Chromium, fed with snapshots by the test instead of a daemon."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.panel import snapshots

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PANEL = Path(__file__).parents[2] / "src/cuzk/server/panel"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
ORIGIN = "http://127.0.0.1:9"
OPENED = 1_790_000_000  # seconds since 1970, when the page is opened
STEP = 0.25  # seconds of the page's clock
SETTLING_MS = 30_000
IS_ASKING = "document.querySelector('cuzk-panel').poller.pending"


class Stage:
    """A page that shows what `snapshot` says, or fails as `failure` says."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.snapshot = snapshots.idle()
        self.failure: str | int | None = None
        self.token: str | None = None
        self.asked = 0
        self.held: list[Any] = []
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.route("**/*", self._answer)

    def open(self, snapshot: snapshots.Snapshot | None = None, fragment: str = "") -> None:
        """Open the page and wait for its first data."""
        self.snapshot = snapshot or self.snapshot
        self.page.goto(f"{ORIGIN}/{fragment}")
        self.page.locator(".content").wait_for()
        self.settle()

    def tick(self, seconds: float, snapshot: snapshots.Snapshot | None = None) -> None:
        """Let time pass for daemon and page, in steps: no real answer comes while the page's clock is run."""
        self.snapshot = snapshot or self.snapshot
        for _ in range(round(seconds / STEP)):
            if self.failure is None:
                self.snapshot["uptime_secs"] += STEP
                self.snapshot["time"] += STEP
            self.page.clock.run_for(round(STEP * 1000))
            self.settle()

    def settle(self) -> None:
        """Wait until the page has taken in the answer to what it asked, however long that really takes."""
        for _ in range(SETTLING_MS // 5):
            if self.failure == "silent" or not self.page.evaluate(IS_ASKING):
                return
            self.page.wait_for_timeout(5)
        raise AssertionError(f"the page still waits for an answer after {SETTLING_MS} ms")

    def close(self) -> None:
        """End what hangs, and the page with its context."""
        for route in self.held:
            route.abort()
        self.page.context.close()

    def _answer(self, route: Any) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if path == "/status":
            self.asked += 1
            self._answer_status(route)
            return
        file = PANEL / ("index.html" if path == "/" else path.removeprefix("/panel/"))
        route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])

    def _answer_status(self, route: Any) -> None:
        if self.failure == "refused":
            route.abort("connectionrefused")
        elif self.failure == "silent":
            self.held.append(route)
        elif isinstance(self.failure, int):
            route.fulfill(status=self.failure, body='{"error": "the reason"}', content_type="application/json")
        elif self.failure is not None:
            route.fulfill(body=self.failure)
        elif self.token and route.request.headers.get("authorization") != f"Bearer {self.token}":
            route.fulfill(status=401, body="{}", content_type="application/json")
        else:
            route.fulfill(body=json.dumps(self.snapshot), content_type="application/json")


@pytest.fixture(scope="package")  # while it lives, Playwright's event loop is in the way of other tests' own
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip(f"needs {CHROMIUM} (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(params=[{}])
def stage(browser: Any, request: pytest.FixtureRequest) -> Iterator[Stage]:
    options = {"viewport": {"width": 1280, "height": 900}, **request.param}
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"], **options)
    page = context.new_page()
    page.clock.install(time=OPENED - 1)
    page.clock.pause_at(OPENED)  # from here on its time passes in `tick` alone
    stage = Stage(page)
    yield stage
    stage.close()
