from math import log2

import numpy as np
import pytest
from hypothesis import example, given

from tests.solvers.noisy.test_search import joint, random_posterior, situations
from tests.solvers.search.test_plain import compiled_and_plain
from wordpl.core.clues import keep_probability
from wordpl.core.words import letters
from wordpl.kernels.clue_matrix import clue_matrix, matrix_of
from wordpl.solvers.noisy.clue_entropy import ROUGH, TIE_BITS, best_guess, clue_entropies, entropy_error


@given(situations())
@example((["abc"], ["abc"], np.ones(1), 1e5))
def test_entropies_agree_with_the_noise_channel(situation):
    guesses, answers, probabilities, epsilon = situation
    matrix = clue_matrix(letters(guesses), letters(answers), "anywhere")
    shown = [joint(guess, answers, probabilities, epsilon).sum(axis=0) for guess in guesses]
    expected = [-sum(chance * log2(chance) for chance in chances if chance > 0) for chances in shown]
    for entropies in compiled_and_plain(lambda: clue_entropies(matrix, probabilities, epsilon, 3)):
        assert entropies == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("spread", [0, 1, 4, 9])
def test_leaving_out_answers_changes_entropies_by_no_more_than_the_bound(lists, spread):
    matrix = matrix_of(lists, "anywhere")[::50]
    probabilities = random_posterior(spread)
    exact = clue_entropies(matrix, probabilities, 9.0, 5, negligible=0)
    for negligible in (1e-9, ROUGH, 0.1):
        approximate = clue_entropies(matrix, probabilities, 9.0, 5, negligible)
        change = (exact - approximate * (1 - negligible)) / (1 - negligible)
        assert change.min() >= -1e-12
        assert change.max() <= entropy_error(negligible, 5)


@pytest.mark.parametrize("spread", [0, 1, 4, 9, 60])
def test_the_best_guess_is_the_first_with_the_largest_entropy(lists, spread):
    matrix = matrix_of(lists, "anywhere")
    probabilities = random_posterior(spread)
    entropies = clue_entropies(matrix, probabilities, 9.0, 5)
    assert best_guess(matrix, probabilities, 9.0, 5) == np.argmax(entropies >= entropies.max() - TIE_BITS)


def test_a_known_secret_leaves_only_the_entropy_of_the_noise(lists):
    probabilities = np.zeros(2315)
    probabilities[7] = 1
    keep = keep_probability(9.0)
    noise_entropy = -5 * (keep * log2(keep) + (1 - keep) * log2((1 - keep) / 2))
    assert clue_entropies(matrix_of(lists, "anywhere"), probabilities, 9.0, 5) == pytest.approx(
        noise_entropy, rel=1e-12
    )
    assert best_guess(matrix_of(lists, "anywhere"), probabilities, 9.0, 5) == 0
