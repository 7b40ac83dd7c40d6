"""Intervals, places and tiers to the digits that tables of Student's t give: 2.262157 at 9 degrees and 97.5 %."""

import numpy as np
import pytest

from tests.helpers.simulated_league import league
from wordpl.stats.rankings import RANKINGS
from wordpl.stats.rankings.rank_intervals import intervals, place_intervals, tiers

TEN = np.array([10])
ERROR = 1.5811388 * 1.0540926  # the deviation of 0 to 4, widened by the root of 10 / 9


def test_an_interval_is_t_times_the_error_that_resamples_show():
    low, high = intervals(np.array([2.0]), np.arange(5.0)[:, None], TEN)
    assert (low[0], high[0]) == pytest.approx((2 - 2.262157 * ERROR, 2 + 2.262157 * ERROR), abs=1e-5)


@pytest.mark.parametrize(("n_second", "last"), [(1, 1), (2, 2)])
def test_a_place_is_in_the_interval_if_more_than_2_5_percent_of_resamples_have_it(n_second, last):
    worth = np.tile([2.0, 1.0], (40, 1))
    worth[:n_second] = [1.0, 2.0]
    low, high = place_intervals(worth, np.array([10, 10]))
    assert (low[0], high[0]) == (1, last)


@pytest.mark.parametrize(("lead", "tier"), [(2.5, 1), (2.8, 2)])
def test_among_three_players_a_difference_has_to_reach_2_69_errors(lead, tier):
    """At 9 degrees t is 2.26 for one difference, 2.69 for two, 2.93 for three."""
    found = np.zeros((5, 3))
    found[:, 0] = np.arange(5.0)
    assert tiers(np.array([lead * ERROR, 0.0, 0.0]), found, np.full(3, 10)).tolist() == [1, tier, tier]


def test_players_with_four_games_have_no_interval_and_are_behind_nobody():
    found, games = np.arange(10.0).reshape(5, 2), np.array([4, 5])
    low, _ = intervals(np.array([1.0, 2.0]), found, games)
    assert np.isnan(low).tolist() == [True, False]
    assert tiers(np.array([-100.0, 2.0]), found, games).tolist() == [1, 1]


@pytest.mark.parametrize(("draws", "is_known"), [(0, False), (1, False), (2, True)])
def test_an_interval_takes_two_resamples(draws, is_known):
    table = RANKINGS["mean"](league(np.array([3.0, 5.0]), 12, np.random.default_rng(1)), draws=draws)
    assert table["low"].notna().tolist() == [is_known] * 2
    assert table["place_low"].notna().tolist() == [is_known] * 2
