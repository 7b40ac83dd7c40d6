"""The forecast of a sample: its intervals cover the truth, and better entries get better ranks."""

import numpy as np
import pytest

from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.apps.season.sample import draws, value_of

MEDIAN, P_WIN = SeasonScore("p50", 0.5), SeasonScore("p_win", None)
TRUE = {"p50": 40 * np.log(1 / (1 - 0.5 / 0.8)), "p_win": 0.8}


def sample(rng, n):
    """Return games that cost an exponential budget of mean 40 and are credited with .8 on average."""
    return Credits(rng.exponential(40, n), rng.beta(8, 2, n))


@pytest.mark.parametrize("score", [MEDIAN, P_WIN], ids=lambda score: score.name)
def test_the_forecast_covers_the_truth(score):
    rng, n_samples = np.random.default_rng(7), 300
    covered = 0
    for _ in range(n_samples):
        low, high = np.quantile(draws(sample(rng, 200), score, rng), [0.025, 0.975], method="inverted_cdf")
        covered += low <= TRUE[score.name] <= high
    assert 0.915 <= covered / n_samples <= 0.985


def test_a_score_that_is_not_reached_is_infinite():
    games = Credits(np.full(50, 10.0), np.full(50, 0.2))
    assert value_of(games, MEDIAN) == np.inf
    assert np.isinf(draws(games, MEDIAN, np.random.default_rng(0))).all()


def test_equal_games_leave_a_doubt():
    won = Credits(np.full(20, 10.0), np.ones(20))
    drawn = draws(won, P_WIN, np.random.default_rng(0))
    assert 0.7 < drawn.min() < drawn.max() <= 1
