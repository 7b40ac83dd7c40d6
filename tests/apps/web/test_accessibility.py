"""A screen reader's transcript of a game, text at twice its size, forced colours, and a browser that keeps nothing."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.apps import needed
from tests.helpers.browsing import WebServer, chromium, serving
from wordpl.core.clues import counted

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
WAIT_MS = 60_000
SPOKEN = """() => {
  window.spoken = [];
  const live = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const note = (records) => {
    for (const { target } of records) {
      const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(live);
      const text = region?.textContent.trim();
      if (text && window.spoken.at(-1) !== text) window.spoken.push(text);
    }
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
REFUSED = (
    "for (const name of ['localStorage', 'sessionStorage'])"
    " Object.defineProperty(window, name, { get() { throw new DOMException('refused', 'SecurityError'); } });"
)
MEANING = {"c": "right place", "i": "elsewhere", ".": "not in the word"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[WebServer]:
    with serving(folder / "games.sqlite", "--daily-words", "puzzle-order") as server:
        yield server


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    yield page
    context.close()


def guess(page: Any, word: str, number: int) -> None:
    page.wait_for_selector("#board, #review")
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#review, #board .row[data-state=done] >> nth={number - 1}")


def test_a_screen_reader_tells_a_whole_game(page: Any, server: WebServer) -> None:
    page.goto(f"{server.url}#/daily/wordle/1/2021-06-19")  # its word is cigar
    page.wait_for_selector("#board")
    page.evaluate(SPOKEN)
    page.keyboard.type("zzzzz")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message[data-kind=error]")
    for _ in range(5):
        page.keyboard.press("Backspace")
    for number, word in enumerate(("crane", "cigar"), 1):
        guess(page, word, number)
    page.wait_for_selector("#review")
    spoken = "\n".join(page.evaluate("window.spoken"))
    assert "zzzzz" in spoken.lower(), spoken  # why the word was refused
    tree = page.locator("#review").aria_snapshot()
    assert "CRANE: right place, elsewhere, elsewhere, not in the word, not in the word." in spoken
    told = [re.findall(r'- img "(\w), ([^"]*)"', row) for row in tree.split("listitem")[1:]]
    for word, tiles in zip(("crane", "cigar"), told, strict=True):
        assert "".join(letter for letter, _ in tiles) == word.upper()
        for mark, (_, said) in zip(counted(word, "cigar"), tiles, strict=True):
            assert said.startswith(MEANING[mark]), tree
    assert spoken.endswith("You won: 2 guesses.")
    assert "Secret: CIGAR." in tree


@pytest.mark.parametrize("game", ["wordle/1", "wordpl/1"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 800)], ids=["desktop", "phone"])
def test_text_at_twice_its_size_is_neither_cut_nor_out_of_reach(
    page: Any, server: WebServer, game: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for fragment, ready in (("", "#start"), (f"#/new/{game}", "#board")):
        page.goto("about:blank")
        page.goto(server.url + fragment)
        page.wait_for_selector(ready)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0] + 1
        cut = page.locator("button, select, input, label, h2").evaluate_all(  # a long title is shortened
            """(all) => all.filter((one) => one.getClientRects().length).filter((one) => {
                 const box = one.getBoundingClientRect();
                 return box.right > innerWidth + 1 || box.left < -1 || (one.scrollWidth > one.clientWidth + 2 &&
                   one.clientWidth && getComputedStyle(one).overflow === "hidden");
               }).map((one) => one.outerHTML.slice(0, 120))"""
        )
        assert cut == []


def test_a_browser_that_keeps_nothing_plays_a_tournament(page: Any, server: WebServer, folder: Path) -> None:
    from tests.helpers.rooms import new_room

    needed("tournament.room")
    room, host, secrets = new_room(folder / "games.sqlite", time.time(), bank_s=900, break_s=900)
    page.add_init_script(REFUSED)
    page.goto(f"{server.url}#/room/{room.id}/{host}")
    page.click("#phase-open")
    page.wait_for_selector("#phase-playing")
    player = page.context.new_page()
    player.set_default_timeout(WAIT_MS)
    player.add_init_script(REFUSED)
    player.goto(f"{server.url}#/room/{room.id}")
    player.fill("#name", "Ada")
    player.click("#join")
    player.wait_for_selector("text=You are Ada.")
    page.click("#phase-playing")
    player.wait_for_selector("#keyboard")
    guess(player, next(word for word in ("crane", "moist") if word != secrets[0]), 1)
    player.emulate_media(forced_colors="active")
    colours = player.locator("#board .tile[data-mark]:not([data-mark=''])").evaluate_all(
        "(all) => all.map((one) => [one.dataset.mark, getComputedStyle(one).backgroundColor])"
    )
    assert len({colour for _, colour in colours}) == len({mark for mark, _ in colours})
