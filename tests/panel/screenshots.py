"""Takes the pictures of docs/panel.md: `python -m tests.panel.screenshots`."""

from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.panel import snapshots
from tests.panel.conftest import CHROMIUM, FLAGS, Stage

IMAGES = Path(__file__).parents[2] / "docs/images"


def proving(stage: Stage) -> None:
    """Two sectors at once."""
    stage.open(snapshots.busy())
    stage.tick(2)


def trouble(stage: Stage) -> None:
    """Failures, a quarantined device, a drain."""
    stage.open(snapshots.troubled())


def stale(stage: Stage) -> None:
    """The daemon hangs."""
    stage.open(snapshots.busy())
    stage.failure = "silent"
    stage.tick(14)


def take(browser: Any, name: str, story: Any, *, width: int, scheme: str, height: int | None = None) -> None:
    """Play a story and photograph the whole page, or its upper part."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.clock.install(time="2026-01-15T12:00:00")
    stage = Stage(page)
    story(stage)
    clip = None if height is None else {"x": 0, "y": 0, "width": width, "height": height}
    page.screenshot(path=IMAGES / f"{name}.png", full_page=True, clip=clip)
    stage.close()


def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        take(browser, "panel-light", proving, width=1280, scheme="light")
        take(browser, "panel-dark", proving, width=1280, scheme="dark")
        take(browser, "panel-trouble", trouble, width=1280, scheme="light")
        take(browser, "panel-stale", stale, width=1280, scheme="light", height=420)
        take(browser, "panel-narrow", trouble, width=400, scheme="dark", height=1500)
        browser.close()


if __name__ == "__main__":
    main()
