"""What a reader sees, and what they can do, situation by situation."""

import copy
import re

import pytest

from tests.panel import snapshots
from tests.panel.conftest import Stage


def texts(stage: Stage, selector: str) -> list[str]:
    """The texts of all matches, spaces made plain."""
    return [re.sub(r"\s+", " ", text).strip() for text in stage.page.locator(selector).all_inner_texts()]


def cell_words(stage: Stage, job: int) -> list[str]:
    return texts(stage, f".job:nth-child({job}) .cell .word")


def test_an_idle_daemon_is_calm(stage: Stage) -> None:
    stage.open(snapshots.idle())
    assert texts(stage, ".live b") == ["live"]
    assert texts(stage, ".empty:visible") == [
        "No job is unfinished.",
        "None is known: no NVIDIA driver: Driver Not Loaded.",
        "No job has ended since the daemon started.",
        "Nothing is loaded. Parameters are loaded by the first job that needs them.",
    ]
    assert not texts(stage, ".alerts li, .banner:visible, .bad:visible")
    assert texts(stage, ".lane-state") == ["idle"] * 5
    assert not stage.errors


def test_states_are_words_and_tell_who_does_what(stage: Stage) -> None:
    stage.open(snapshots.busy())
    assert texts(stage, ".job .id") == [job["job_id"] for job in snapshots.busy()["pipelines"][:5]]
    expected = ["done"] * 8 + ["finishing W0", "gpu W1", "ready", "synth", "synth"] + ["pending"] * 3
    assert [word.removeprefix("✓ ") for word in cell_words(stage, 1)] == expected
    lanes = texts(stage, ".device .lane")
    assert lanes[0].startswith("W0 proving porep-1000-42 [3] 1.2 s finishing ps-snap-1004-7731-88213 [8] 400 ms")
    assert "[13–15] waits for memory: needs 9.0 GiB, 3.1 GiB free" in texts(stage, ".job:nth-child(1) .notes li")
    assert texts(stage, ".memory .big") == ["216 / 220 GiB"]
    assert texts(stage, ".kinds li") == ["winning 1", "window 0 + 1 waiting", "porep 1", "snap 1 + 1 waiting"]
    assert "attempt 2" in texts(stage, ".job:nth-child(2) .facts")[0]
    assert "priority critical · deadline in 21 s" in " · ".join(texts(stage, ".job:nth-child(3) .fact"))
    assert texts(stage, ".ended .id") == [job["job_id"] for job in snapshots.busy()["recent"]]


def test_trouble_is_said_in_words(stage: Stage) -> None:
    stage.open(snapshots.troubled())
    alerts = texts(stage, ".alerts li")
    assert alerts[0].startswith("Device GPU1 (Intel Arc A770) is quarantined after 5 faults: 5 faults in 10 minutes")
    assert alerts[1] == "Synthesis process S5 is being restarted (2 restarts): killed by signal 9."
    banners = texts(stage, ".banner:visible")
    assert banners[0] == "The engine is draining: 3 jobs unfinished, 41 s left."
    assert banners[1].startswith("Development parameters are allowed")
    assert texts(stage, ".ended .state") == ["ok", "failed", "cancelled", "ok", "ok"]
    assert texts(stage, ".ended .bad:visible") == [
        "partition 3: the proof does not verify after 3 attempts; public inputs and parameters disagree"
    ]


def test_a_full_journal_needs_a_person(stage: Stage) -> None:
    shot = snapshots.idle()
    shot["journal"] = {"state": "full", "error": "No space left on device"}
    stage.open(shot)
    assert texts(stage, ".alerts li") == [
        "The journal cannot be written, so no job is accepted: No space left on device."
    ]


def test_unknown_is_a_dash_with_the_reason(stage: Stage) -> None:
    stage.open(snapshots.troubled())
    facts = stage.page.locator(".device:nth-child(2) .facts .fact[title]")
    assert texts(stage, ".device:nth-child(2) .fact[title]") == ["—", "—", "—"]
    assert {facts.nth(i).get_attribute("title") for i in range(3)} == {"this driver does not tell"}


def test_gpus_of_the_machine_are_shown_with_what_their_driver_tells(stage: Stage) -> None:
    shot = snapshots.idle()
    silent = dict.fromkeys(("temperature_c", "utilisation"), "Not Supported")
    shot["gpus"] = {
        "found": [
            snapshots.gpu(0, "NVIDIA H200"),
            snapshots.gpu(1, "NVIDIA GeForce GT 710", temperature_c=None, utilisation=None, unknown=silent),
            snapshots.gpu(2, None, memory_free_bytes=24 << 30, temperature_c=30.4, utilisation=0.0),
        ],
        "unknown": None,
    }
    stage.open(shot)
    assert texts(stage, ".gpu h3") == ["GPU 0 NVIDIA H200", "GPU 1 NVIDIA GeForce GT 710", "GPU 2"]
    expected = [
        ["18.2 / 24.0 GiB", "71 °C", "96 % busy"],
        ["18.2 / 24.0 GiB", "—", "—"],
        ["0 / 24.0 GiB", "30 °C", "0 % busy"],
    ]
    assert [texts(stage, f".gpu:nth-child({number}) .fact") for number in (1, 2, 3)] == expected
    unknown = stage.page.locator(".gpu .fact[tabindex='0']")
    assert [unknown.nth(i).get_attribute("aria-label") for i in range(2)] == ["unknown: Not Supported"] * 2
    head = "h2:visible:text('GPUs of this machine')"
    assert texts(stage, head)
    assert "There is none." not in texts(stage, ".empty:visible")
    without = copy.deepcopy(stage.snapshot)
    without["gpus"] = {"found": [], "unknown": None}
    stage.tick(2, without)
    assert not texts(stage, ".gpu")
    assert "There is none." in texts(stage, ".empty:visible")
    older = copy.deepcopy(without)
    del older["gpus"]
    stage.tick(2, older)
    assert not texts(stage, head)
    assert not stage.errors


def test_throughput_is_shown_once_it_says_something(stage: Stage) -> None:
    shot = snapshots.idle()
    shot["throughput"].update(span_secs=59.0, jobs_completed=[2, 1], partitions_proved=[20, 10])
    stage.open(shot)
    assert texts(stage, ".tile:nth-child(4) .big") == ["—"]
    title = stage.page.locator(".tile .big[title]").get_attribute("title")
    assert title == "the daemon runs for less than 60 s"
    later = copy.deepcopy(stage.snapshot)
    later["throughput"]["span_secs"] = 120.0
    stage.tick(2, later)
    assert texts(stage, ".tile:nth-child(4) .big") == ["90.0"]
    label = stage.page.locator(".tile .spark").get_attribute("aria-label") or ""
    assert label.replace("\u00a0", " ") == "900 partitions an hour over the last 2 m"


def test_data_grows_old_when_the_daemon_hangs(stage: Stage) -> None:
    stage.open(snapshots.busy())
    stage.failure = "silent"
    stage.tick(4)
    assert texts(stage, ".live b") == ["live"]
    stage.tick(4)
    assert texts(stage, ".live b") == ["stale"]
    assert re.match(r"data [5-9]\.\d s old", texts(stage, ".live .muted")[0])
    (banner,) = texts(stage, ".banner:visible")
    assert banner.startswith("The data is stale. No answer within 5 s. What you see below is from ")
    assert texts(stage, ".job .id"), "the last known state stays in view"


def test_a_daemon_that_is_gone_and_comes_back(stage: Stage) -> None:
    stage.open(snapshots.busy())
    stage.failure = "refused"
    stage.tick(10)
    assert texts(stage, ".live b") == ["no answer"]
    assert texts(stage, ".banner:visible")[0].startswith("The daemon does not answer: The connection fails.")
    stage.failure = None
    stage.snapshot = snapshots.idle() | {"boot_id": "another", "uptime_secs": 3.0}
    stage.tick(11)
    assert texts(stage, ".live b") == ["live"]
    assert not texts(stage, ".banner:visible")
    assert not texts(stage, ".job"), "another run of the daemon starts with a clean page"


def test_errors_of_the_server_are_shown(stage: Stage) -> None:
    stage.open(snapshots.busy())
    stage.failure = 502
    stage.tick(8)
    assert "The answer was 502 Bad Gateway: the reason" in texts(stage, ".banner:visible")[0]
    stage.failure = '{"not": "a status"}'
    stage.tick(8)
    assert "The answer is not the status of a cuzk daemon." in texts(stage, ".banner:visible")[0]


def test_a_repeated_snapshot_is_not_taken_for_news(stage: Stage) -> None:
    stage.open(snapshots.busy())
    before = stage.asked
    for _ in range(4):
        stage.page.clock.run_for(1600)
        stage.settle()
    assert stage.asked == before + 4
    assert texts(stage, ".live b") == ["stale"]


def test_nothing_is_asked_while_nobody_looks(stage: Stage) -> None:
    stage.open(snapshots.idle())
    stage.page.evaluate(
        "Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    before = stage.asked
    stage.page.clock.run_for(60_000)
    stage.page.wait_for_timeout(50)
    assert stage.asked == before
    stage.snapshot["uptime_secs"] += 60
    with stage.page.expect_response("**/status"):
        stage.page.evaluate(
            "Object.defineProperty(document, 'visibilityState', {value: 'visible', configurable: true});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )


def test_rows_keep_their_nodes_and_their_place(stage: Stage) -> None:
    stage.open(snapshots.busy())
    rows = "[...document.querySelector('cuzk-panel').shadowRoot.querySelectorAll('.job,.cell,.lane')]"
    stage.page.evaluate(f"{rows}.forEach((node, i) => (node.mark = i))")
    later = copy.deepcopy(stage.snapshot)
    later["pipelines"][0]["partitions"][10]["state"] = "gpu"
    stage.tick(2, later)
    marks = stage.page.evaluate(f"{rows}.map((node) => node.mark)")
    assert marks == list(range(len(marks)))
    without = copy.deepcopy(stage.snapshot)
    del without["pipelines"][1]
    stage.tick(2, without)
    assert texts(stage, ".job .id") == [job["job_id"] for job in without["pipelines"][:4]]


def test_everything_works_by_keyboard(stage: Stage) -> None:
    stage.open(snapshots.busy())
    page = stage.page
    focused = "document.activeElement.shadowRoot?.activeElement"
    label = f"{focused}?.ariaLabel ?? {focused}?.textContent"
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(label))
    assert [name for name in seen if name in ("theme: system", "Partitions", "Copy job id")][:4] == [
        "theme: system",
        "Copy job id",
        "Partitions",
        "Copy job id",
    ]
    toggle = page.locator(".job:nth-child(5) .toggle")
    toggle.focus()
    page.keyboard.press("Enter")
    assert len(cell_words(stage, 5)) == 16
    assert toggle.get_attribute("aria-expanded") == "true"
    stage.tick(2, copy.deepcopy(stage.snapshot))
    assert page.evaluate(label) == "Partitions", "a refresh must not take the focus away"
    page.keyboard.press("Space")
    assert page.locator(".job:nth-child(5) .cells").is_hidden()
    outline = page.evaluate("getComputedStyle(document.activeElement.shadowRoot.activeElement).outlineStyle")
    assert outline == "solid"


def test_jobs_can_be_filtered(stage: Stage) -> None:
    shot = snapshots.busy()
    extra = [{**shot["pipelines"][4], "job_id": f"ps-snap-9-{n}"} for n in range(20)]
    shot["pipelines"] += extra
    stage.open(shot)
    stage.page.get_by_label("Filter jobs").fill("porep run")
    assert texts(stage, ".job .id") == [snapshots.POREP]
    assert texts(stage, ".section-extra .muted")[0] == "1 of 25 jobs"
    stage.page.get_by_label("Filter jobs").fill("nothing such")
    assert "No job matches the filter." in texts(stage, ".empty:visible")


def test_long_and_strange_ids_are_whole_harmless_and_can_be_copied(stage: Stage) -> None:
    shot = snapshots.long_ids()
    stage.open(shot)
    ids = [job["job_id"] for job in shot["pipelines"][:5]]
    assert stage.page.locator(".job .id").all_text_contents() == ids
    assert stage.page.title() == "cuzk"
    for number in (1, 2):
        stage.page.locator(f".job:nth-child({number}) .copy").click()
        assert stage.page.evaluate("navigator.clipboard.readText()") == ids[number - 1]
    assert "copied" in texts(stage, ".said")


@pytest.mark.parametrize("stage", [{"viewport": {"width": 400, "height": 800}}], indirect=True)
@pytest.mark.parametrize("name", ["idle", "busy", "troubled", "long_ids"])
def test_nothing_sticks_out_at_400_pixels(stage: Stage, name: str) -> None:
    stage.open(getattr(snapshots, name)())
    outside = stage.page.evaluate(
        """() => [...document.querySelector('cuzk-panel').shadowRoot.querySelectorAll('*')]
             .filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5 && e.getClientRects().length)
             .map((e) => e.className || e.tagName)"""
    )
    assert outside == []
    assert stage.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const rgba = (c) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);
                        return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (c) => { const [r, g, b] = c.map((v) => linear(v / 255));
                         return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement ?? e.getRootNode().host) {
                            const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } };
  const poor = [];
  for (const e of document.querySelector('cuzk-panel').shadowRoot.querySelectorAll('*')) {
    const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!text || !e.checkVisibility()) continue;
    const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push([e.className || e.tagName, e.textContent, ratio]);
  }
  return poor;
}"""


@pytest.mark.parametrize("stage", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)
def test_text_has_contrast(stage: Stage) -> None:
    stage.open(snapshots.troubled())
    stage.page.locator(".job:nth-child(5) .toggle").click()
    assert stage.page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("stage", [{"color_scheme": "light"}], indirect=True)
def test_the_theme_can_be_chosen_and_is_kept(stage: Stage) -> None:
    stage.open(snapshots.idle())
    background = "getComputedStyle(document.documentElement).backgroundColor"
    before = stage.page.evaluate(background)
    button = stage.page.get_by_role("button", name="theme")
    button.click()
    button.click()
    assert texts(stage, "button.plain:visible") == ["theme: dark"]
    dark = stage.page.evaluate(background)
    assert dark != before
    stage.page.reload()
    stage.page.locator(".content").wait_for()
    assert stage.page.evaluate(background) == dark


def test_a_token_is_asked_for_once(stage: Stage) -> None:
    stage.token = "s3cret"
    stage.page.goto("http://127.0.0.1:9/")
    stage.page.get_by_label("Token").wait_for()
    assert texts(stage, ".live b") == ["locked"]
    stage.page.get_by_label("Token").fill("s3cret")
    stage.page.keyboard.press("Enter")
    stage.page.locator(".content").wait_for()
    assert texts(stage, ".live b") == ["live"]
    assert not texts(stage, ".token:visible")


def test_a_token_in_the_fragment_is_taken_out_of_the_address(stage: Stage) -> None:
    stage.token = "s3cret"
    stage.open(snapshots.idle(), fragment="#token=s3cret")
    assert stage.page.url == "http://127.0.0.1:9/"
