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


def test_a_whitelist_removes_all_others_and_a_blacklist_its_own_words(tmp_path):
    (tmp_path / "mine.txt").write_text("bonus\ncrane\nzzzzz\n")
    words_left, (_, whitelist) = apply("suffix", f"whitelist={tmp_path / 'mine.txt'}")
    assert words_left == ["crane"]
    assert (whitelist.n_back, whitelist.n_removed) == (0, 3)
    assert "crane" not in apply("blacklist=puzzle-order")[0]


def test_words_are_brought_back_by_restore(tmp_path):
    (tmp_path / "mine.txt").write_text("bonus\n")
    words_left, (_, restored) = apply("suffix", f"restore={tmp_path / 'mine.txt'}")
    assert "bonus" in words_left
    assert (restored.n_back, restored.n_removed) == (1, 0)


def test_a_threshold_is_applied_to_the_probabilities_of_any_model(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("word,probability\ncrane,0.07\nbonus,0.0699\ndress,0.9\n")
    assert apply(f"threshold=0.07@{file}")[0] == ["crane", "dress"]


@pytest.mark.long
def test_a_threshold_without_a_file_uses_the_named_model():
    modern, known = words.bundled("modern"), set(words.bundled("puzzle-order"))
    left, (step,) = filters.apply(modern, [filters.find("threshold=0.07@spy-em")], known)
    assert 3_000 < len(left) < 6_000
    assert len(step.lost) < 0.05 * len(known)


def test_a_stem_with_an_ending_is_removed_unless_a_letter_excepts_it(tmp_path):
    (tmp_path / "stems.txt").write_text("card\nfrie\nabl\ndres\nbonu\n")
    assert apply(f"stem=s!s+d@{tmp_path / 'stems.txt'}")[0] == [
        "aahed", "aalii", "abled", "begat", "crane", "dress"]  # fmt: skip


@pytest.mark.slow
def test_a_frequency_is_the_share_that_its_zipf_value_stands_for():
    assert apply("frequency=1e-7")[0] == apply("zipf=2")[0]


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
        ("restore=modern", "not among the 9 words that can be guessed"),
        ("threshold=2", "a number from 0 to 1"),
        ("threshold=0.1@none", r"should name a model \(blend, spy-em\) or a CSV file"),
        ("stem=5", "should be letters, as in stem=s!s"),
        pytest.param("zipf=9", "none of 9 words is left: zipf=9 left 0", marks=pytest.mark.slow),
    ],
)
def test_invalid_filters_are_refused_with_the_valid_form(text, complaint):
    with pytest.raises(UserError, match=complaint):
        apply(text)
