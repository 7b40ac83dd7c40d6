"""The bookmarklet is small, and guesses as the library does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.helpers.browsing import chromium, serving_pages
from wordpl.core.clues import counted
from wordpl.core.words import WordLists
from wordpl.solvers import trees

pytest.importorskip("playwright", reason='needs pip install "wordpl[browser]"')
from wordpl.web.bot.bookmarklet import MAX_BYTES, STRATEGIES, bookmarklet, in_order
from wordpl.web.bot.guessers import tree_files

PAGES = Path(__file__).parent / "pages"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_bookmarklet_is_an_address_of_at_most_60_kb(lists: WordLists, strategy: str) -> None:
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


def clicked(browser: Any, url: str, lists: WordLists, strategy: str) -> tuple[list[str], str]:
    """Return what the bookmarklet guessed on a page, and how it ended."""
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
        return page.evaluate("() => [window.wordplBookmarklet, window.wordplBookmarkletEnd]")
    finally:
        page.close()


def by_letter_frequency(lists: WordLists, secret: str) -> list[str]:
    left, guesses = in_order(lists), list[str]()
    while not guesses or guesses[-1] != secret:
        guesses.append(left[0])
        left = [word for word in left if counted(left[0], word) == counted(left[0], secret)]
    return guesses


def by_tree(is_hard: bool, secret: str) -> list[str]:
    node, guesses = trees.load(tree_files()[is_hard])[0], list[str]()
    while True:
        guesses.append(node.guess)
        if node.guess == secret:
            return guesses
        node = node.branches[counted(node.guess, secret)]


@pytest.mark.browser
@pytest.mark.timeout(180)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_it_guesses_on_the_times_page_as_the_library_does(
    browser: Any, address: str, lists: WordLists, strategy: str
) -> None:
    for secret in ("hound", "joker"):
        is_hard = strategy == "tree-hard"
        guesses, end = clicked(browser, f"{address}/nyt?secret={secret}&hard={int(is_hard)}", lists, strategy)
        expected = by_letter_frequency(lists, secret) if strategy == "letter-frequency" else by_tree(is_hard, secret)
        ended = f"Solved in {len(expected)}." if len(expected) <= 6 else "Not solved."
        assert (guesses, end) == (expected[:6], ended)


@pytest.mark.browser
@pytest.mark.timeout(180)
def test_it_tries_another_word_where_one_is_refused(browser: Any, address: str, lists: WordLists) -> None:
    guesses, end = clicked(browser, f"{address}/nyt?secret=hound&refuse=salet", lists, "tree")
    assert guesses[0] == "salet"
    assert end.startswith("Solved")


@pytest.mark.browser
@pytest.mark.timeout(180)
def test_it_corners_absurdle(browser: Any, address: str, lists: WordLists) -> None:
    guesses, end = clicked(browser, f"{address}/absurdle", lists, "letter-frequency")
    assert end == f"Solved in {len(guesses)}."
    assert guesses[0] == in_order(lists)[0]
