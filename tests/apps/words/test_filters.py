"""Filters report their effect, work in any order and are checked."""

import pytest

from wordpl.apps.words import filters
from wordpl.core import words
from wordpl.core.messages import UserError

WORDS = ["aahed", "aalii", "abled", "begat", "bonus", "cards", "crane", "dress", "fried"]
KNOWN = {"crane", "bonus", "abled", "dress", "begat", "fried"}


def apply(*texts):
    return filters.apply(WORDS, [filters.find(text) for text in texts], KNOWN)


@pytest.mark.slow
def test_each_filter_reports_removed_words_and_lost_answers():
    words_left, (suffix, zipf) = apply("suffix", "zipf=0")
    assert words_left == ["aalii", "begat", "crane", "dress"]
    assert (suffix.n_removed, suffix.n_left, suffix.lost) == (5, 4, ("abled", "bonus", "fried"))
    assert (zipf.n_removed, zipf.lost) == (0, ())


@pytest.mark.slow
def test_inflections_are_removed_and_similar_words_stay():
    words_left, (step,) = apply("inflection")
    assert {"bonus", "dress", "begat", "crane"} <= set(words_left)
    assert not {"cards", "aahed"} & set(words_left)
    assert step.n_removed == len(WORDS) - len(words_left)


@pytest.mark.slow
def test_filters_that_only_remove_words_give_the_same_result_in_any_order():
    assert apply("zipf=2", "suffix", "inflection")[0] == apply("inflection", "zipf=2", "suffix")[0]


def test_a_whitelist_restores_words_and_a_blacklist_removes_them(tmp_path):
    (tmp_path / "mine.txt").write_text("bonus\n")
    words_left, (_, whitelist) = apply("suffix", f"whitelist={tmp_path / 'mine.txt'}")
    assert "bonus" in words_left
    assert (whitelist.n_back, whitelist.n_removed) == (1, 0)
    assert "crane" not in apply("blacklist=puzzle-order")[0]


def test_past_answers_stay_unless_they_are_blacklisted():
    modern, past = words.bundled("modern"), set(words.bundled("past-answers"))
    assert past <= set(modern)
    words_left, _ = filters.apply(modern, [filters.find("blacklist=past-answers")], past)
    assert len(words_left) == len(modern) - len(past)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "zip=2",
            "there is no filter 'zip': use zipf, inflection, suffix, part, probability, whitelist",
        ),
        ("zipf", "should be written like zipf=2.5"),
        ("suffix=ed", "should be written like suffix"),
        ("zipf=often", "a number from 0 to 9"),
        ("blacklist=nyt", "no bundled word list 'nyt'"),
        ("whitelist=modern", "not among the 9 words that can be guessed"),
        ("zipf=9", "none of 9 words is left: zipf=9 left 0"),
    ],
)
def test_invalid_filters_are_refused_with_the_valid_form(text, complaint):
    with pytest.raises(UserError, match=complaint):
        apply(text)
