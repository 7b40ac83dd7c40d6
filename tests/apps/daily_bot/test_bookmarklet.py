"""The bookmarklet is small and makes the same guesses as the library."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from strategies.letter_frequency import LetterFrequency
from tests.helpers.browsing import chromium, serving_pages
from wordpl.core.moves import ClassicMove, Move, Verdict
from wordpl.core.words import WordLists
from wordpl.games import make_game

pytest.importorskip("playwright", reason='needs pip install "wordpl[browser]"')
from wordpl.apps.daily_bot.bookmarklet import MAX_BYTES, STRATEGIES, bookmarklet, later_words
from wordpl.apps.daily_bot.guessers import TreeGuesser, tree_files

PAGES = Path(__file__).parent / "pages"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_bookmarklet_is_a_url_of_at_most_60_kb(lists: WordLists, strategy: str) -> None:
    address = bookmarklet(lists, strategy)
    assert address.startswith("javascript:")
    assert len(address.encode()) <= MAX_BYTES
    assert not {" ", '"', "#", "\n"} & set(address)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(lists: WordLists) -> Iterator[str]:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in PAGES.glob("*.html")}
    pages["absurdle"] = pages["absurdle"].replace('"WORDS"', f'"{" ".join(lists.answers)}"')
    with serving_pages(pages) as address:
        yield address


def run_bookmarklet(browser: Any, url: str, lists: WordLists, strategy: str) -> tuple[list[str], str]:
    """Return the guesses of the bookmarklet on a page, and its last message."""
    page = browser.new_page()
    try:
        page.goto(url)
        if "nyt" in url:
            for _ in range(4):
                page.click(".cover button")
        page.evaluate(unquote(bookmarklet(lists, strategy).removeprefix("javascript:")))
        for _ in range(600):
            if page.evaluate("() => window.wordplBookmarkletEnd || ''"):
                break
            page.wait_for_timeout(100)
        return tuple(page.evaluate("() => [window.wordplBookmarklet, window.wordplBookmarkletEnd]"))
    finally:
        page.close()


def play_with_library(lists: WordLists, strategy: str, game_id: str, secret: str) -> tuple[list[str], str]:
    """Return the guesses of the entry or tree in a game, and the bookmarklet's message for that outcome."""
    entry, tree = LetterFrequency(), TreeGuesser(lists, tree_files(), strategy == "tree-hard")
    game, moves = make_game(game_id, lists), list[Move]()
    guess, verdict = entry.first_move(), None
    while verdict is None:
        if strategy != "letter-frequency":
            (guess,) = tree.proposal(game_id, moves, ())
        elif moves:
            guess = entry.next_move(moves[-1].guess, moves[-1].clues)
        reply = game.reply(secret, moves, ClassicMove(guess, ""), lambda: ())
        moves.append(ClassicMove(guess, reply.clues))
        verdict = reply.verdict
    return [move.guess for move in moves], f"Solved in {len(moves)}." if verdict == Verdict.WON else "Not solved."


@pytest.mark.browser
@pytest.mark.timeout(180)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_guesses_on_the_times_page_equal_those_of_the_library(
    browser: Any, address: str, lists: WordLists, strategy: str
) -> None:
    for secret in ("hound", "joker"):
        is_hard = int(strategy == "tree-hard")
        result = run_bookmarklet(browser, f"{address}/nyt?secret={secret}&hard={is_hard}", lists, strategy)
        assert result == play_with_library(lists, strategy, "wordle/1", secret)


@pytest.mark.browser
@pytest.mark.timeout(180)
def test_another_word_is_tried_after_a_refused_one(browser: Any, address: str, lists: WordLists) -> None:
    guesses, message = run_bookmarklet(browser, f"{address}/nyt?secret=hound&refuse=salet", lists, "tree")
    assert guesses[0] == "salet"
    assert message.startswith("Solved")


@pytest.mark.browser
@pytest.mark.timeout(180)
def test_guesses_on_absurdle_equal_those_of_the_library(browser: Any, address: str, lists: WordLists) -> None:
    result = run_bookmarklet(browser, f"{address}/absurdle", lists, "letter-frequency")
    assert result == play_with_library(lists, "letter-frequency", "absurdle/1", "")
    assert result[1].startswith("Solved")


@pytest.mark.browser
@pytest.mark.timeout(180)
@pytest.mark.parametrize("strategy", ["letter-frequency", "tree"])
def test_an_answer_of_today_is_found_and_the_bookmark_can_be_clicked_again(
    browser: Any, address: str, lists: WordLists, strategy: str
) -> None:
    script = f"() => {{ {unquote(bookmarklet(lists, strategy).removeprefix('javascript:'))} }}"  # does not wait
    page = browser.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog stops the page: {dialog.message}"))
    try:
        for secret, said in (
            (later_words(lists)[0], "Solved in "),
            ("zzzzz", "Not solved.|No word of this bookmarklet"),
        ):
            page.goto(f"{address}/nyt?secret={secret}")
            for _ in range(4):
                page.click(".cover button")
            page.evaluate(script)
            note = page.locator("#wordpl-bookmarklet[role=status]")
            assert "playing" in note.inner_text()
            page.evaluate(script)
            assert note.inner_text() == "The bookmarklet is playing. Wait until it has ended."
            page.wait_for_function("() => window.wordplBookmarkletEnd", timeout=120_000)
            assert re.match(said, note.inner_text())
            page.evaluate(script)  # a second click is heard after the end
            page.wait_for_function("() => !window.wordplBookmarkletPlays", timeout=120_000)
            assert re.match(said, note.inner_text())
    finally:
        page.close()
