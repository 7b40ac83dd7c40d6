"""The bot in Chromium, on imitations of the real pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import chromium, serving_pages
from wordpl.core.moves import Verdict
from wordpl.core.words import WordLists

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]  # the first search compiles its kernels
PAGES = Path(__file__).parent / "pages"


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


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


def play_page(page: Any, url: str, adapter: str, guesser: Any, **patience: float) -> Any:
    from wordpl.apps.daily_bot.adapters import Patience, adapter_class
    from wordpl.apps.daily_bot.page_game import play_with_tries

    return play_with_tries(adapter_class(adapter)(page, Patience(**patience)), url, guesser, lambda line: None)


def tree(lists: WordLists, is_hard: bool = False) -> Any:
    from wordpl.apps.daily_bot.guessers import TreeGuesser, tree_files

    return TreeGuesser(lists, tree_files(), is_hard)


def result_of(game: Any) -> Any:
    from datetime import date

    from wordpl.apps.daily_bot.page_game import Result

    assert game.day == date(2026, 11, 22)
    return Result(game, "tree", game.day)


@pytest.mark.parametrize(("is_hard", "star"), [(False, ""), (True, "*")])
def test_the_times_page_is_solved_despite_its_dialogs(
    page: Any, address: str, lists: WordLists, is_hard: bool, star: str
) -> None:
    game = play_page(page, f"{address}/nyt?secret=hound&hard={int(is_hard)}", "nyt", tree(lists, is_hard))
    result = result_of(game)
    assert game.verdict == Verdict.WON
    assert not game.refused
    assert result.head.endswith(f"{len(game.moves)}/6{star}")
    assert game.share_text.startswith(f"Wordle 1,982 {len(game.moves)}/6{star}")
    assert (result.difference(), result.false_marks()) == ("", [])


def test_hard_mode_is_detected_from_refused_words(page: Any, address: str, lists: WordLists) -> None:
    guesser = tree(lists)
    game = play_page(page, f"{address}/nyt?secret=watch&hard=1", "nyt", guesser)
    assert game.verdict == Verdict.WON
    assert game.game_id == "wordle-hard/1"
    assert game.refused


def test_a_refused_word_is_removed_and_another_is_tried(page: Any, address: str, lists: WordLists) -> None:
    game = play_page(page, f"{address}/nyt?secret=hound&refuse=salet,courd", "nyt", tree(lists))
    assert game.verdict == Verdict.WON
    assert "salet" in game.refused
    assert "salet" not in [move.guess for move in game.moves]


def test_a_short_refusal_message_is_noticed(page: Any, address: str, lists: WordLists) -> None:
    game = play_page(page, f"{address}/nyt?secret=watch&hard=1&toast=1", "nyt", tree(lists))
    assert game.game_id == "wordle-hard/1"


def test_a_slow_reply_is_not_a_refusal(page: Any, address: str, lists: WordLists) -> None:
    game = play_page(page, f"{address}/nyt?secret=hound&slow=900", "nyt", tree(lists), refusal_s=0.2)
    assert (game.verdict, game.refused) == (Verdict.WON, ())


def test_a_game_that_was_already_played_is_only_read(page: Any, address: str, lists: WordLists) -> None:
    game = play_page(page, f"{address}/nyt?secret=crane&played=salet,crane", "nyt", tree(lists))
    assert game.n_found == len(game.moves)
    assert [move.guess for move in game.moves] == ["salet", "crane"]
    assert result_of(game).difference() == ""


def test_a_renamed_attribute_is_reported_with_evidence(
    page: Any, address: str, lists: WordLists, tmp_path: Path
) -> None:
    from wordpl.apps.daily_bot import PageError
    from wordpl.apps.daily_bot.daily import Archive

    with pytest.raises(PageError, match="Row") as error:
        play_page(page, f"{address}/nyt?secret=crane&rename=1", "nyt", tree(lists), row_s=1, refusal_s=1, pause_s=0)
    assert "row 1" in error.value.message
    html, picture = Archive(tmp_path).keep_evidence(page)
    assert "data-status" in html.read_text(encoding="utf-8")
    assert picture.stat().st_size > 0


def test_the_day_of_a_past_puzzle_is_that_of_the_page(page: Any, address: str, lists: WordLists) -> None:
    from datetime import date

    url = f"{address}/nyt?secret=crane&day=November 15, 2026&no=1975"
    game = play_page(page, url, "nyt", tree(lists))
    assert game.day == date(2026, 11, 15)
    assert game.share_text.startswith("Wordle 1,975 ")


@pytest.mark.parametrize(
    ("query", "given", "complaint"),
    [
        ("day=&no=", None, "neither the page nor its address says of which day the puzzle is.*--day 2026-01-31"),
        ("day=November 15, 2026&no=1982", None, "the page names several days: 2026-11-15, 2026-11-22"),
        ("day=November 15, 2026&no=1975", "2026-11-22", "has the puzzle of 2026-11-15, not that of 2026-11-22"),
    ],
)
def test_a_puzzle_of_an_unclear_day_is_not_played(
    page: Any, address: str, lists: WordLists, query: str, given: str | None, complaint: str
) -> None:
    from datetime import date

    from wordpl.apps.daily_bot import PageError
    from wordpl.apps.daily_bot.adapters import adapter_class
    from wordpl.apps.daily_bot.page_game import play

    adapter = adapter_class("nyt")(page)
    day = date.fromisoformat(given) if given else None
    with pytest.raises(PageError, match=complaint):
        play(adapter, f"{address}/nyt?secret=crane&{query}", tree(lists), lambda line: None, day)
    assert adapter.moves() == []


def test_a_given_day_or_one_of_the_address_suffices(page: Any, address: str, lists: WordLists) -> None:
    from datetime import date

    from wordpl.apps.daily_bot.adapters import adapter_class
    from wordpl.apps.daily_bot.page_game import play

    url, day = f"{address}/nyt?secret=crane&day=&no=", date(2026, 11, 15)
    assert play(adapter_class("nyt")(page), url, tree(lists), lambda line: None, day).day == day
    assert play(adapter_class("nyt")(page), f"{url}#2026-11-15", tree(lists), lambda line: None).day == day


def test_a_share_text_of_another_day_is_a_finding(page: Any, address: str, lists: WordLists) -> None:
    game = play_page(page, f"{address}/nyt?secret=crane&shared=1981", "nyt", tree(lists))
    assert (
        result_of(game).other_day() == "the page shares the puzzle of 2026-11-21, but its puzzle is that of 2026-11-22"
    )


def test_a_page_without_a_game_is_reported_with_the_selector(page: Any, address: str, lists: WordLists) -> None:
    from wordpl.apps.daily_bot import PageError
    from wordpl.apps.daily_bot.adapters import Patience, adapter_class

    with pytest.raises(PageError, match="absurdle__guess-table"):
        adapter_class("absurdle")(page, Patience(open_s=1)).open(f"{address}/nyt")


def test_letter_frequency_solves_absurdle(page: Any, address: str, lists: WordLists) -> None:
    from wordpl.apps.daily_bot.guessers import EntryGuesser

    guesser = EntryGuesser("LetterFrequency", lists, "1")
    try:
        game = play_page(page, f"{address}/absurdle", "absurdle", guesser)
    finally:
        guesser.close()
    assert game.verdict == Verdict.WON
    assert not game.refused
