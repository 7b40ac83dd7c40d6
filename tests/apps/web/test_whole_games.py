"""Whole games in Chromium by keyboard and by touch, on three screens on which everything stays visible."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.browsing import WebServer, chromium, serving
from tests.helpers.paths import HOME
from wordpl import games
from wordpl.core import words
from wordpl.core.moves import ClassicMove
from wordpl.core.words import WordLists

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
SCREENS = {"1280x800": (1280, 800), "390x664": (390, 664), "375x553": (375, 553)}
N_NOISY = 12
"""Clues before the answer; a guess at the first epsilon of the slider buys about two of eleven bits."""
MIN_PX = 12
HIDDEN = """(minPx) => {
  const problems = [], stage = document.querySelector(".stage").getBoundingClientRect();
  const seen = (element, name, inside) => {
    const box = element.getBoundingClientRect();
    if (box.width < minPx || box.height < minPx) problems.push(`${name} is ${box.width} x ${box.height}`);
    const isInside = box.left > -0.5 && box.right < innerWidth + 0.5;
    if (box.top < inside.top - 0.5 || box.bottom > inside.bottom + 0.5 || !isInside)
      problems.push(`${name} is outside: ${box.top} to ${box.bottom}`);
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!element.contains(top)) problems.push(`${name} is covered`);
  };
  for (const one of document.querySelectorAll("#board .row:is([data-state=done], [data-state=open]) .tile"))
    seen(one, `tile ${one.dataset.letter}`, stage);
  for (const one of document.querySelectorAll("#keyboard button, .game .buttons button, .price-choice input"))
    seen(one, one.textContent || one.id, { top: 0, bottom: innerHeight });
  const boxes = [...document.querySelectorAll("#board .row")].map((row) => row.getBoundingClientRect());
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const isBeside = a.left >= b.right - 1 || b.left >= a.right - 1;
    if (a.top < b.bottom - 1 && b.top < a.bottom - 1 && !isBeside) problems.push("rows overlap");
  }));
  if (document.documentElement.scrollWidth > innerWidth) problems.push("the page is wider than the screen");
  return problems;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Yield a server with the games of the package and a host's own one."""
    options = ("--daily-words", "puzzle-order", "--game", str(HOME / "examples/fibble.py:Fibble"))
    with serving(tmp_path_factory.mktemp("web") / "games.sqlite", *options) as server:
        yield server


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Yield a server of a host's own game with six letters."""
    folder = tmp_path_factory.mktemp("six")
    lists = words.load()
    for name, of in (("answers", lists.answers), ("guesses", lists.guesses)):
        (folder / f"{name}.txt").write_text("\n".join(f"{word}s" for word in of), encoding="utf-8")
    options = ["--game", str(HOME / "examples/other_lengths.py:SixLetters")]
    options += ["--answers", str(folder / "answers.txt"), "--guesses", str(folder / "guesses.txt")]
    with serving(folder / "games.sqlite", *options) as server:
        yield server


class Player:
    """Somebody who plays a game on a screen, by keyboard or by touch, and looks at it after each move."""

    def __init__(self, page: Any, by_touch: bool):
        self.page, self.by_touch = page, by_touch
        self.n_moves = 0

    def type(self, word: str) -> None:
        for letter in word:
            if self.by_touch:
                self.page.tap(f"[data-key={letter}]")
            else:
                self.page.keyboard.press(letter)

    def move(self, word: str, button: str = "Enter") -> bool:
        """Make a move; return whether the game goes on."""
        self.type(word)
        self.look()
        if self.by_touch:
            self.page.tap("#answer" if button == "Shift+Enter" else "[data-key=Enter]")
        else:
            self.page.keyboard.press(button)
        self.n_moves += 1
        self.page.wait_for_selector(f"#review, #board .row[data-state=done] >> nth={self.n_moves - 1}")
        self.page.evaluate("document.getAnimations().forEach((one) => one.finish())")
        is_open = self.page.locator("#review").count() == 0
        if is_open:
            self.look()
        return is_open

    def look(self) -> None:
        assert self.page.evaluate(HIDDEN, MIN_PX) == [], f"after {self.n_moves} moves"

    def rows(self) -> list[tuple[str, str]]:
        """Return the guesses so far with their clues, as the page shows them."""
        read = """(rows) => rows.map((row) =>
            [...row.querySelectorAll('.tile')].map((tile) => [tile.dataset.letter, tile.dataset.mark]))"""
        shown = self.page.locator("#board .row[data-state=done]").evaluate_all(read)
        return [("".join(letter for letter, _ in row), "".join(mark for _, mark in row)) for row in shown]


@pytest.fixture
def players(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Yield a function that opens a page on a screen, played by keyboard or by touch."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(url: str, screen: str, by_touch: bool = False, **options: Any) -> Player:
        width, height = SCREENS[screen]
        size = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=size, has_touch=by_touch, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        page.wait_for_selector("#board")
        return Player(page, by_touch)

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def play_consistently(player: Player, game_id: str, lists: WordLists) -> None:
    """Play words that agree with the clues so far to the end of a game; where these may be false, any words."""
    game, rng = games.make_game(game_id, lists), random.Random(7)
    while True:
        moves = [ClassicMove(guess, clues) for guess, clues in player.rows()]
        left = game.possible_answers(moves) if game.is_exact else lists.answers
        if not player.move(rng.choice(left)):
            return


@pytest.mark.parametrize("by_touch", [False, True], ids=["keyboard", "touch"])
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("game_id", ["wordle/1", "wordle-hard/1", "absurdle/1", "fibble/1"])
def test_a_whole_game_of_guesses_stays_visible(
    players: Any, server: WebServer, game_id: str, screen: str, by_touch: bool
) -> None:
    games.bind(str(HOME / "examples/fibble.py:Fibble"))
    try:
        player = players(f"{server.url}#/new/{game_id}", screen, by_touch)
        play_consistently(player, game_id, words.load())
    finally:
        games.unbind("fibble/1")
    assert player.page.locator("#review .row").count() == player.n_moves >= 2


@pytest.mark.parametrize("by_touch", [False, True], ids=["keyboard", "touch"])
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("game_id", ["wordpl/1", "wordpl-counted/1"])
def test_a_whole_noisy_game_stays_visible(
    players: Any, server: WebServer, game_id: str, screen: str, by_touch: bool
) -> None:
    player, rng = players(f"{server.url}#/new/{game_id}", screen, by_touch), random.Random(3)
    for word in rng.sample(words.load().guesses, N_NOISY):
        assert player.move(word)
    assert not player.move(rng.choice(words.load().answers), "Shift+Enter")
    assert player.page.locator("#review .row").count() == N_NOISY + 1
    assert player.page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen][0]


@pytest.mark.parametrize("by_touch", [False, True], ids=["keyboard", "touch"])
@pytest.mark.parametrize("screen", SCREENS)
def test_a_whole_game_of_six_letters_stays_visible(players: Any, six: WebServer, screen: str, by_touch: bool) -> None:
    player, rng = players(f"{six.url}#/new/wordle-six/1", screen, by_touch), random.Random(5)
    while player.move(f"{rng.choice(words.load().guesses)}s"):
        pass
    assert player.page.locator("#title h1").inner_text() == "wordle-six/1"
    assert player.page.locator("#review .row").count() == player.n_moves


def test_twenty_four_clues_stay_visible_on_a_small_phone(players: Any, server: WebServer) -> None:
    player, rng = players(f"{server.url}#/new/wordpl/1", "375x553"), random.Random(4)
    for word in rng.sample(words.load().guesses, 24):
        assert player.move(word)
