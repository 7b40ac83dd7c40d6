"""One player's numbers, counted by hand."""

import pandas as pd
import pytest

from wordpl.league.player_stats import Streaks, player_stats

MINE = {1: 4, 2: 3, 3: 7, 4: 2, 5: 5, 8: 4}  # the sixth and the seventh day were not played
OTHERS = {1: 4, 2: 5, 3: 4, 4: 4, 9: 3}


@pytest.fixture
def found():
    rows = [("me", day, n) for day, n in MINE.items()] + [("you", day, n) for day, n in OTHERS.items()]
    return player_stats(pd.DataFrame(rows, columns=["player", "day", "guesses"]), "me", n_days=2)


def test_streaks_end_at_an_unsolved_or_a_missing_day(found):
    assert found.streaks == Streaks(solved=2, solved_now=0, played=5, played_now=0)


def test_days_are_judged_against_the_others(found):
    assert list(found.best["day"]) == [4, 2]
    assert list(found.worst["day"]) == [3, 5]
    assert list(found.worst["n_others"]) == [1, 0]


def test_head_to_head_counts_days_of_both(found):
    (row,) = found.head_to_head.itertuples(index=False)
    assert (row.opponent, row.won, row.tied, row.lost, row.share) == ("you", 2, 1, 1, 0.625)
    assert row.low < 0.625 < row.high


def test_the_distribution_and_the_mean_hold_x_as_seven(found):
    assert found.distribution == {"1": 0, "2": 1, "3": 1, "4": 2, "5": 1, "6": 0, "X": 1}
    assert found.mean == pytest.approx(25 / 6)
    assert (found.low, found.high) == pytest.approx((2.3591, 5.9742), abs=1e-4)  # s = 1.7224, t = 2.5706


def test_months_are_those_of_the_puzzles(found):
    assert list(found.months["month"]) == ["2021-06"]
