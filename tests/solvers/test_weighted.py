from collections import defaultdict
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies.entropy import Entropy
from strategies.letter_frequency import LetterFrequency
from wordpl.core import priors
from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.core.words import letters, load
from wordpl.kernels.clue_matrix import answer_rows, clue_matrix, matrix_of
from wordpl.solvers import entropy, weighted

words = st.text("abcd", min_size=4, max_size=4)
weighted_words = st.dictionaries(words, st.integers(1, 50), min_size=1, max_size=20)


def plain_information(guess, weights):
    group_weights = defaultdict(int)
    for answer, weight in weights.items():
        group_weights[CLUE_RULES["counted"](guess, answer)] += weight / sum(weights.values())
    return -sum(share * log2(share) for share in group_weights.values())


@settings(deadline=None)  # the first call may compile
@given(weighted_words, st.lists(words, max_size=10, unique=True))
def test_weighted_information_agrees_with_the_formula(weights, other_words):
    guesses = [*weights, *other_words]
    matrix = clue_matrix(letters(guesses), letters([*weights]), "counted")
    information = weighted.information(matrix, np.arange(len(weights)), np.array([*weights.values()]))
    assert information == pytest.approx([plain_information(guess, weights) for guess in guesses], abs=1e-9)


def test_equal_weights_give_unweighted_information(lists):
    matrix, candidates = matrix_of(lists, "counted")[:200], np.arange(0, 2315, 5)
    with_equal_weights = weighted.information(matrix, candidates, np.full(len(candidates), 7.0))
    assert with_equal_weights == pytest.approx(entropy.information(matrix, candidates), abs=1e-7)


def test_among_equally_informative_guesses_the_likeliest_is_played(lists):
    candidates = np.array([lists.answers.index(word) for word in ("abide", "crane")])
    matrix, guess_rows = matrix_of(lists, "counted"), answer_rows(lists)[candidates]
    assert [
        lists.guesses[weighted.best_guess(matrix, candidates, guess_rows, np.array(weights))]
        for weights in ([1, 9], [9, 1])
    ] == [
        "crane",
        "abide",
    ]


def test_a_very_likely_answer_is_guessed_at_once(lists):
    candidates = np.arange(0, 2315, 40)
    weights = np.where(candidates == candidates[3], 1000.0, 1.0)
    row = weighted.best_guess(matrix_of(lists, "counted"), candidates, answer_rows(lists)[candidates], weights)
    assert lists.guesses[row] == lists.answers[candidates[3]]


def bot_with(prior, lists):
    bot = Entropy(prior=str(prior))
    bot.lists, bot.rules = lists, "wordle/1"
    return bot


def test_the_strategy_plays_likely_words_first(tmp_path):
    rhymes = ["hatch", "latch", "match", "patch", "watch", "batch", "catch"]
    (tmp_path / "a.txt").write_text("\n".join(rhymes))
    lists = load(tmp_path / "a.txt", tmp_path / "a.txt")
    for likeliest in rhymes:
        prior = tmp_path / f"{likeliest}.csv"
        prior.write_text("word,probability\n" + "".join(f"{word},1\n" for word in rhymes) + f"{likeliest},9\n")
        assert bot_with(prior, lists).first_move() == likeliest


def test_an_answer_missing_from_the_prior_is_still_found(tmp_path):
    (tmp_path / "a.txt").write_text("crane\nslate\n")
    (tmp_path / "prior.csv").write_text("word,probability\ncrane,1\n")
    bot = bot_with(tmp_path / "prior.csv", load(tmp_path / "a.txt", tmp_path / "a.txt"))
    assert bot.first_move() == "crane"
    assert bot.next_move("crane", CLUE_RULES["counted"]("crane", "slate")) == "slate"


def test_the_bundled_prior_is_found_by_its_name(lists):
    assert priors.load(priors.find("default"), lists.answers).min() > 0
    with pytest.raises(UserError, match="there is no prior 'nothing'"):
        priors.load(priors.find("nothing"), lists.answers)
    assert repr(Entropy()) == "Entropy()"


def test_the_letter_frequency_bot_plays_likely_words_first(tmp_path, lists):
    (tmp_path / "prior.csv").write_text(
        "word,probability\n" + "".join(f"{word},1\n" for word in lists.answers) + "hotly,99\n"
    )
    bot = LetterFrequency(prior=str(tmp_path / "prior.csv"))
    bot.lists = lists
    assert bot.first_move() == "hotly"
    assert repr(LetterFrequency()) == "LetterFrequency()"
