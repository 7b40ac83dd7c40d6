# ruff: noqa: E501 - a sample and what is read of it share a line
"""Real forms of messages, with what is to be read of each: the table of docs/league.md is printed from it."""

from datetime import UTC, datetime

import pytest

from wordpl.league import discord_message, share_text, summaries
from wordpl.league.discord_message import APP, Message, User
from wordpl.league.posts import Ignored, Post, Unread

POSTED = datetime(2025, 10, 4, 7, tzinfo=UTC)
ALICE = User("11", "Alice", "alice")
APP_USER = User(APP, "Wordle", "wordle", True)
HEADER = "**Your group is on a 93 day streak!** 🔥🔥🔥 Here are yesterday's results:"
SUMMARIES = {
    "crown, ids": (f"{HEADER}\n👑 4/6: <@1> <@2>\n5/6: <@3>\nX/6: <@4>", [4, 4, 5, 7]),
    "an 80 day streak, names": ("**Your group is on an 80 day streak!** 🔥 Here are yesterday's results:\n3/6: @a b\n6/6: @c", [3, 6]),
    "header not bold": ("Your group is on a 5 day streak! 🔥 Here are yesterday's results:\n3/6: <@1>", [3]),
    "blank line after the header": (f"{HEADER}\n\n3/6: <@1>", [3]),
    "trophy": (f"{HEADER}\n🏆 3/6: <@1> <@2>\n4/6: <@3>", [3, 3, 4]),
    "star of the hard mode": (f"{HEADER}\n👑 4/6*: <@1>\n5/6*: <@2>", [4, 5]),
    "small x, blank before the colon": (f"{HEADER}\n4/6: <@1>\nx/6 : <@2>", [4, 7]),
    "bold scores": (f"{HEADER}\n**👑 3/6:** <@1>\n**4/6:** <@2>", [3, 4]),
    "one line, ids": ("Your group is on an 81 day streak! Here are yesterday's results: 2/6: <@1> 3/6: <@2> <@3> X/6: <@4>", [2, 3, 3, 7]),
    "one line, names": ("Here are yesterday's results: 👑 2/6: @Ann 4/6: @Bob @C d", [2, 4, 4]),
    "today's results, curly apostrophe": ("Here are today’s results:\n3/6: <@1>", [3]),
}  # fmt: skip
UNREAD_LINES = {
    "names without @": f"{HEADER}\n4/6: Alice, Bob",
    "a name that looks like a score": f"{HEADER}\n2/6: @Carol | 3/6: @x",
    "a note behind the people": f"{HEADER}\nX/6: <@4> (failed attempts)",
    "more than are named": f"{HEADER}\n3/6: <@1>\nand 3 more",
}
SHARES = {
    "plain": ("Wordle 1,234 3/6", 1234, 3),
    "hard": ("Wordle 1,234 3/6*", 1234, 3),
    "point": ("Wordle 1.234 X/6", 1234, 7),
    "narrow space": ("Wordle 1\u202f234 4/6", 1234, 4),
    "none": ("Wordle 789 4/6", 789, 4),
    "apostrophe": ("Wordle 1’234 5/6", 1234, 5),
    "party popper": ("Wordle 1,000 🎉 4/6", 1000, 4),
}
NEAR_MISSES = ["Wordle #1234: 4 / 6", "Wordle 1,234 - 4/6", "wordle 1234 7/6", "Wordle: 1234 3/6", "Wordle 12,34 3/6"]


def read(author, text, posted=POSTED):
    return list(discord_message.read(Message("1", "5", posted, None, author, text)))


@pytest.mark.parametrize(("text", "guesses"), SUMMARIES.values(), ids=SUMMARIES)
def test_a_summary_of_this_form_is_read(text, guesses):
    (post,) = read(APP_USER, text)
    assert [result.guesses for result in post.results] == guesses


@pytest.mark.parametrize("text", UNREAD_LINES.values(), ids=UNREAD_LINES)
def test_a_line_of_a_summary_that_is_not_read_is_listed(text):
    assert any(isinstance(one, Unread) for one in read(APP_USER, text))


def test_a_known_name_may_look_like_a_score():
    found = summaries.parse("2/6: @Carol | 3/6: @x", {"Carol | 3/6: @x"})
    assert [person.key for person in found.scores[0][1]] == ["Carol | 3/6: @x"]


@pytest.mark.parametrize(("text", "number", "guesses"), SHARES.values(), ids=SHARES)
def test_a_share_of_this_form_is_read(text, number, guesses):
    ((_, found),) = share_text.find(text)
    assert (found.number, found.guesses, found.fault) == (number, guesses, "")


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_a_near_miss_is_listed_as_not_read(text):
    assert [type(one) for one in read(ALICE, text)] == [Unread]


@pytest.mark.parametrize("text", ["I love Wordle", "4/6 today", "Wordle was hard", "Tradle #1071 1/6"])
def test_what_only_speaks_of_wordle_is_ignored(text):
    assert [type(one) for one in read(ALICE, text)] == [Ignored]


def test_a_puzzle_of_the_future_is_refused_with_a_day_s_grace():
    today = 1568
    found = {number: read(ALICE, f"Wordle {number} 4/6") for number in (today, today + 1, today + 2, 99_999)}
    counted = {number: sum(len(one.results) for one in said if isinstance(one, Post)) for number, said in found.items()}
    assert counted == {today: 1, today + 1: 1, today + 2: 0, 99_999: 0}
    assert "later than the message" in next(one.why for one in found[99_999] if isinstance(one, Unread))


def test_somebody_who_was_playing_has_begun_a_game():
    (post,) = read(APP_USER, "Alice was playing")
    assert [(one.person.key, one.guesses) for one in post.results] == [("Alice", 0)]
    (ignored,) = read(APP_USER, "Alice is playing")
    assert ignored.why == "chatter"
