# ruff: noqa: E501 - a sample and its expected results share a line
"""Real messages are read or listed as not read; formats.md counts them."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from wordpl.apps.league import discord_message
from wordpl.apps.league.discord_message import APP, DiscordMessage
from wordpl.apps.league.posts import DiscordUser, Ignored, ResultPost, UnreadPost

POSTED = datetime(2025, 10, 4, 7, tzinfo=UTC)
ALICE = DiscordUser("11", "Alice", "", "alice")
APP_USER = DiscordUser(APP, "Wordle", "", "wordle", True)
HEADER = "**Your group is on a 93 day streak!** 🔥🔥🔥 Here are yesterday's results:"
ROWS = {"⬛⬜": "⬛🟨⬛⬛⬛\n⬜🟩🟩🟩🟩\n🟩🟩🟩🟩🟩", "contrast": "⬛🟦⬛⬛⬛\n⬛🟧🟧🟧🟧\n🟧🟧🟧🟧🟧"}


class Sample(NamedTuple):
    """A message. expected: number of guesses by player's id or name; in shares, by puzzle number."""

    form: str
    text: str
    expected: dict[str | int, int]


SUMMARIES = [
    Sample("a line for each score, ids", f"{HEADER}\n👑 4/6: <@1> <@2>\n5/6: <@3>\nX/6: <@4>", {"1": 4, "2": 4, "3": 5, "4": 7}),
    Sample("a line for each score, ids", f"{HEADER}\n👑 6/6: <@1>\nX/6: <@!2>", {"1": 6, "2": 7}),
    Sample("a line for each score, names", "**Your group is on an 80 day streak!** 🔥 Here are yesterday's results:\n3/6: @a b\n6/6: @c", {"a b": 3, "c": 6}),
    Sample("a line for each score, names", f"{HEADER}\n👑 3/6: @samboyd\n6/6: @pogoyim @temple", {"samboyd": 3, "pogoyim": 6, "temple": 6}),
    Sample("ids and names mixed", "👑 4/6: @bones? <@5> @david wolfze", {"bones?": 4, "5": 4, "david wolfze": 4}),
    Sample("ids and names mixed", f"{HEADER}\n5/6: <@17> @player.two @Dr. Dot. Three", {"17": 5, "player.two": 5, "Dr. Dot. Three": 5}),
    Sample("a name that looks like a score", f"{HEADER}\n4/6: @1/6: cheater", {"1/6: cheater": 4}),
    Sample("header not bold", "Your group is on a 5 day streak! 🔥 Here are yesterday's results:\n3/6: <@1>", {"1": 3}),
    Sample("blank line after the header", f"{HEADER}\n\n3/6: <@1>", {"1": 3}),
    Sample("no header", "4/6: <@1>\n5/6: <@2>", {"1": 4, "2": 5}),
    Sample("trophy for the crown", f"{HEADER}\n🏆 3/6: <@1> <@2>\n4/6: <@3>", {"1": 3, "2": 3, "3": 4}),
    Sample("star of the hard mode", f"{HEADER}\n👑 4/6*: <@1>\n5/6*: <@2>", {"1": 4, "2": 5}),
    Sample("small x, blank before the colon", f"{HEADER}\n4/6: <@1>\nx/6 : <@2>", {"1": 4, "2": 7}),
    Sample("bold scores", f"{HEADER}\n**👑 3/6:** <@1>\n**4/6:** <@2>", {"1": 3, "2": 4}),
    Sample("all in one line, ids", "Your group is on an 81 day streak! Here are yesterday's results: 2/6: <@1> 3/6: <@2> <@3> X/6: <@4>", {"1": 2, "2": 3, "3": 3, "4": 7}),
    Sample("all in one line, names", "Here are yesterday's results: 👑 2/6: @Ann 4/6: @Bob @C d", {"Ann": 2, "Bob": 4, "C d": 4}),
    Sample("today's results, curly apostrophe", "Here are today’s results:\n3/6: <@1>", {"1": 3}),
    Sample("names without @", f"{HEADER}\n4/6: Alice, Bob", {"Alice": 4, "Bob": 4}),
    Sample("a score inside a name nobody knows", f"{HEADER}\n2/6: @Carol | 3/6: @x", {"Carol | 3/6: @x": 2}),
    Sample("a note behind the people", f"{HEADER}\nX/6: <@4> (failed attempts)", {"4": 7}),
]  # fmt: skip
SHARES = [
    Sample("comma", "Wordle 1,234 3/6", {1234: 3}),
    Sample("comma, hard mode", "Wordle 1,234 3/6*", {1234: 3}),
    Sample("point, not solved", "Wordle 1.234 X/6", {1234: 7}),
    Sample("point, not solved", "Wordle 1.234 x/6", {1234: 7}),
    Sample("narrow or no-break space", "Wordle 1\u202f234 4/6", {1234: 4}),
    Sample("narrow or no-break space", "Wordle 1\u00a0234 4/6", {1234: 4}),
    Sample("no separator", "Wordle 789 4/6", {789: 4}),
    Sample("no separator", "Wordle 1234 4/6", {1234: 4}),
    Sample("apostrophe, straight or curly", "Wordle 1’234 5/6", {1234: 5}),
    Sample("apostrophe, straight or curly", "Wordle 1'234 5/6", {1234: 5}),
    Sample("party popper of a round number", "Wordle 1,000 🎉 4/6", {1000: 4}),
    Sample("grid", f"Wordle 1,234 3/6\n\n{ROWS['⬛⬜']}", {1234: 3}),
    Sample("grid in high contrast", f"Wordle 1,234 3/6*\n\n{ROWS['contrast']}", {1234: 3}),
    Sample(
        "words beside the grid, hidden", "Wordle 1,234 2/6\n\n⬛🟨⬛⬛⬛ ||CRANE||\n🟩🟩🟩🟩🟩 ||TOAST||", {1234: 2}
    ),
    Sample("text around it", f"finally!\nWordle 1,234 3/6\n\n{ROWS['⬛⬜']}\nthat was luck", {1234: 3}),
    Sample("two in one message", "Wordle 1,233 5/6\nWordle 1,234 3/6", {1233: 5, 1234: 3}),
    Sample("number sign, blanks, dash or colon", "Wordle #1234: 4 / 6", {1234: 4}),
    Sample("number sign, blanks, dash or colon", "Wordle 1,234 - 4/6", {1234: 4}),
    Sample("number sign, blanks, dash or colon", "Wordle: 1234 3/6", {1234: 3}),
    Sample("impossible: 7/6, 12,34", "wordle 1234 7/6", {}),
    Sample("impossible: 7/6, 12,34", "Wordle 12,34 3/6", {}),
    Sample("a grid of fewer rows than guesses", "Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", {}),
]
UNREADABLE_FORMATS = frozenset(sample.form for sample in (*SUMMARIES[-3:], *SHARES[-6:]))
"""Formats that are listed as not read, with the reason, as they are ambiguous."""


def readings(author, text, posted=POSTED):
    """Return the posts in a Discord message."""
    return list(discord_message.read(DiscordMessage("1", "5", posted, None, author, text)))


def results(sample):
    """Return the results read from a sample, in the form of `expected`, and the number of parts listed as not read."""
    posts = readings(APP_USER if sample in SUMMARIES else ALICE, sample.text)
    by_person = sample in SUMMARIES
    read = {
        item.person.key if by_person else item.number: item.guesses
        for post in posts
        if isinstance(post, ResultPost)
        for item in post.results
    }
    return read, sum(isinstance(item, UnreadPost) for item in posts)


def table():
    """Return a Markdown table of results read, read wrongly and listed as not read."""
    lines = [
        "| message | samples | results read | read wrongly | listed as not read | neither | forms listed |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for title, samples in (("summary of the Wordle app", SUMMARIES), ("share of a player", SHARES)):
        counts, listed = Counter(), {}
        for sample in samples:
            read, n_unread = results(sample)
            right = sum(sample.expected.get(key) == guesses for key, guesses in read.items())
            counts.update(read=right, wrong=len(read) - right, listed=n_unread, neither=int(not (read or n_unread)))
            if n_unread:
                listed[sample.form] = None
        numbers = (counts[name] for name in ("read", "wrong", "listed", "neither"))
        lines.append(f"| {title} | {len(samples)} | {' | '.join(map(str, numbers))} | {'; '.join(listed)} |")
    return "\n".join(lines)


SAMPLES = [*SUMMARIES, *SHARES]
READABLE = [sample for sample in SAMPLES if sample.form not in UNREADABLE_FORMATS]


@pytest.mark.parametrize("sample", READABLE, ids=lambda sample: sample.form)
def test_a_message_in_this_format_is_read(sample):
    assert results(sample) == (sample.expected, 0)


@pytest.mark.parametrize(
    "sample", [sample for sample in SAMPLES if sample not in READABLE], ids=lambda sample: sample.form
)
def test_an_unreadable_message_is_listed(sample):
    assert results(sample) == ({}, 1)


def test_a_line_with_a_number_of_unnamed_players_is_listed():
    post, unread = sorted(readings(APP_USER, f"{HEADER}\n3/6: <@1>\nand 3 more"), key=lambda post: str(type(post)))
    assert (len(post.results), unread.text) == (1, "and 3 more")


def test_the_table_of_messages_matches_the_samples():
    assert table() in (Path(__file__).parent / "formats.md").read_text(encoding="utf-8")


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
    assert "later than the message" in next(
        item.why for item in items_by_number[99_999] if isinstance(item, UnreadPost)
    )


def test_was_playing_means_that_a_game_was_started():
    (post,) = readings(APP_USER, "Alice was playing")
    assert [(result.person.key, result.guesses) for result in post.results] == [("Alice", 0)]
    (ignored,) = readings(APP_USER, "Alice is playing")
    assert ignored.why == "chatter"
    first = datetime(2021, 6, 19, 7, tzinfo=UTC)  # the day of the first puzzle, which nobody can have played before
    (ignored,) = readings(APP_USER, "Alice was playing", first)
    assert ignored.why == "chatter"
    (unread,) = readings(APP_USER, "3/6: <@1>", first)
    assert unread.why == "posted before the first puzzle"
    (post,) = readings(APP_USER, "3/6: <@1>", first + timedelta(days=1))
    assert len(post.results) == 1


def test_an_edit_to_something_else_takes_the_results_of_a_message_back():
    for text in ("hello", "Worldle #1 3/6", "Wordle 1,567 3/6\n🟩🟩🟩🟩🟩"):
        message = DiscordMessage("1", "5", POSTED, POSTED + timedelta(hours=1), ALICE, text)
        (post,) = (item for item in discord_message.read(message) if isinstance(item, ResultPost))
        assert (post.key, post.results, post.edited) == ("1", (), message.edited)
        assert not [item for item in readings(ALICE, text) if isinstance(item, ResultPost)]


def test_names_of_members_and_mentions_are_known_in_a_summary():
    mentions = (DiscordUser("7", "Carol | 3/6: @x", "", "carol"), DiscordUser("8", "Twin", "", ""),
                DiscordUser("9", "Twin", "", ""))  # fmt: skip
    text = "2/6: @Carol | 3/6: @x @Dee | 4/6: @y @Twin @carol"
    for known_names, expected in (
        (frozenset(["Dee | 4/6: @y"]), [("7", True), ("Dee | 4/6: @y", False), ("Twin", False), ("7", True)]),
        (frozenset(), []),
    ):
        message = DiscordMessage("1", "5", POSTED, None, APP_USER, text, mentions, known_names=known_names)
        found = [item for item in discord_message.read(message) if isinstance(item, ResultPost)]
        assert [tuple(result.person) for post in found for result in post.results] == expected
