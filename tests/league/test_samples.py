"""Real messages are read or listed as not read; formats.md counts them."""

from pathlib import Path

import pytest

from tests.helpers import samples
from tests.helpers.samples import ALICE, APP_USER, readings
from wordpl.league import discord_message
from wordpl.league.posts import Ignored, ResultPost, Unread

SAMPLES = [*samples.SUMMARIES, *samples.SHARES]
READABLE = [sample for sample in SAMPLES if sample.form not in samples.UNREADABLE_FORMATS]


@pytest.mark.parametrize("sample", READABLE, ids=lambda sample: sample.form)
def test_a_message_in_this_format_is_read(sample):
    assert samples.results(sample) == (sample.expected, 0)


@pytest.mark.parametrize(
    "sample", [sample for sample in SAMPLES if sample not in READABLE], ids=lambda sample: sample.form
)
def test_an_unreadable_message_is_listed(sample):
    results, n_unread = samples.results(sample)
    assert results == {}
    assert n_unread == 1


def test_a_line_with_a_number_of_unnamed_players_is_listed():
    post, unread = sorted(
        readings(APP_USER, f"{samples.HEADER}\n3/6: <@1>\nand 3 more"), key=lambda post: str(type(post))
    )
    assert (len(post.results), unread.text) == (1, "and 3 more")


def test_the_table_of_messages_matches_the_samples():
    assert samples.table() in (Path(__file__).parent / "formats.md").read_text(encoding="utf-8")


def test_a_known_name_may_look_like_a_score():
    summary = discord_message.parse("2/6: @Carol | 3/6: @x", {"Carol | 3/6: @x"})
    assert [person.key for person in summary.scores[0][1]] == ["Carol | 3/6: @x"]


@pytest.mark.parametrize("text", ["I love Wordle", "4/6 today", "Wordle was hard", "Tradle #1071 1/6"])
def test_messages_that_only_mention_wordle_are_ignored(text):
    assert [type(item) for item in readings(ALICE, text)] == [Ignored]


def test_puzzles_more_than_a_day_in_the_future_are_refused():
    today = 1568
    items_by_number = {
        number: readings(ALICE, f"Wordle {number} 4/6") for number in (today, today + 1, today + 2, 99_999)
    }
    n_results = {
        number: sum(len(item.results) for item in items if isinstance(item, ResultPost))
        for number, items in items_by_number.items()
    }
    assert n_results == {today: 1, today + 1: 1, today + 2: 0, 99_999: 0}
    assert "later than the message" in next(item.why for item in items_by_number[99_999] if isinstance(item, Unread))


def test_was_playing_means_that_a_game_was_started():
    (post,) = readings(APP_USER, "Alice was playing")
    assert [(result.person.key, result.guesses) for result in post.results] == [("Alice", 0)]
    (ignored,) = readings(APP_USER, "Alice is playing")
    assert ignored.why == "chatter"
