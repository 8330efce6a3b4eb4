"""The panel as the daemon serves it, with its headers: nothing that it needs is forbidden."""

from typing import Any

from tests.panel import snapshots
from tests.server.background import background_daemon


def test_the_served_page_works_under_its_own_policy(browser: Any) -> None:
    with background_daemon(token="s3cret") as daemon:
        context = browser.new_context()
        page = context.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(daemon.status_url.removesuffix("status") + "#token=s3cret")
        page.locator(".content").wait_for()
        assert page.locator(".job .id").all_text_contents() == [
            job["job_id"] for job in snapshots.busy()["pipelines"][:5]
        ]
        width = page.locator(".stack-part").first.evaluate("(part) => part.getBoundingClientRect().width")
        assert width > 10, "the policy forbids no style that the page sets"
        daemon.call(lambda: setattr(daemon.engine, "snapshot", snapshots.troubled() | {"uptime_secs": 99_999.0}))
        page.locator(".alerts li").first.wait_for()
        assert complaints == []
        context.close()
