"""Intervals, places and tiers to the digits that tables of Student's t give: 2.262157 at 9 degrees and 97.5 %."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from tests.helpers.simulated_league import league, results
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


def test_a_table_is_that_of_200_resamples_of_days_with_seed_0():
    played = league(np.array([3.0, 3.4, 4.0, 4.1, 5.5]), 14, np.random.default_rng(5), attendance=0.6)
    played = pd.concat(
        [played, results({"rare": 2}, {"rare": 6}), played[played["player"] == "p003"].assign(player="a")]
    )
    table = RANKINGS["mean"](played, shrinkage="none")
    sheet = played.pivot(index="day", columns="player", values="guesses")
    n_days, n_games, ratings = len(sheet), sheet.notna().sum(), sheet.mean()
    counts = np.random.default_rng(0).multinomial(n_days, np.full(n_days, 1 / n_days), size=200)
    with np.errstate(invalid="ignore"):
        found = pd.DataFrame((counts @ sheet.fillna(0)) / (counts @ sheet.notna()), columns=sheet.columns)
    order = sorted(sheet.columns, key=lambda name: (ratings[name], name))
    assert table["player"].tolist() == order
    assert table["rating"].tolist() == pytest.approx(ratings[order].tolist())
    assert table["n_games"].tolist() == n_games[order].tolist()
    assert table["place"].tolist() == ratings.rank(method="min")[order].tolist()
    places = found.rank(axis=1, method="min", na_option="bottom")
    for row in table.itertuples():
        n = n_games[row.player]
        if n < 5:
            assert np.isnan([row.low, row.high, row.place_low, row.place_high]).all()
            assert row.tier == 1
            continue
        margin = t.ppf(0.975, n - 1) * found[row.player].std() * np.sqrt(n / (n - 1))
        assert (row.low, row.high) == (pytest.approx(row.rating - margin), pytest.approx(row.rating + margin))
        ranks = np.sort(places[row.player])
        assert (row.place_low, row.place_high) == (ranks[4], ranks[194])
    assert table["tier"].tolist() == plain_tiers(ratings, found, n_games)[order].tolist()
    assert table["tier"].max() > 1


def plain_tiers(ratings, found, n_games):
    tier, left = pd.Series(1, ratings.index), [name for name in ratings.index if n_games[name] >= 5]
    number = 0
    while left:
        number += 1
        head, later = min(left, key=lambda name: (ratings[name], list(ratings.index).index(name))), []
        for name in left:
            n = min(n_games[name], n_games[head])
            gaps = found[head] - found[name]
            margin = t.ppf(1 - 0.025 / (len(ratings) - 1), n - 1) * gaps.std() * np.sqrt(n / (n - 1))
            tier[name] = number
            if ratings[name] - ratings[head] > margin:
                later.append(name)
        left = later
    return tier


def test_two_players_have_one_difference_and_one_has_none():
    found = np.arange(10.0).reshape(5, 2) ** 2
    gaps = (found[:, 0] - found[:, 1]).std(ddof=1) * np.sqrt(10 / 9) * 2.262157
    games = np.array([10, 10])
    assert tiers(np.array([gaps * 0.99, 0.0]), found, games).tolist() == [1, 1]
    assert tiers(np.array([gaps * 1.01, 0.0]), found, games).tolist() == [1, 2]
    assert tiers(np.array([3.0]), found[:, :1], games[:1]).tolist() == [1]


def test_a_player_who_is_missing_from_a_resample_comes_last_in_it():
    worth = np.array([[1.0, 2.0, 3.0], [np.nan, 2.0, 3.0], [5.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    low, high = place_intervals(worth, np.array([10, 10, 4]))
    assert (low[:2].tolist(), high[:2].tolist()) == ([1, 2], [3, 3])
    assert np.isnan([low[2], high[2]]).all()
    none = place_intervals(worth, np.array([4, 4, 4]))
    assert np.isnan(none).all()
