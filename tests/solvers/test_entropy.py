from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.solvers.search.test_plain import compiled_and_plain
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import letters
from wordpl.kernels.clue_matrix import answer_rows, clue_matrix, matrix_of
from wordpl.solvers.entropy import best_guess, information, opening

words = st.text("abcd", min_size=4, max_size=4)
lists_of_words = st.lists(words, min_size=1, max_size=30, unique=True)


def plain_information(guess, candidates):
    group_sizes = Counter(CLUE_RULES["counted"](guess, answer) for answer in candidates).values()
    return log2(len(candidates)) - sum(size * log2(size) for size in group_sizes) / len(candidates)


@settings(deadline=None)  # the first call may compile
@given(lists_of_words, st.data())
def test_information_agrees_with_the_formula(answers, data):
    guesses = answers + data.draw(st.lists(words, max_size=20))
    matrix = clue_matrix(letters(guesses), letters(answers), "counted")
    candidates = np.flatnonzero([data.draw(st.booleans()) or i == 0 for i in range(len(answers))])
    candidate_words = [answers[i] for i in candidates]
    expected = [plain_information(guess, candidate_words) for guess in guesses]
    compiled, plain = compiled_and_plain(lambda: information(matrix, candidates).tolist())
    assert compiled == plain == pytest.approx(expected, abs=1e-8)
    subset = np.arange(0, len(guesses), 2)
    assert information(matrix, candidates, subset) == pytest.approx(expected[::2], abs=1e-8)


@settings(deadline=None)
@given(lists_of_words, st.data())
def test_the_best_guess_gives_most_information_and_prefers_candidates(answers, data):
    guesses = data.draw(st.permutations(answers)) + data.draw(st.lists(words, max_size=20))
    matrix = clue_matrix(letters(guesses), letters(answers), "counted")
    answer_indices = np.array([guesses.index(answer) for answer in answers])
    ratings = [
        (round(plain_information(guess, answers), 7), row in answer_indices, -row) for row, guess in enumerate(guesses)
    ]
    assert best_guess(matrix, np.arange(len(answers)), answer_indices) == -max(ratings)[2]
    subset = np.arange(0, len(guesses), 3)
    assert best_guess(matrix, np.arange(len(answers)), answer_indices, subset) == -max(ratings[::3])[2]


def test_information_is_right_for_more_candidates_than_clues(lists):
    matrix = matrix_of(lists, "counted")
    all_answers = np.arange(len(lists.answers))
    for guess in ("soare", "fuzzy"):
        row = lists.guesses.index(guess)
        expected = plain_information(guess, lists.answers)
        assert information(matrix, all_answers, [row]) == pytest.approx([expected], abs=1e-8)


def test_the_best_opener_of_the_original_lists_is_soare(lists):
    row = best_guess(matrix_of(lists, "counted"), np.arange(len(lists.answers)), answer_rows(lists))
    assert lists.guesses[row] == "soare"


def test_a_search_for_the_best_guess_without_candidates_is_refused(lists):
    no_rows = np.array([], np.int64)
    with pytest.raises(ValueError, match="no answer gives these clues"):
        best_guess(matrix_of(lists, "counted"), no_rows, no_rows)


@pytest.mark.parametrize("rule", CLUE_RULES)
def test_the_opening_is_the_best_guess_of_all(lists, rule):
    all_answers = np.arange(len(lists.answers))
    assert opening(lists, rule) == best_guess(matrix_of(lists, rule), all_answers, answer_rows(lists))
