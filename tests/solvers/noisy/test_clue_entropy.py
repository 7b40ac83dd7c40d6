from itertools import product
from math import log2, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.solvers.search.test_plain import compiled_and_plain
from wordpl.core.clues import CLUE_RULES, keep_probability
from wordpl.core.words import letters
from wordpl.kernels.clue_matrix import clue_matrix, matrix_of
from wordpl.solvers.noisy.clue_entropy import ROUGH, TIE_BITS, best_guess, clue_entropies, entropy_error

words = st.text("abcd", min_size=3, max_size=3)
epsilons = st.floats(0.01, 100)


def plain_entropy(guess, answers, probabilities, epsilon):
    """Return the entropy of the shown clue, summed over every answer and every possible clue."""
    keep = keep_probability(epsilon, 3)
    clue_probabilities = dict.fromkeys(product(".ic", repeat=3), 0.0)
    for answer, probability in zip(answers, probabilities, strict=True):
        true_clue = CLUE_RULES["anywhere"](guess, answer)
        for clue in clue_probabilities:
            clue_probabilities[clue] += probability * prod(
                keep if true_mark == shown_mark else (1 - keep) / 2
                for true_mark, shown_mark in zip(true_clue, clue, strict=True)
            )
    return -sum(
        probability_of_clue * log2(probability_of_clue)
        for probability_of_clue in clue_probabilities.values()
        if probability_of_clue > 0
    )


@st.composite
def situations(draw):
    guesses = draw(st.lists(words, min_size=1, max_size=40))
    weighted = draw(st.lists(st.tuples(words, st.floats(1e-6, 1)), min_size=1, max_size=15))
    weights = np.array([weight for _, weight in weighted])
    return guesses, [word for word, _ in weighted], weights / weights.sum(), draw(epsilons)


@given(situations())
@example((["abc"], ["abc"], np.ones(1), 1e5))
def test_entropies_agree_with_the_noise_channel(situation):
    guesses, answers, probabilities, epsilon = situation
    matrix = clue_matrix(letters(guesses), letters(answers), "anywhere")
    expected = [plain_entropy(guess, answers, probabilities, epsilon) for guess in guesses]
    for entropies in compiled_and_plain(lambda: clue_entropies(matrix, probabilities, epsilon, 3)):
        assert entropies == pytest.approx(expected, rel=1e-12, abs=1e-12)


def random_posterior(rng, n_answers, spread):
    weights = np.exp(spread * rng.normal(size=n_answers))
    return weights / weights.sum()


@pytest.mark.parametrize("spread", [0, 1, 4, 9])
def test_leaving_out_answers_changes_entropies_by_no_more_than_the_bound(lists, spread):
    matrix = matrix_of(lists, "anywhere")[::50]
    probabilities = random_posterior(np.random.default_rng(2), 2315, spread)
    exact = clue_entropies(matrix, probabilities, 9.0, 5, negligible=0)
    for negligible in (1e-9, ROUGH, 0.1):
        approximate = clue_entropies(matrix, probabilities, 9.0, 5, negligible)
        change = (exact - approximate * (1 - negligible)) / (1 - negligible)
        assert change.min() >= -1e-12
        assert change.max() <= entropy_error(negligible, 5)


@pytest.mark.parametrize("spread", [0, 1, 4, 9, 60])
def test_the_best_guess_is_the_first_with_the_largest_entropy(lists, spread):
    matrix = matrix_of(lists, "anywhere")
    probabilities = random_posterior(np.random.default_rng(3), 2315, spread)
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
