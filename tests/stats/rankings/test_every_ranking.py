"""What every ranking must satisfy, including rankings that are added later."""

import numpy as np
import pandas as pd
import pytest

from tests.helpers.frames import run_of
from tests.helpers.simulated_league import league, results
from wordpl.core.messages import UserError
from wordpl.core.moves import GameFacts
from wordpl.stats.rankings import RANKINGS, Sheet, curves, find, results_of

COLUMNS = ["player", "rating", "low", "high", "n_games", "place", "place_low", "place_high", "tier"]
STRENGTHS = np.linspace(3.2, 4.8, 6)
every_ranking = pytest.mark.parametrize("ranking", RANKINGS.values(), ids=lambda ranking: ranking.name)


def some_results(n_days=12, seed=1):
    return league(STRENGTHS, n_days, np.random.default_rng(seed))


def with_few_resamples(ranking):
    """Return the ranking with few resamples, as most tests are not about these."""
    return ranking.with_settings(draws=10)


@every_ranking
@pytest.mark.long  # simulated leagues
def test_known_strengths_are_recovered_within_their_intervals(ranking):
    n_leagues, n_days = 10, 30
    tables = [
        ranking(some_results(n_days, seed), draws=40).set_index("player").sort_index() for seed in range(n_leagues)
    ]
    ratings = np.array([table["rating"] for table in tables])
    direction = -1 if ranking.higher_is_better else 1
    correlations = [np.corrcoef(np.argsort(np.argsort(direction * row)), range(6))[0, 1] for row in ratings]
    assert np.mean(correlations) > 0.8  # 0.88 ± 0.03 through time and 0.90 to 0.95 otherwise, in 30 leagues
    mean_ratings = ratings.mean(axis=0)
    share_held = np.mean([(table["low"] <= mean_ratings) & (mean_ratings <= table["high"]) for table in tables])
    assert share_held >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / (2 * n_leagues))  # a league's intervals are as good as two
    places = np.arange(1, 7)
    share_of_places_held = np.mean(
        [(table["place_low"] <= places) & (places <= table["place_high"]) for table in tables]
    )
    assert share_of_places_held >= 0.9


@every_ranking
def test_the_order_of_the_rows_does_not_matter(ranking):
    played = some_results()
    ordered, shuffled = (with_few_resamples(ranking)(rows) for rows in (played, played.sample(frac=1, random_state=2)))
    pd.testing.assert_frame_equal(ordered, shuffled)
    assert list(ordered.columns) == COLUMNS
    assert ordered["place"].is_monotonic_increasing


@every_ranking
def test_equal_players_share_place_and_tier(ranking):
    days = [{"a": guesses, "b": guesses} for guesses in (3, 4, 5, 4, 4, 2, 7, 4)]
    table = ranking(results(*days), draws=10, **({"start_of_day": True} if "elo" in ranking.name[:3] else {}))
    assert table["rating"].iloc[0] == pytest.approx(table["rating"].iloc[1], abs=0.1)
    assert table["tier"].tolist() == [1, 1]


@every_ranking
@pytest.mark.parametrize(
    "played",
    [
        results(),
        results({"a": 4}),
        results({"a": 7}),
        results({"a": 4}, {"b": 5}),
        results(*[{"a": 4}] * 6),
        results(*[{"a": 4, "b": 4}] * 6),
        results(*[{"a": 1, "b": 7}] * 6, {"c": 4}),
    ],
    ids=["nothing", "one result", "one X", "never met", "alone", "all equal", "one sided"],
)
def test_few_and_unusual_results_are_handled(ranking, played):
    for x_is_seven in (True, False):
        table = with_few_resamples(ranking)(played, x_is_seven=x_is_seven)
        assert list(table.columns) == COLUMNS
        assert np.isfinite(table["rating"]).all()
        assert (table.loc[table["n_games"] < 5, ["low", "high"]].isna()).all(axis=None)


@every_ranking
def test_players_below_the_cutoff_are_not_shown(ranking):
    all_results = pd.concat([some_results(10), results({"rare": 2}, {"rare": 2})])
    assert "rare" not in set(with_few_resamples(ranking)(all_results, game_cutoff=3)["player"])
    assert "rare" in set(with_few_resamples(ranking)(all_results, game_cutoff=2)["player"])


@every_ranking
def test_curves_end_at_the_ratings_of_the_table(ranking):
    played = some_results(20)
    points = curves(played, ranking, n_points=5)
    last_points = points.groupby("player").last()
    table = with_few_resamples(ranking)(played).set_index("player").sort_index()
    assert points["day"].nunique() == 5
    assert np.allclose(last_points["rating"], table["rating"])
    assert np.array_equal(last_points["n_games"], table["n_games"])


@every_ranking
def test_a_day_that_counts_twice_rates_like_two_equal_days(ranking):
    sheet, counts = Sheet.of(some_results(6)), np.array([1, 2, 0, 1, 3, 1])
    repeated = Sheet(sheet.players, np.arange(8), np.repeat(sheet.guesses, counts, axis=0))
    expected = ranking.rate(repeated, np.ones(8, int))
    assert ranking.rate(sheet, counts) == pytest.approx(expected, abs=0.02 * np.ptp(expected))


def test_a_player_s_curve_begins_with_the_first_result_and_counts_results():
    played = results({"a": 4}, {"a": 3, "b": 5}, {"b": 2}, {"a": 6, "b": 3, "c": 4})
    points = curves(played, RANKINGS["elo"])
    assert points["player"].tolist() == ["a"] * 4 + ["b"] * 3 + ["c"]
    assert points["day"].tolist() == [0, 1, 2, 3, 1, 2, 3, 3]
    assert points["n_games"].tolist() == [1, 2, 2, 3, 1, 2, 3, 1]
    points_above_cutoff = curves(played, RANKINGS["elo"].with_settings(game_cutoff=3), n_points=2)
    assert list(zip(points_above_cutoff["player"], points_above_cutoff["day"], strict=True)) == [
        ("a", 0),
        ("a", 3),
        ("b", 3),
    ]


@every_ranking
def test_the_entries_of_a_run_can_be_ranked_like_people(ranking):
    hardness = np.random.default_rng(3).gamma(3, 10, 40) + 5
    run = run_of({"dear": hardness * 3, "cheap": hardness, "lost": [np.inf] * 40})
    assert with_few_resamples(ranking)(results_of(run))["player"].tolist() == ["cheap", "dear", "lost"]


def test_results_of_a_run_have_its_guesses_and_x_for_lost_games():
    run_results = results_of(run_of({"a": [3, 6, np.inf]}, "guesses"))
    assert run_results["guesses"].tolist() == [3, 6, 7]
    assert run_results["day"].tolist() == [0, 1, 2]
    of_seven = run_of({"a": [*range(1, 8), np.inf]}, "guesses").assign(facts=GameFacts.of_guesses("own/1", 7).as_text())
    assert results_of(of_seven)["guesses"].tolist() == [1, 1, 2, 3, 4, 5, 6, 7], "7 guesses would count as X"


def test_budgets_are_graded_in_sixths_of_all_games_that_were_won():
    costs = [*range(1, 13), np.inf, *range(13, 25)]
    grades = results_of(run_of({"a": costs}))["guesses"].tolist()
    assert grades == [1] * 4 + [2] * 4 + [3] * 4 + [7] + [4] * 4 + [5] * 4 + [6] * 4
    assert results_of(run_of({"a": [np.inf, np.inf]}))["guesses"].tolist() == [7, 7]
    # a cost at a bound gets the better grade
    assert results_of(run_of({"a": range(1, 8)}))["guesses"].tolist() == [1, 1, 2, 3, 4, 5, 6]


def test_a_run_of_two_games_is_refused():
    run = run_of({"a": [3, 6]}, "guesses")
    run_of_two_games = pd.concat([run, run.assign(rules="wordle-hard/1", entry="b")])
    with pytest.raises(UserError, match="results of a single game; the run has wordle/1, wordle-hard/1"):
        results_of(run_of_two_games)


def test_an_unknown_ranking_is_refused_with_the_valid_ones():
    with pytest.raises(UserError, match=r"no ranking called 'means'. Did you mean 'mean'.*Rankings: .*total"):
        find("means")


@pytest.mark.parametrize(
    "played, complaint",
    [
        (results({"a": 8}), "1 to 6, or 7 for X; got 8"),
        (pd.concat([results({"a": 3}), results({"a": 4})]), "'a' has two results for day 0"),
        (results({"a": 3}).drop(columns="day"), "there is no day"),
    ],
)
def test_invalid_results_are_refused_with_the_reason(played, complaint):
    with pytest.raises(UserError, match=complaint):
        RANKINGS["mean"](played)


def test_an_unknown_setting_is_refused_with_the_valid_ones():
    with pytest.raises(UserError, match=r"elo has no setting 'kk'.*game_cutoff, k, per_opponent"):
        RANKINGS["elo"](some_results(), kk=3)
