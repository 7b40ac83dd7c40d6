from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.frames import FACTS, losing, run_of
from wordpl.stats.scores import scores_for
from wordpl.stats.scores.quantiles import QuantileScore

QUANTILES = {score.q: score for score in scores_for(FACTS["budget"]) if score.name in ("p05", "p50", "p95")}

# Each distribution: samples of a given shape, and its true quantile. Losing 5% puts the true p95 exactly at the price.
DISTRIBUTIONS = {
    "continuous": (lambda rng, shape: rng.exponential(10, shape), lambda q: -10 * np.log(1 - q)),
    "heavy tail": (lambda rng, shape: rng.pareto(0.5, shape), lambda q: (1 - q) ** -2.0 - 1),
    "whole numbers": (lambda rng, shape: rng.integers(1, 11, shape).astype(float), lambda q: np.ceil(round(10 * q, 9))),
    "one price or lost": (lambda rng, shape: losing(np.full(shape, 23.4), 0.05, rng), lambda q: 23.4),
    "mostly lost": (lambda rng, shape: losing(np.full(shape, 15.6), 0.7, rng), lambda q: 15.6 if q < 0.3 else np.inf),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize(("n_games", "n_runs"), [(101, 500), pytest.param(1001, 1000, marks=pytest.mark.slow)])
def test_the_interval_holds_the_true_quantile_in_95_of_100_runs(name, n_games, n_runs):
    draw_runs, true_quantile = DISTRIBUTIONS[name]
    runs = draw_runs(np.random.default_rng(n_games), (n_runs, n_games))
    simulation_error = 3 * np.sqrt(0.94 * 0.06 / n_runs)
    for q, score in QUANTILES.items():
        estimates = [score(run) for run in runs]
        coverage = np.mean([estimate.low <= true_quantile(q) <= estimate.high for estimate in estimates])
        assert coverage >= 0.94 - simulation_error, (q, coverage)


def test_the_interval_is_as_narrow_as_order_statistics_allow():
    # The 95% interval of the median of 100 values runs from the 40th to the 61st (any table of the sign test).
    estimate = QUANTILES[0.5](np.arange(1.0, 101))
    assert (estimate.low, estimate.value, estimate.high) == (40, 50.5, 61)


def test_intervals_of_p05_and_p95_are_open_ended_for_too_few_games():
    games = np.arange(1.0, 21)
    assert QUANTILES[0.05](games).low == 0
    assert QUANTILES[0.95](games).high == np.inf


def percentile_of_the_contest(costs, q):
    """Return the score of the original contest for the budgets of an entry's games.

    It takes numpy's linear quantile of the budgets, in which a loss counts as the largest float, and calls it infinite
    if it exceeds a hundredth of that.
    """
    huge = np.finfo(float).max
    found = np.quantile(np.minimum(costs, huge), q)
    return np.inf if found > huge / 100 else found


@given(st.lists(st.one_of(st.floats(0, 1e6), st.just(np.inf)), min_size=1, max_size=60))
def test_percentiles_of_any_costs_are_those_of_the_original_contest(drawn):
    costs = np.array(drawn)
    for q, score in QUANTILES.items():
        expected = percentile_of_the_contest(costs, q)
        assert score(costs).value == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n_games", [21, 101, 141, 1001])
def test_the_place_of_a_quantile_is_exact_if_it_is_a_whole_number(n_games):
    games = np.arange(n_games)
    assert [score(games).value for score in QUANTILES.values()] == [
        (n_games - 1) * 5 // 100,
        (n_games - 1) // 2,
        (n_games - 1) * 95 // 100,
    ]


def test_a_quantile_is_infinite_when_fewer_games_are_won():
    assert QUANTILES[0.5](np.array([10.0] * 51 + [np.inf] * 50)).value == 10
    assert QUANTILES[0.5](np.array([10.0] * 50 + [np.inf] * 51)).value == np.inf
    assert QUANTILES[0.5](np.array([10.0] * 50 + [np.inf] * 50)).value == np.inf


def test_a_game_with_an_infinite_or_undefined_budget_is_lost():
    games = run_of({"rich": [1e308 * 10, np.nan, 5.0]})
    assert list(QUANTILES[0.5].per_game(games)) == [np.inf, np.inf, 5]


def test_the_place_is_exact_for_any_percentage_of_a_few_million_games():
    score = QuantileScore(name="p14", head="p14", q=0.14, lower_is_better=True)
    assert 0.14 * 2_186_800 > 306_152  # by a rounding error
    assert score(np.arange(2_186_801.0)).value == 306_152
    assert replace(score, q=0.07)(np.arange(101.0)).value == 7


def test_a_resample_reaches_a_share_from_a_billionth_below():
    exact = 1 - 1e-9
    weights = np.array([[exact, np.nextafter(exact, 0)], [2 - exact, 2 - np.nextafter(exact, 0)]])
    assert QUANTILES[0.5].resampled(np.array([[3.0, 4.0], [4.0, 3.0]]), weights).tolist() == [[3, 4], [3, 3]]
