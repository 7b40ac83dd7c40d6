"""The page in Chromium: keyboard, touch, two friends, a restart of the server, and accessibility."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import WebServer, chromium, serving

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
PHONE = {"width": 390, "height": 800}
WAIT_MS = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    options = ("--daily-words", "puzzle-order", "--results", "results")
    with serving(tmp_path_factory.mktemp("web") / "games.sqlite", *options) as server:
        yield server


@pytest.fixture
def new_page(browser: Any, server: WebServer) -> Iterator[Any]:
    """Yield a function that opens a page for a new visitor; errors of a page fail the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(fragment: str, **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
        page.on("request", lambda request: request.url.startswith(server.url) or complaints.append(request.url))
        page.goto(server.url + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in complaints if "ERR_ABORTED" not in text and "failed: " not in text] == []


def rows(page: Any) -> int:
    return page.locator("#board .row[data-state=done]").count()


def guess(page: Any, word: str, key: str = "Enter") -> None:
    before = rows(page)
    page.keyboard.type(word)
    page.keyboard.press(key)
    page.wait_for_selector(f"#board .row[data-state=done] >> nth={before}")


def test_a_noisy_game_can_be_played_by_keyboard(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1")
    page.wait_for_selector("#board")
    assert page.locator("#buys").inner_text() == "ε 8: each mark is true with probability .71; 8 spent after this guess"
    guess(page, "crane")
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.id") != "epsilon":
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert "ε 8.5" in page.locator("#buys").inner_text()
    guess(page, "slate")
    assert page.locator(".price").all_inner_texts() == ["ε 8", "ε 8.5"]
    page.keyboard.type("aback")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector("#review")
    assert page.locator("#review tbody tr").count() == 2
    assert len(page.locator("#secret").inner_text()) == 5
    assert "wordpl/1" in page.locator("#share").inner_text()


def test_a_wordle_game_can_be_played_by_touch_on_a_phone(new_page: Any) -> None:
    page = new_page("#/daily/wordle/1/2021-06-19", viewport=PHONE, has_touch=True, is_mobile=True)
    page.wait_for_selector("#board")
    for word in ("salet", "cigar"):
        for letter in word:
            page.tap(f"[data-key={letter}]")
        page.tap("[data-key=Enter]")
        page.wait_for_selector("#review, .row[data-state=done]")
        page.wait_for_function("() => !document.body.hasAttribute('data-busy')") if word == "salet" else None
    page.wait_for_selector("#review")
    assert page.locator("#review h2").inner_text() == "You won: 2 guesses."
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    sizes = page.evaluate("[...document.querySelectorAll('button')].map((b) => b.getBoundingClientRect().height)")
    assert min(sizes) >= 40


def test_an_unknown_word_is_refused_and_can_be_deleted(new_page: Any) -> None:
    page = new_page("#/new/wordle/1")
    page.wait_for_selector("#board")
    page.keyboard.type("zzzzz")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message[data-kind=error]:not(:empty)")
    assert "not a word of the guesses" in page.locator("#message").inner_text()
    for _ in range(5):
        page.keyboard.press("Backspace")
    guess(page, "crane")


def test_enter_makes_the_guess_after_clicks_elsewhere(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1")
    page.wait_for_selector("#board")
    page.check("#contrast")
    guess(page, "crane")
    page.keyboard.type("zzzzz")
    page.click("#answer")
    page.wait_for_selector("#message[data-kind=error]")
    page.click("summary")
    for _ in range(5):
        page.keyboard.press("Backspace")
    guess(page, "slate")
    assert page.locator("#guess").is_visible()


def test_two_friends_see_the_marks_of_each_other_without_letters(new_page: Any) -> None:
    ada = new_page("")
    ada.wait_for_selector("#invite")
    ada.select_option("#friends-game", "wordle/1")
    ada.fill("#name", "Ada")
    ada.click("#invite")
    link = ada.locator("#invitation").inner_text()
    bob = new_page(link.partition("#")[1] + link.partition("#")[2], viewport=PHONE)
    bob.fill("#name", "<b>Bob</b>")
    bob.click("#join")
    bob.wait_for_selector("#board")
    guess(bob, "crane")
    guess(ada, "slate")
    ada.wait_for_selector("#friends li:has-text('Bob') .squares")
    assert "<b>Bob</b>" in ada.locator("#friends").inner_text()
    assert "crane" not in ada.content().lower()
    for page in (ada, bob):
        page.on("dialog", lambda dialog: dialog.accept())
        page.click("#give-up")
        page.wait_for_selector("#review")
    for page in (ada, bob):
        page.wait_for_selector("#secret")
    assert ada.locator("#secret").inner_text() == bob.locator("#secret").inner_text()


def test_a_game_continues_after_a_restart_of_the_server(new_page: Any, server: WebServer) -> None:
    page = new_page("#/new/wordpl/1")
    page.wait_for_selector("#board")
    guess(page, "crane")
    server.kill()
    page.keyboard.type("slate")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message[data-kind=error]:has-text('cannot be reached')")
    server.restart()
    page.keyboard.press("Enter")
    page.wait_for_selector("#board .row[data-state=done] >> nth=1")
    page.reload()
    page.wait_for_selector("#board .row[data-state=done] >> nth=1")


def test_hints_are_shown_and_statistics_stored_in_the_browser(new_page: Any) -> None:
    page = new_page("#/daily/wordle/1/2021-06-20")
    page.wait_for_selector("#board")
    guess(page, "salet")
    page.click("#hint")
    page.wait_for_selector("#hints")
    assert "left" in page.locator("#hints").inner_text()
    page.keyboard.type("rebut")
    page.keyboard.press("Enter")
    page.wait_for_selector("#review")
    page.click("a.brand")
    page.wait_for_selector("#statistics td")
    assert page.locator("#statistics td").all_inner_texts() == ["1", "1", "1", "2.00"]


def test_runs_are_shown_with_their_games(new_page: Any) -> None:
    page = new_page("runs/")
    page.click("a:has-text('bundled')")
    page.wait_for_selector("caption:has-text('all scores')")
    page.click("a[href^='games/'] >> nth=0")
    page.wait_for_selector("caption:has-text('Moves')")
    assert page.locator(".tile").count() >= 5


def test_axe_finds_no_serious_violation(new_page: Any) -> None:
    source = os.environ.get("WORDPL_AXE", "")
    if not Path(source).is_file():
        pytest.skip("WORDPL_AXE should name axe.min.js: npm install axe-core in a folder outside the project")
    axe = Path(source).read_text(encoding="utf-8")
    pages = {"": "#start", "#/new/wordpl/1": "#board", "#/daily/wordle/1/2021-06-21": "#board", "runs/": "table"}
    for fragment, ready in pages.items():
        for scheme in ("light", "dark"):
            page = new_page(fragment, color_scheme=scheme, viewport=PHONE, bypass_csp=True)
            page.wait_for_selector(ready)
            if ready == "#board":
                guess(page, "crane")
            page.evaluate(axe)
            violations = page.evaluate(
                "async () => (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].html])"
            )
            assert [item for item in violations if item[0] in ("serious", "critical")] == [], (
                fragment,
                scheme,
            )
