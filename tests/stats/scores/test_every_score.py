"""What holds for each scoring rule, also for one that was added without asking."""

import numpy as np
import pandas as pd
import pytest

from tests.helpers.frames import losing, run_of
from wordpl.stats.scores import scores_for

MEASURES = ("budget", "guesses", "tries")
SCORES = [
    pytest.param(score, measure, id=f"{score.name}-{measure}") for measure in MEASURES for score in scores_for(measure)
]
every_score = pytest.mark.parametrize(("score", "measure"), SCORES)


def some_games(measure, n=60):
    rng = np.random.default_rng(5)
    costs = rng.gamma(4, 6, n) if measure == "budget" else rng.integers(2, 7, n).astype(float)
    return run_of({"one": losing(costs, 0.1, rng)}, measure).assign(posterior=rng.random(n))


@every_score
def test_the_interval_holds_the_value(score, measure):
    found = score(score.per_game(some_games(measure)))
    assert found.low <= found.value <= found.high


@every_score
def test_a_resample_scores_what_its_games_would_score(score, measure):
    values = score.per_game(some_games(measure))
    counts = np.random.default_rng(6).multinomial(len(values), np.full(len(values), 1 / len(values)), size=20).T
    alone = [score(np.repeat(values, taken)).value for taken in counts.T]
    assert np.allclose(score.resampled(np.array([values, values[::-1]]), counts)[0], alone)


@every_score
@pytest.mark.parametrize("costs", [[np.inf], [3.0], [np.inf] * 30, [1e308] * 9, [4.0, np.inf]], ids=str)
def test_few_lost_and_huge_games_make_no_trouble(score, measure, costs):
    values = score.per_game(run_of({"one": costs}, measure))
    found = score(values)
    assert np.isnan(found.value) or found.low <= found.value <= found.high or np.isnan(found.low)
    score.resampled(values[None], np.ones((len(values), 2), np.int32))


@pytest.mark.parametrize("measure", MEASURES)
def test_names_differ_and_one_score_decides_the_order(measure):
    scores = scores_for(measure)
    assert len({score.name for score in scores}) == len(scores)
    assert sum(score.main for score in scores) == 1
    assert all(score.lower_is_better is not None for score in scores if score.main)


def test_a_higher_share_or_probability_of_wins_is_better_and_fewer_guesses_and_a_lower_cost_are():
    higher = {score.name for measure in MEASURES for score in scores_for(measure) if not score.lower_is_better}
    assert {"p_win"} <= higher
    assert not {"p05", "p50", "p95", "mean_cost", "mean_guesses", "mean_tries"} & higher


def test_a_lost_game_of_unlimited_guesses_counts_as_one_more_than_the_most():
    (score,) = (score for score in scores_for("tries") if score.name == "mean_tries")
    assert score.per_game(pd.DataFrame({"cost": [3.0, np.inf]})).tolist() == [3.0, 101.0]


def test_shares_and_probabilities_are_percentages_and_means_of_guesses_have_three_decimals():
    found = {score.name: score for measure in MEASURES for score in scores_for(measure)}
    assert {name for name, score in found.items() if score.percent} >= {"won", "wrong", "p_win", "solved_in_4"}
    assert not {name for name, score in found.items() if score.percent and score.measure} - {"p_win", "solved_in_4"}
    assert {name for name, score in found.items() if score.digits != 1} <= {"mean_guesses", "mean_tries"}
    assert found["mean_guesses"].digits == 3


def test_tables_show_the_quantiles_of_budgets_and_are_sorted_by_the_median():
    found = {score.name: score for score in scores_for("budget")}
    assert [found[name].main for name in ("p05", "p50", "p95", "mean_cost", "p_win")] == [False, True] + 3 * [False]
    assert {found[name].shown for name in ("p05", "p50", "p95")} == {"always"}
    assert [found[name].head for name in ("p05", "p50", "p95")] == ["p05", "p50", "p95"]
    assert {score.shown for score in scores_for("guesses") if score.name in ("p05", "p50", "p95")} == {"csv"}
