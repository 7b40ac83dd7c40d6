"""The searches for the next guess of a noisy game, against sums over every answer and every clue."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordpl.core.clues import CLUE_RULES, keep_probability
from wordpl.core.words import letters
from wordpl.kernels.clue_matrix import ClueTable, clue_matrix
from wordpl.solvers.noisy import clue_entropy, final_guess, information, lookahead
from wordpl.solvers.noisy.lookahead import Effort

CLUES = list(product(".ic", repeat=3))
texts = st.text("abcd", min_size=3, max_size=3)


def channel(guess, secret, epsilon):
    """Return the probability of each clue to be shown."""
    keep, true_clue = keep_probability(epsilon, 3), CLUE_RULES["anywhere"](guess, secret)
    return np.array(
        [
            prod(
                keep if true_mark == shown_mark else (1 - keep) / 2
                for true_mark, shown_mark in zip(true_clue, clue, strict=True)
            )
            for clue in CLUES
        ]
    )


def joint(guess, answers, probabilities, epsilon):
    return np.array(
        [
            probability * channel(guess, answer, epsilon)
            for answer, probability in zip(answers, probabilities, strict=True)
        ]
    )


def plain_chance(guess, answers, probabilities, epsilon):
    return joint(guess, answers, probabilities, epsilon).max(axis=0).sum()


def clue_table(guesses, answers):
    matrix = clue_matrix(letters(guesses), letters(answers), "anywhere")
    codes = (letters(words).copy() for words in (guesses, answers))
    return ClueTable(matrix, np.ascontiguousarray(matrix.T), *codes, independent=True)


@st.composite
def situations(draw, max_guesses=20):
    guesses = draw(st.lists(texts, min_size=1, max_size=max_guesses, unique=True))
    weighted = draw(st.lists(st.tuples(texts, st.floats(1e-3, 1)), min_size=1, max_size=10))
    weights = np.array([weight for _, weight in weighted])
    return guesses, [word for word, _ in weighted], weights / weights.sum(), draw(st.floats(0.1, 30))


@given(situations())
def test_the_chance_to_win_is_the_expected_largest_posterior(situation):
    guesses, answers, probabilities, epsilon = situation
    expected = [plain_chance(guess, answers, probabilities, epsilon) for guess in guesses]
    chances = final_guess.win_chances(clue_table(guesses, answers).columns, probabilities, epsilon, 3)
    assert chances == pytest.approx(expected, rel=1e-12)


@given(situations())
def test_no_clue_gives_more_information_than_its_bound(situation):
    guesses, answers, probabilities, epsilon = situation
    words = clue_table(guesses, answers)
    entropies = clue_entropy.clue_entropies(words.matrix, probabilities, epsilon, 3)
    assert (information.upper_bounds(words, probabilities, epsilon) >= entropies - 1e-9).all()


@settings(deadline=None, max_examples=15)
@given(situations(max_guesses=5), st.floats(0.1, 20))
@pytest.mark.long  # the plain twin tries every guess
def test_lookahead_uses_the_best_last_guess_after_each_clue(situation, last_epsilon):
    guesses, answers, probabilities, epsilon = situation
    all_rows = np.arange(len(guesses))
    expected = [
        sum(
            max(plain_chance(last, answers, weights, last_epsilon) for last in guesses)
            for weights in joint(guess, answers, probabilities, epsilon).T
        )
        for guess in guesses
    ]
    effort = Effort(most_answers=20, coverage=1.0)
    chances = lookahead.values(
        clue_table(guesses, answers), probabilities, (epsilon, last_epsilon), (all_rows, all_rows), effort
    )
    assert (chances <= np.array(expected) + 1e-5).all()
    assert (chances >= np.array(expected) - 0.02).all()  # what leaving out improbable answers may cost


def random_posterior(spread, seed=3):
    weights = np.exp(spread * np.random.default_rng(seed).normal(size=2315))
    return weights / weights.sum()


@pytest.mark.parametrize("spread", [0, 1, 4, 9, 60])
def test_a_search_with_bounds_finds_the_best_guess_of_a_full_scan(lists, spread):
    probabilities = random_posterior(spread)
    words = ClueTable.of(lists, "anywhere")
    assert information.best_guess(words, probabilities, 9.0) == clue_entropy.best_guess(
        words.matrix, probabilities, 9.0, 5
    )


@pytest.mark.parametrize("spread", [1, 4, 9])
def test_leaving_out_answers_changes_chances_by_at_most_their_probability(lists, spread):
    columns, probabilities = ClueTable.of(lists, "anywhere").columns[:, ::400], random_posterior(spread)
    exact = final_guess.win_chances(np.ascontiguousarray(columns), probabilities, 9.0, 5)
    for negligible in (1e-6, 1e-3, 0.1):
        approximate = final_guess.win_chances(np.ascontiguousarray(columns), probabilities, 9.0, 5, negligible)
        assert (approximate <= exact + 1e-12).all()
        assert (approximate >= exact - negligible - 1e-12).all()


@pytest.mark.parametrize("spread", [4, 9])
def test_the_best_last_guess_of_the_shortlist_is_the_best_of_all(lists, spread):
    words, probabilities = ClueTable.of(lists, "anywhere"), random_posterior(spread)
    chances = final_guess.win_chances(words.columns, probabilities, 9.0, 5)
    assert chances[final_guess.best_guess(words, probabilities, 9.0)] >= chances.max() - final_guess.NEGLIGIBLE
