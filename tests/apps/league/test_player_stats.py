"""Statistics of a player, against values computed by hand."""

import pandas as pd
import pytest

from tests.helpers.simulated_league import results
from wordpl.apps.league.statistics import Streaks, player_stats, streaks
from wordpl.core.intervals import CONFIDENCE, proportion_interval

OWN_GUESSES = {1: 4, 2: 3, 3: 7, 4: 2, 5: 5, 8: 4}  # the sixth and the seventh day were not played
OTHER_GUESSES = {1: 4, 2: 5, 3: 4, 4: 4, 9: 3}


@pytest.fixture
def stats():
    rows = [("me", day, guesses) for day, guesses in OWN_GUESSES.items()] + [
        ("you", day, guesses) for day, guesses in OTHER_GUESSES.items()
    ]
    return player_stats(pd.DataFrame(rows, columns=["player", "day", "guesses"]), "me", n_days=2)


def test_an_unsolved_or_missing_day_ends_a_streak(stats):
    assert stats.streaks == Streaks(solved=2, solved_now=0, played=5, played_now=0)
    assert streaks(results(*[{"me": 3}] * 3, {"you": 3}, {"me": 3}, {"me": 7}), "me") == Streaks(3, 0, 3, 2)


def test_best_and_worst_days_are_relative_to_other_players(stats):
    assert list(stats.best["day"]) == [4, 2]
    assert list(stats.worst["day"]) == [3, 5]
    assert list(stats.worst["n_others"]) == [1, 0]


def test_head_to_head_counts_days_that_both_played(stats):
    (row,) = stats.head_to_head.itertuples(index=False)
    assert (row.opponent, row.won, row.tied, row.lost, row.share) == ("you", 2, 1, 1, 0.625)
    low, _ = proportion_interval(2, 4, CONFIDENCE)  # of 2.5 points, which no proportion has
    _, high = proportion_interval(3, 4, CONFIDENCE)
    assert (row.low, row.high) == pytest.approx((low, high))


def test_the_mean_counts_unsolved_days_as_seven(stats):
    assert stats.distribution == {"1": 0, "2": 1, "3": 1, "4": 2, "5": 1, "6": 0, "X": 1}
    assert stats.mean == pytest.approx(25 / 6)
    assert (stats.low, stats.high) == pytest.approx((2.3591, 5.9742), abs=1e-4)  # s = 1.7224, t = 2.5706
    few = player_stats(results({"me": 1}, {"me": 7}), "me")
    assert (few.low, few.high) == (1, 7), "no result is outside"


def test_months_are_those_of_the_puzzle_dates(stats):
    assert list(stats.months["month"]) == ["2021-06"]
