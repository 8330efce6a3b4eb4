"""Numbers as words, in the browser that will show them."""

from typing import Any

import pytest

NBSP = "\u00a0"

CASES = [
    ("duration", [0], "0 ms"),
    ("duration", [587], "587 ms"),
    ("duration", [999.4], "999 ms"),
    ("duration", [999.6], "1.0 s"),
    ("duration", [5200], "5.2 s"),
    ("duration", [9949], "9.9 s"),
    ("duration", [9950], "10 s"),
    ("duration", [59_499], "59 s"),
    ("duration", [59_500], "1 m"),
    ("duration", [190_000], "3 m 10 s"),
    ("duration", [11_520_000], "3 h 12 m"),
    ("duration", [187_200_000], "2 d 4 h"),
    ("duration", [-1500], "−1.5 s"),
    ("duration", [None], "—"),
    ("age", [400], "0.4 s"),
    ("age", [12_400], "12 s"),
    ("bytes", [0], "0 B"),
    ("bytes", [1023], "1023 B"),
    ("bytes", [1024], "1.00 KiB"),
    ("bytes", [18.24 * 2**30], "18.2 GiB"),
    ("bytes", [312 * 2**30], "312 GiB"),
    ("bytes", [1023.9 * 2**20], "1.00 GiB"),
    ("bytes", [None], "—"),
    ("bytesOf", [312 * 2**30, 400 * 2**30], "312 / 400 GiB"),
    ("bytesOf", [0, 24 * 2**30], "0 / 24.0 GiB"),
    ("bytesOf", [None, 24 * 2**30], "— / 24.0 GiB"),
    ("percent", [0.876], "88 %"),
    ("percent", [None], "—"),
    ("count", [1234567], "1 234 567"),
    ("rate", [42.14], "42.1"),
    ("rate", [1234.5], "1 235"),
    ("plural", [1, "ref"], "1 ref"),
    ("plural", [0, "ref"], "0 refs"),
    ("ranges", [[7, 3, 8, 9, 11, 12]], "3, 7–9, 11, 12"),
    ("ranges", [[]], ""),
]


@pytest.fixture(scope="module")
def formatted(browser: Any) -> list[str]:
    from tests.panel.conftest import ORIGIN, Stage

    context = browser.new_context()
    stage = Stage(context.new_page())
    stage.page.goto(f"{ORIGIN}/")
    calls = [[name, arguments] for name, arguments, _ in CASES]
    results = stage.page.evaluate(
        "async (calls) => { const m = await import('/panel/format.js'); return calls.map(([f, a]) => m[f](...a)); }",
        calls,
    )
    context.close()
    return [result.replace(NBSP, " ").replace("\u2009", " ") for result in results]


@pytest.mark.parametrize("index", range(len(CASES)), ids=[f"{name}-{expected}" for name, _, expected in CASES])
def test_words(formatted: list[str], index: int) -> None:
    assert formatted[index] == CASES[index][2]
