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


@settings(deadline=None, max_examples=50)
@given(situations(max_guesses=16))
@pytest.mark.long  # the plain twin tries every guess
def test_a_quick_search_among_few_last_guesses_finds_the_best(situation):
    guesses, answers, probabilities, epsilon = situation
    rows = np.arange(len(guesses))
    (best,) = lookahead.quick_last_guesses(
        clue_table(guesses, answers), probabilities, rows[:1], (epsilon, epsilon), 1, rows
    )
    after = joint(guesses[0], answers, probabilities, epsilon)
    weights = after[:, after.sum(axis=0).argmax()]
    chances = [plain_chance(guess, answers, weights / weights.sum(), epsilon) for guess in guesses]
    tied = np.isclose(after.sum(axis=0), after.sum(axis=0).max(), rtol=1e-5).sum() > 1  # another clue may be followed
    assert tied or chances[best] >= max(chances) - 0.01  # what leaving out improbable answers may cost


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 30.0])
def test_the_chance_of_taking_one_word_for_another_depends_on_the_marks_in_which_their_clues_differ(epsilon):
    p, q, secret = 0.6, 0.1, "abc"
    for guess, other in [("abc", "abc"), ("abc", "abd"), ("abc", "dcb"), ("dab", "cba")]:
        agreeing = sum(map(str.__eq__, *(CLUE_RULES["anywhere"](guess, word) for word in (secret, other))))
        expected = np.minimum(p * channel(guess, secret, epsilon), q * channel(guess, other, epsilon)).sum()
        keep = keep_probability(epsilon, 3)
        terms = lookahead._mistakes(keep, (1 - keep) / 2, 3)
        assert sum(min(p * a, q * b) for n, a, b in terms if n == agreeing) == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [2, 4, 9])
def test_quick_last_guesses_win_nearly_as_often_as_the_best(lists, spread):
    words, probabilities, epsilon = ClueTable.of(lists, "anywhere"), random_posterior(spread), 14.0
    bounds = information.upper_bounds(words, probabilities, epsilon)
    pool, row, lost = np.argsort(-bounds)[:4096], int(bounds.argmax()), []
    for chance, posterior in lookahead.after_clues(words, probabilities, row, epsilon, 12):
        best = final_guess.win_chances(words.columns, posterior, epsilon, 5).max()
        rows = lookahead.quick_last_guesses(words, probabilities, np.array([row]), (epsilon, epsilon), 12, pool)
        found = final_guess.win_chances(np.ascontiguousarray(words.columns[:, sorted(rows)]), posterior, epsilon, 5)
        lost.append(chance * (best - found.max()))
    assert sum(lost) < 0.01


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
