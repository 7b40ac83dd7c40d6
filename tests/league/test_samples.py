"""Real forms of messages are read, or listed as not read: docs/league.md has the table of tests/helpers/samples.py."""

import pytest

from tests.helpers import samples
from tests.helpers.paths import HOME
from tests.helpers.samples import ALICE, APP_USER, readings
from wordpl.league import summaries
from wordpl.league.posts import Ignored, ResultPost, Unread

SAMPLES = [*samples.SUMMARIES, *samples.SHARES]
READ = [one for one in SAMPLES if one.form not in samples.STAY_UNREAD]


@pytest.mark.parametrize("sample", READ, ids=lambda one: one.form)
def test_a_message_of_this_form_is_read(sample):
    assert samples.results(sample) == (sample.said, 0)


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one not in READ], ids=lambda one: one.form)
def test_a_message_that_is_not_read_is_listed(sample):
    read, n_unread = samples.results(sample)
    assert read == {}
    assert n_unread == 1


def test_a_line_that_names_fewer_than_it_counts_is_listed():
    post, unread = sorted(
        readings(APP_USER, f"{samples.HEADER}\n3/6: <@1>\nand 3 more"), key=lambda one: str(type(one))
    )
    assert (len(post.results), unread.text) == (1, "and 3 more")


def test_the_table_of_the_docs_is_the_one_that_the_samples_give():
    page = (HOME / "docs" / "league.md").read_text()
    assert samples.table(samples.SUMMARIES) in page
    assert samples.table(samples.SHARES) in page


def test_a_known_name_may_look_like_a_score():
    found = summaries.parse("2/6: @Carol | 3/6: @x", {"Carol | 3/6: @x"})
    assert [person.key for person in found.scores[0][1]] == ["Carol | 3/6: @x"]


@pytest.mark.parametrize("text", ["I love Wordle", "4/6 today", "Wordle was hard", "Tradle #1071 1/6"])
def test_what_only_speaks_of_wordle_is_ignored(text):
    assert [type(one) for one in readings(ALICE, text)] == [Ignored]


def test_a_puzzle_of_the_future_is_refused_with_a_day_s_grace():
    today = 1568
    found = {number: readings(ALICE, f"Wordle {number} 4/6") for number in (today, today + 1, today + 2, 99_999)}
    counted = {
        number: sum(len(one.results) for one in said if isinstance(one, ResultPost)) for number, said in found.items()
    }
    assert counted == {today: 1, today + 1: 1, today + 2: 0, 99_999: 0}
    assert "later than the message" in next(one.why for one in found[99_999] if isinstance(one, Unread))


def test_somebody_who_was_playing_has_begun_a_game():
    (post,) = readings(APP_USER, "Alice was playing")
    assert [(one.person.key, one.guesses) for one in post.results] == [("Alice", 0)]
    (ignored,) = readings(APP_USER, "Alice is playing")
    assert ignored.why == "chatter"
