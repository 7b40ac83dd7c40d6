"""The page of a noisy day in Chromium: entering under a name, and the ranking with strategies."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import WebServer, chromium, serving

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(500)]
SIZES = {"desktop": (1280, 800), "phone": (390, 664), "small phone": (375, 553)}
STRATEGIES_MS = 300_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with serving(tmp_path_factory.mktemp("web") / "games.sqlite") as server:
        yield server


def check(page: Any, width: int) -> None:
    """Check that nothing is wider than the window, and the page with axe if WORDPL_AXE names it."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [part.bounding_box() for part in page.locator("#main > section, #main > form").all() if part.is_visible()]
    assert boxes
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    source = Path(os.environ.get("WORDPL_AXE", ""))
    if source.is_file():
        page.evaluate(source.read_text(encoding="utf-8"))
        assert page.evaluate("async () => (await axe.run()).violations.map((v) => [v.id, v.nodes[0].html])") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_people_enter_under_a_name_and_are_ranked_beside_strategies(
    browser: Any, server: WebServer, size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{server.url}#/daily/wordpl/1")
    page.wait_for_selector("#enter-day")
    check(page, width)
    assert page.locator("#name").bounding_box()["y"] < height
    name = f"Ada on a {size}, {scheme}"[:24].strip()
    page.fill("#name", name)
    page.click("#enter-day")
    page.wait_for_selector("#board")
    page.keyboard.type("crane")
    page.keyboard.press("Enter")
    page.wait_for_selector("#board .row[data-state=done]")
    page.keyboard.type("aback")
    page.keyboard.press("Shift+Enter")
    own = page.locator("#day-ranking tr.own")
    own.wait_for()
    assert own.locator("th").inner_text() == f"{name} (you)"
    assert own.locator("td").nth(1).inner_text() == "8"
    assert page.locator("#secret, #day-secret, #day-seed").count() == 0
    page.wait_for_selector("#day-ranking small:has-text('strategy')", timeout=STRATEGIES_MS)
    assert page.locator("#day-ranking tr:has(small)").count() == 7
    page.click("#day summary")
    check(page, width)
    context.close()
