"""Kernels hold at every epsilon: at a tiny one a clue says nothing, at a huge one it is true."""

import numpy as np
import pytest

from wordpl.core import words
from wordpl.kernels.clue_matrix import ClueTable
from wordpl.kernels.posterior import Posterior
from wordpl.solvers.noisy import clue_entropy, final_guess, lookahead

EPSILONS = (5e-324, 1e-12, 1.0, 85.0, 186.0, 187.0, 200.0, 3600.0, 1.7976931348623157e308)
N_GUESSES = 32


@pytest.fixture(scope="module")
def table():
    return ClueTable.of(words.here(), "counted")


@pytest.fixture(scope="module")
def probabilities(table):
    rng = np.random.default_rng(3)
    chances = np.zeros(table.matrix.shape[1])
    chances[rng.choice(len(chances), 12, replace=False)] = rng.dirichlet(np.ones(12))
    return chances


def weights_of_clues(table, probabilities, row):
    """The probability of each true clue of a guess, and the largest probability of an answer with that clue."""
    sums, largest = np.zeros(3**5), np.zeros(3**5)
    np.add.at(sums, table.matrix[row], probabilities)
    np.maximum.at(largest, table.matrix[row], probabilities)
    return sums, largest


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_chances_of_winning_lie_between_those_of_no_clue_and_of_a_true_clue(table, probabilities, epsilon):
    columns = np.ascontiguousarray(table.columns[:, :N_GUESSES])
    chances = final_guess.win_chances(columns, probabilities, epsilon, 5)
    exact = np.array([weights_of_clues(table, probabilities, row)[1].sum() for row in range(N_GUESSES)])
    assert (chances <= exact + 1e-9).all()
    assert (chances >= probabilities.max() - 1e-9).all()
    if epsilon >= 186:
        np.testing.assert_allclose(chances, exact, rtol=1e-9)
    if epsilon <= 1e-12:
        np.testing.assert_allclose(chances, probabilities.max(), rtol=1e-9)
    assert 0 <= final_guess.best_guess(table, probabilities, epsilon) < len(table.matrix)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_entropies_lie_between_those_of_noise_and_of_the_true_clue(table, probabilities, epsilon):
    entropies = clue_entropy.clue_entropies(table.matrix[:N_GUESSES], probabilities, epsilon, 5, 0.0)
    assert np.isfinite(entropies).all()
    if epsilon <= 1e-12:
        np.testing.assert_allclose(entropies, 5 * np.log2(3), rtol=1e-9)
    if epsilon >= 187:
        sums = [weights_of_clues(table, probabilities, row)[0] for row in range(N_GUESSES)]
        exact = [-sum(p * np.log2(p) for p in chances[chances > 0]) for chances in sums]
        np.testing.assert_allclose(entropies, exact, atol=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_lookahead_rates_guesses_at_every_epsilon(table, probabilities, epsilon):
    rows = np.arange(N_GUESSES)
    rated = lookahead.values(table, probabilities, (epsilon, epsilon), (rows, rows), lookahead.Effort())
    assert np.isfinite(rated).all()
    assert (rated <= 1 + 1e-5).all()
    assert (rated >= 0.98 * probabilities.max()).all()
    assert lookahead.quick_last_guesses(table, probabilities, rows, (epsilon, epsilon), 3, rows) <= set(rows)
    states = lookahead.after_clues(table, probabilities, 0, epsilon, 3**5)
    assert sum(chance for chance, _ in states) == pytest.approx(1)
    assert all(np.isfinite(posterior).all() for _, posterior in states)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_posterior_is_a_distribution_at_every_epsilon(epsilon):
    posterior = Posterior.uniform(words.here())
    posterior.update("crane", epsilon, "c..i.")
    assert posterior.probabilities.sum() == pytest.approx(1)
    assert posterior.best()[1] == pytest.approx(posterior.probabilities.max())
