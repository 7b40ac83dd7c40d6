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


def test_games_3_4_4_shrink_to_3_842105():
    games = np.array([3, 4, 4])
    assert shrink(games.mean(), games.var(ddof=1), 3, 0.1, 4.0) == pytest.approx(3.842105, abs=5e-7)
    assert 0.1 / (0.1 + games.var(ddof=1) / 3) == pytest.approx(0.473684, abs=5e-7)


def test_equal_games_shrink_only_by_a_pooled_variance():
    assert shrink(2.0, np.inf, 1, 0.1, 4.0) == 4.0
    assert shrink(2.0, 0.0, 3, 0.1, 4.0) == 2.0
    assert shrink(2.0, 1.0, 3, 0.1, 4.0) == pytest.approx(3.538, abs=5e-4)


def test_shrinkage_is_a_setting_of_the_mean():
    played = results({"a": 2, "b": 4, "c": 3}, {"a": 2, "b": 6}, {"a": 2, "b": 5})
    plain = ratings("mean", played, shrinkage="none")
    assert plain == pytest.approx([2, 5, 3])
    sample, pooled = (ratings("mean", played, shrinkage=shrinkage) for shrinkage in ("sample", "pooled"))
    assert sample[0] == 2  # equal games: without variance there is no shrinkage
    assert sample[2] == pytest.approx(24 / 7)  # one game: the mean of all
    assert 2 < pooled[0] < 24 / 7 and 24 / 7 < pooled[1] < 5


def test_a_day_s_mean_relative_to_the_overall_mean_is_subtracted():
    played = results({"a": 3, "b": 5}, {"a": 5, "b": 6}, {"b": 2})
    adjusted = ratings("mean-by-day", played, shrinkage="none")
    overall = 21 / 5
    assert adjusted == pytest.approx([overall + (-1 - 0.5) / 2, overall + (1 + 0.5 + 0) / 3])


def test_the_ridge_separates_hard_days_from_weak_fields():
    rng = np.random.default_rng(1)
    days = [{"weak": int(rng.integers(5, 7)), "weaker": 6} for _ in range(60)]
    days += [{"good": int(rng.integers(3, 5)), "better": 3} for _ in range(60)]
    played = results(*days, {"weak": 5, "weaker": 6, "good": 4, "better": 3}, {"good": 2})
    by_subtraction, by_ridge = (ratings(name, played, shrinkage="none") for name in ("mean-by-day", "mean-ridge"))
    assert by_subtraction[3] - by_subtraction[0] < 1.1  # alphabetical: better, good, weak, weaker
    assert by_ridge[3] - by_ridge[0] > 2


@pytest.mark.slow
def test_a_player_is_missing_only_from_resamples_without_any_of_their_days():
    played = results({"a": 3, "b": 4}, {"a": 5, "b": 2}, {"a": 3, "c": 6})
    sheet = Sheet.of(played, False)
    resamples = RANKINGS["mean"].with_settings(draws=4000).bootstrap(sheet, np.random.default_rng(1))
    share_missing = dict(zip(sheet.players, np.isnan(resamples).mean(axis=0), strict=True))
    assert share_missing["a"] == 0
    assert share_missing["b"] == pytest.approx((1 / 3) ** 3, abs=0.015)
    assert share_missing["c"] == pytest.approx((2 / 3) ** 3, abs=0.04)


@pytest.mark.parametrize(
    ("name", "settings", "complaint"),
    [
        ("elo", {"k": 0.0}, "k must be a number above 0; got 0.0"),
        ("elo", {"k": np.inf}, "k must be a number above 0; got inf"),
        ("map-elo", {"sigma": 0.0}, "sigma must be a number of Elo points above 0; got 0.0"),
        ("map-elo", {"sigma": np.inf}, "sigma must be a number of Elo points above 0; got inf"),
        ("map-elo", {"prior": "flat"}, "prior must be logistic or gaussian; got 'flat'"),
        ("through-time", {"drift": -0.1}, "drift must be a number from 0; got -0.1"),
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


def test_the_strength_of_a_player_without_opponents_is_drawn_from_the_prior():
    sheet = Sheet.of(results({"a": 4}, {"b": 5}))
    for settings, spread in (({}, 1.0), ({"spread": 3.0}, 3.0)):
        ranking = RANKINGS["through-time"].with_settings(draws=2000, **settings)
        resamples = ranking.bootstrap(sheet, np.random.default_rng(2))
        assert resamples.mean(axis=0) == pytest.approx([0, 0], abs=0.1 * spread)
        assert resamples.std(axis=0) == pytest.approx([spread, spread], rel=0.06)


def test_a_strength_of_1_more_wins_76_days_of_100():
    """In the library's model each day's form has a deviation of 1; without draws, that is Phi(1 / sqrt(2))."""
    days = [{"a": 3, "b": 4}] * 76 + [{"a": 4, "b": 3}] * 24
    sheet = Sheet.of(results(*(days[(37 * index) % 100] for index in range(100))))
    ranking = RANKINGS["through-time"].with_settings(drift=0.0, ties=0.0, spread=30.0)
    first, second = ranking.rate(sheet, np.ones(100, int))
    assert first - second == pytest.approx(1.0, abs=0.08)


def test_the_curve_of_through_time_rates_the_first_day_by_all_later_results():
    played = results({"a": 4, "b": 4}, *[{"a": 3, "b": 4}] * 12)
    curve = curves(played, RANKINGS["through-time"].with_settings(drift=0.0)).set_index(["player", "day"])["rating"]
    assert curve["a", 12] > 0.5
    assert curve["a", 0] == pytest.approx(curve["a", 12], abs=0.05)
    assert curve["b", 0] == pytest.approx(-curve["a", 0], abs=0.05)


def test_intervals_of_through_time_are_wider_where_players_change():
    pytest.importorskip("trueskillthroughtime")
    widths = []
    for n_steady in (1, 15):  # players who take turns for so many days as the better one
        days = [{"a": 3, "b": 4} if day // n_steady % 2 else {"a": 4, "b": 3} for day in range(60)]
        table = RANKINGS["through-time"](results(*days), draws=1000)
        widths.append((table["high"] - table["low"]).mean())
    assert widths[1] > 1.2 * widths[0]


def test_every_ranking_has_its_default_settings():
    shared = "x_is_seven=True, game_cutoff=1, draws=200"
    assert {repr(ranking) for ranking in RANKINGS.values()} >= {
        f"Elo(name='elo', {shared}, k=2.0, per_opponent=False, start_of_day=False)",
        f"Elo(name='elo-batch', {shared}, k=8.0, per_opponent=True, start_of_day=True)",
        f"MapElo(name='map-elo', {shared}, prior='logistic', sigma=350.0)",
        f"MapElo(name='map-elo-gaussian', {shared}, prior='gaussian', sigma=350.0)",
        f"Mean(name='mean', {shared}, day_adjustment='none', ridge=3.0, shrinkage='pooled')",
        f"Mean(name='mean-by-day', {shared}, day_adjustment='subtract', ridge=3.0, shrinkage='pooled')",
        f"Mean(name='mean-ridge', {shared}, day_adjustment='ridge', ridge=3.0, shrinkage='pooled')",
        "PlackettLuce(name='plackett-luce', x_is_seven=True, game_cutoff=1, draws=100)",
        f"ThroughTime(name='through-time', {shared}, spread=1.0, drift=None, ties=0.25)",
    }
    lower_is_better = {name for name, ranking in RANKINGS.items() if not ranking.higher_is_better}
    assert lower_is_better >= {"mean", "mean-by-day", "mean-ridge"}
    assert lower_is_better.isdisjoint(
        {"elo", "elo-batch", "map-elo", "map-elo-gaussian", "plackett-luce", "through-time"}
    )


DAYS = results({"a": 3, "b": 3, "c": 6}, {"a": 4}, {"b": 2, "c": 5}, {"a": 7, "c": 2})


def test_plackett_luce_plays_each_day_as_one_match_as_often_as_it_counts():
    model = pytest.importorskip("openskill.models").PlackettLuce()
    rated = RANKINGS["plackett-luce"].rate(Sheet.of(DAYS), np.array([1, 5, 2, 1]))
    ratings_by_name = {name: model.rating() for name in "abc"}
    for day in ({"a": 3, "b": 3, "c": 6}, {"b": 2, "c": 5}, {"b": 2, "c": 5}, {"a": 7, "c": 2}):
        new_ratings = model.rate([[ratings_by_name[name]] for name in day], ranks=list(day.values()))
        ratings_by_name |= {name: new_rating for name, (new_rating,) in zip(day, new_ratings, strict=True)}
    assert rated.tolist() == pytest.approx([ratings_by_name[name].mu for name in "abc"])


def test_through_time_plays_each_day_as_one_match_best_players_first():
    library = pytest.importorskip("trueskillthroughtime")
    ranking = RANKINGS["through-time"].with_settings(spread=1.5, drift=0.2, ties=0.3, draws=4)
    matches = [[["a"], ["b"], ["c"]], [["b"], ["c"]], [["b"], ["c"]], [["c"], ["a"]]]
    worths = [[-3, -3, -6], [-2, -5], [-2, -5], [-2, -7]]
    history = library.History(matches, worths, [0, 2, 2, 3], sigma=1.5, gamma=0.2, p_draw=0.3)
    history.convergence(epsilon=1e-2, iterations=10, verbose=False)
    curves_by_player = history.learning_curves()
    sheet, counts = Sheet.of(DAYS), np.array([1, 5, 2, 1])
    assert ranking.rate(sheet, counts).tolist() == pytest.approx([curves_by_player[name][-1][1].mu for name in "abc"])
    full_history = library.History(
        [matches[0], *matches[2:]], [worths[0], *worths[2:]], [0, 2, 3], sigma=1.5, gamma=0.2, p_draw=0.3
    )
    full_history.convergence(epsilon=1e-2, iterations=10, verbose=False)
    last_ratings = [full_history.learning_curves()[name][-1][1] for name in "abc"]
    last_played = np.array([3, 2, 3])  # b goes on drifting for a day
    deviations = np.hypot([rating.sigma for rating in last_ratings], 0.2 * np.sqrt(3 - last_played))
    samples = np.random.default_rng(3).normal([rating.mu for rating in last_ratings], deviations, (4, 3))
    assert ranking.bootstrap(sheet, np.random.default_rng(3)) == pytest.approx(samples)
    (first, _), (later, _) = full_history.learning_curves()["a"][0], full_history.learning_curves()["a"][-1]
    assert (first, later) == (0, 3)
    curve = ranking.curve(sheet, np.array([0, 1, 3]))[:, 0]
    end_ratings = [full_history.learning_curves()["a"][index][1].mu for index in (0, -1)]
    assert curve.tolist() == pytest.approx(
        [end_ratings[0], end_ratings[0] + (end_ratings[1] - end_ratings[0]) / 3, end_ratings[1]]
    )


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
