"""Intervals, places and tiers to the digits that tables of Student's t give: 2.262157 at 9 degrees and 97.5 %."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from tests.helpers.simulated_league import league, results
from wordpl.stats.rankings import RANKINGS
from wordpl.stats.rankings.ranking import has_interval, intervals, place_intervals, shown_better, tiers

TEN_GAMES = np.array([10])
ERROR = 1.5811388 * 1.0540926  # the deviation of 0 to 4, widened by the root of 10 / 9


def test_an_interval_is_t_times_the_standard_error_of_the_resamples():
    low, high = intervals(np.array([2.0]), np.arange(5.0)[:, None], TEN_GAMES)
    assert (low[0], high[0]) == pytest.approx((2 - 2.262157 * ERROR, 2 + 2.262157 * ERROR), abs=1e-5)


def tiers_and_places(worth, resamples, n_games):
    better, has_bounds = shown_better(worth, resamples, n_games), has_interval(n_games, len(resamples))
    return tiers(worth, better, has_bounds).tolist(), np.array(place_intervals(better, has_bounds)).T.tolist()


@pytest.mark.parametrize(("lead", "tier"), [(2.8, 1), (3.05, 2)])
def test_among_three_players_a_difference_has_to_reach_2_93_errors(lead, tier):
    """At 9 degrees t is 2.26 for one difference, 2.69 for two, 2.93 for three."""
    resamples = np.zeros((5, 3))
    resamples[:, 0] = np.arange(5.0)
    places = [[1, 3]] * 3 if tier == 1 else [[1, 1], [2, 3], [2, 3]]
    assert tiers_and_places(np.array([lead * ERROR, 0.0, 0.0]), resamples, np.full(3, 10)) == ([1, tier, tier], places)


def test_players_with_four_games_have_no_interval_and_are_behind_nobody():
    resamples, n_games = np.arange(10.0).reshape(5, 2), np.array([4, 5])
    low, _ = intervals(np.array([1.0, 2.0]), resamples, n_games)
    assert np.isnan(low).tolist() == [True, False]
    assert tiers_and_places(np.array([-100.0, 2.0]), resamples, n_games)[0] == [1, 1]


@pytest.mark.parametrize(("draws", "is_known"), [(0, False), (1, False), (2, True)])
def test_an_interval_needs_two_resamples(draws, is_known):
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
        resamples = pd.DataFrame((counts @ sheet.fillna(0)) / (counts @ sheet.notna()), columns=sheet.columns)
    order = sorted(sheet.columns, key=lambda name: (ratings[name], name))
    assert table["player"].tolist() == order
    assert table["rating"].tolist() == pytest.approx(ratings[order].tolist())
    assert table["n_games"].tolist() == n_games[order].tolist()
    assert table["place"].tolist() == ratings.rank(method="min")[order].tolist()
    better = plain_better(ratings, resamples, n_games)
    for row in table.itertuples():
        n_of_player = n_games[row.player]
        if n_of_player < 5:
            assert np.isnan([row.low, row.high, row.place_low, row.place_high]).all()
            assert row.tier == 1
            continue
        margin = t.ppf(0.975, n_of_player - 1) * resamples[row.player].std() * np.sqrt(n_of_player / (n_of_player - 1))
        assert (row.low, row.high) == (pytest.approx(row.rating - margin), pytest.approx(row.rating + margin))
        n_better, n_worse = better[row.player].sum(), better.loc[row.player].sum()
        assert (row.place_low, row.place_high) == (1 + n_better, len(ratings) - n_worse)
    assert table["tier"].tolist() == plain_tiers(ratings, better, n_games)[order].tolist()
    assert table["tier"].max() > 1


def plain_better(ratings, resamples, n_games):
    better = pd.DataFrame(False, ratings.index, ratings.index)
    players = [name for name in ratings.index if n_games[name] >= 5]
    n_pairs = len(players) * (len(players) - 1) / 2
    for one, other in permutations(players, 2):
        n_common = min(n_games[one], n_games[other])
        differences = resamples[one] - resamples[other]
        error = differences.std() * np.sqrt(n_common / (n_common - 1))
        better.loc[one, other] = ratings[other] - ratings[one] > t.ppf(1 - 0.025 / n_pairs, n_common - 1) * error
    return better


def plain_tiers(ratings, better, n_games):
    tier, remaining = pd.Series(1, ratings.index), [name for name in ratings.index if n_games[name] >= 5]
    number = 0
    while remaining:
        number += 1
        best = min(remaining, key=lambda name: (ratings[name], list(ratings.index).index(name)))
        tier[remaining] = number
        remaining = [name for name in remaining if better.loc[best, name]]
    return tier


def test_the_tiers_of_two_players_depend_on_their_one_difference():
    resamples = np.arange(10.0).reshape(5, 2) ** 2
    margin = (resamples[:, 0] - resamples[:, 1]).std(ddof=1) * np.sqrt(10 / 9) * 2.262157
    for n_games in np.array([[10, 10], [10, 100], [100, 10]]):  # the fewer games decide
        assert tiers_and_places(np.array([margin * 0.99, 0.0]), resamples, n_games)[0] == [1, 1]
        assert tiers_and_places(np.array([margin * 1.01, 0.0]), resamples, n_games)[0] == [1, 2]
    assert tiers_and_places(np.array([3.0]), resamples[:, :1], n_games[:1]) == ([1], [[1, 1]])


def test_a_player_who_is_missing_from_resamples_is_compared_in_the_others():
    rng = np.random.default_rng(6)
    resamples, n_games = rng.normal(size=(200, 3)), np.array([10, 10, 4])
    resamples[rng.random((200, 3)) < 0.3] = np.nan
    error = np.nanstd(resamples[:, 0] - resamples[:, 1], ddof=1) * np.sqrt(10 / 9) * 2.262157
    for lead, last in ((0.99 * error, 3), (1.01 * error, 2)):
        tier, places = tiers_and_places(np.array([lead, 0.0, 5.0]), resamples, n_games)
        assert (tier[:2], places[0]) == ([1, 4 - last], [1, last])
        assert np.isnan(places[2]).all()
