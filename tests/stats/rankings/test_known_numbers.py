"""Ratings agree with numbers that were computed without this code, to the digits that were printed."""

import numpy as np
import pytest

from tests.helpers.simulated_league import results
from wordpl.core.messages import UserError
from wordpl.stats.rankings import RANKINGS, Sheet, curves
from wordpl.stats.rankings.mean import shrink

THREE_DAYS = results({"a": 3, "b": 4, "c": 7}, {"a": 5, "b": 2, "c": 4}, {"b": 3, "c": 6})
THREE_AGAINST_FIVE = results({"a": 3, "b": 5})


def ratings(name, played, **settings):
    table = RANKINGS[name](played, draws=0, **settings)
    return table.set_index("player")["rating"].sort_index().tolist()


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({}, [1000.302963, 1003.277434, 996.419603]),
        ({"start_of_day": True}, [1000.304552, 1003.293339, 996.402109]),
    ],
    ids=str,
)
def test_elo_of_three_days_has_the_known_ratings(settings, expected):
    assert ratings("elo", THREE_DAYS, **settings) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    "x_is_seven, expected", [(False, [1000.797697, 999.202303]), (True, [1000.664748, 999.335252])]
)
def test_elo_of_one_day_has_the_known_ratings_with_and_without_x(x_is_seven, expected):
    assert ratings("elo", THREE_AGAINST_FIVE, x_is_seven=x_is_seven) == pytest.approx(expected, abs=1e-6)


def test_k_divided_by_the_number_of_opponents_bounds_the_daily_change():
    crowd_results = results({"first": 1} | {f"p{i:03}": 7 for i in range(299)})
    undivided = ratings("elo", crowd_results, start_of_day=True)
    divided = ratings("elo", crowd_results, start_of_day=True, per_opponent=True)
    assert (undivided[0], divided[0]) == pytest.approx((1000 + 2 * 299, 1000 + 2))


@pytest.mark.parametrize(
    "name, played, expected",
    [
        ("map-elo", THREE_DAYS, [1007.3574, 1058.8316, 933.5702]),
        ("map-elo-gaussian", THREE_DAYS, [1008.5863, 1066.0094, 925.4043]),
        ("map-elo", results({"a": 1, "b": 7}), [1091.7315, 908.2685]),
        ("map-elo", THREE_AGAINST_FIVE, [1029.1219, 970.8781]),
    ],
)
def test_map_elo_has_the_known_ratings(name, played, expected):
    assert ratings(name, played) == pytest.approx(expected, abs=5e-5)


def test_equal_games_shrink_only_by_a_pooled_variance():
    assert shrink(2.0, np.inf, 1, 0.1, 4.0) == 4.0
    assert shrink(2.0, 0.0, 3, 0.1, 4.0) == 2.0
    assert shrink(2.0, 1.0, 3, 0.1, 4.0) == pytest.approx(3.538, abs=5e-4)


def test_a_total_counts_missed_days_from_the_first_result_to_the_newest_closed_day():
    played = results({"a": 3, "b": 7}, {"a": 4}, {"a": 2, "b": 5, "c": 6}, {"a": 5})
    assert ratings("total", played) == [14, 12, 6]
    assert ratings("total", played, missed=8) == [14, 7 + 8 + 5 + 8, 6 + 8]
    assert ratings("total", played, missed=8, open_day=3) == [14, 20, 6]
    assert ratings("total", played, missed=8, open_day=3, x_is_seven=False) == [14, 20, 6]


@pytest.mark.parametrize("name", ["mean", "elo", "map-elo", "total"])
def test_a_player_is_missing_only_from_resamples_without_any_of_their_days(name):
    sheet = Sheet.of(results({"a": 3, "b": 4}, {"a": 5, "b": 2}, {"a": 3, "c": 6}))
    found = RANKINGS[name].bootstrap(sheet, np.array([[1, 1, 1], [0, 0, 3], [2, 1, 0]]))
    assert np.isnan(found).tolist() == [[False] * 3, [False, True, False], [False, False, True]]


@pytest.mark.parametrize(
    ("name", "settings", "complaint"),
    [
        ("elo", {"k": 0.0}, "k must be a number above 0; got 0.0"),
        ("elo", {"k": np.inf}, "k must be a number above 0; got inf"),
        ("map-elo", {"sigma": 0.0}, "sigma must be a number of Elo points above 0; got 0.0"),
        ("map-elo", {"sigma": np.inf}, "sigma must be a number of Elo points above 0; got inf"),
        ("map-elo", {"prior": "flat"}, "prior must be logistic or gaussian; got 'flat'"),
        ("total", {"missed": -1}, "missed must be a number of guesses from 0; got -1"),
    ],
)
def test_a_setting_out_of_range_is_refused(name, settings, complaint):
    with pytest.raises(UserError, match=complaint):
        RANKINGS[name].with_settings(**settings)


def test_a_wider_normal_prior_allows_more_extreme_ratings():
    """With one meeting of grades g and 1 - g: the slope of the likelihood is that of the prior."""
    played = results({"a": 1, "b": 7})
    for sigma in (100.0, 700.0):
        high, low = ratings("map-elo-gaussian", played, sigma=sigma)
        unit = 400 / np.log(10)
        strength = (high - 1000) / unit
        assert high + low == pytest.approx(2000)
        assert 1 - 1 / (1 + np.exp(-2 * strength)) == pytest.approx(strength * (unit / sigma) ** 2, rel=1e-4)


def test_a_curve_has_60_points_spread_over_all_days_by_default():
    played = results(*[{"a": 1 + day % 7, "b": 4} for day in range(75)])
    ranking = RANKINGS["mean"].with_settings(shrinkage="none")
    points = curves(played, ranking)
    assert points.loc[points["player"] == "a", "day"].tolist() == np.linspace(0, 74, 60).round().astype(int).tolist()
    assert points["player"].tolist() == ["a"] * 60 + ["b"] * 60
    assert points.index.tolist() == list(range(120))
    few_points = curves(played, ranking, n_points=3)
    assert few_points["day"].tolist() == [0, 37, 74] * 2
    assert few_points["n_games"].tolist() == [1, 38, 75] * 2
    assert few_points["rating"].tolist()[:3] == pytest.approx(
        [np.mean([1 + day % 7 for day in range(n_days)]) for n_days in (1, 38, 75)]
    )
    assert curves(results({"a": 3}, {"a": 5}), ranking)["day"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("guesses", "is_legal"), [(0, False), (1, True), (6, True), (7, True), (8, False), (2.5, False)]
)
def test_results_are_1_to_7_guesses_of_each_player_once_a_day(guesses, is_legal):
    played = results({"a": guesses, "b": 4}, {"a": 4})
    if is_legal:
        sheet = Sheet.of(played)
        assert (sheet.players.tolist(), sheet.days.tolist(), sheet.n_games.tolist()) == (["a", "b"], [0, 1], [2, 1])
        assert np.array_equal(sheet.guesses, [[guesses, 4], [4, np.nan]], equal_nan=True)
        assert Sheet.of(played, x_is_seven=False).n_games.tolist() == [1 if guesses == 7 else 2, 1]
        assert sheet.until(1).days.tolist() == [0]
    else:
        with pytest.raises(UserError, match=f"guesses must be 1 to 6, or 7 for X; got {guesses}"):
            Sheet.of(played)
