"""The compiled sums over resamples agree with a product of matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.stats.scores.score import GAMES_PER_BLOCK, totals


@given(
    n_entries=st.integers(0, 4),
    n_draws=st.integers(0, 5),
    n_games=st.sampled_from(
        [0, 1, 7, GAMES_PER_BLOCK - 1, GAMES_PER_BLOCK, GAMES_PER_BLOCK + 1, 2 * GAMES_PER_BLOCK + 3]
    ),
    seed=st.integers(0, 9),
    is_transposed=st.booleans(),
)
def test_sums_agree_with_a_product_of_matrices(n_entries, n_draws, n_games, seed, is_transposed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_entries, n_games)) * (rng.random((n_entries, n_games)) < 0.7)
    weights = rng.random((n_draws, n_games)).T if is_transposed else rng.random((n_games, n_draws))
    assert totals(values, weights) == pytest.approx(values @ weights, rel=1e-9, abs=1e-9)


def test_entries_with_the_same_games_have_the_same_sums_to_the_last_bit():
    rng = np.random.default_rng(1)
    values = rng.random((7, 2_500))
    values[4] = values[1]
    sums = totals(values, rng.random((31, 2_500)).T)
    assert np.array_equal(sums[1], sums[4])


def test_infinite_values_give_infinite_totals():
    assert totals(np.array([[1.0, np.inf]]), np.array([[1.0], [2.0]])) == np.inf
