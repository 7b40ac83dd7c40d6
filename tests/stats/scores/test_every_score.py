"""What every score must satisfy, including scores that are added later."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from tests.helpers.frames import FACTS, losing, run_of
from wordpl.core.messages import UserError
from wordpl.core.moves import GameFacts, Verdict
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.guess_luck import GuessLuck
from wordpl.stats.hypothesis_tests import better_means, mean_bounds
from wordpl.stats.scores import main_score, require_score, scores_for

MEASURES = ("budget", "guesses", "tries")
SCORES = [
    pytest.param(score, measure, id=f"{score.name}-{measure}")
    for measure in MEASURES
    for score in scores_for(FACTS[measure])
]
every_score = pytest.mark.parametrize(("score", "measure"), SCORES)


@cache
def some_games(measure, n=60):
    rng = np.random.default_rng(5)
    costs = rng.gamma(4, 6, n) if measure == "budget" else rng.integers(2, 7, n).astype(float)
    return run_of({"one": losing(costs, 0.1, rng)}, measure).assign(posterior=rng.random(n))


@every_score
def test_the_interval_holds_the_value(score, measure):
    estimate = score(score.per_game(some_games(measure)))
    assert estimate.low <= estimate.value <= estimate.high


@every_score
def test_a_resample_has_the_score_of_the_games_it_consists_of(score, measure):
    values = score.per_game(some_games(measure, 101))  # percentiles are costs of games, and not interpolated
    counts = np.random.default_rng(6).multinomial(len(values), np.full(len(values), 1 / len(values)), size=20).T
    expected = [score(np.repeat(values, repeats)).value for repeats in counts.T]
    assert np.allclose(score.resampled(np.array([values, values[::-1]]), counts)[0], expected)


@cache
def few_games(measure, *costs):
    return run_of({"one": list(costs)}, measure)


@every_score
@pytest.mark.parametrize("costs", [[np.inf], [3.0], [np.inf] * 30, [1e308] * 9, [4.0, np.inf]], ids=str)
def test_few_games_only_losses_and_huge_costs_are_handled(score, measure, costs):
    values = score.per_game(few_games(measure, *costs))
    estimate = score(values)
    assert np.isnan(estimate.value) or estimate.low <= estimate.value <= estimate.high or np.isnan(estimate.low)
    score.resampled(values[None], np.ones((len(values), 2), np.int32))


@pytest.mark.parametrize("measure", MEASURES)
def test_score_names_are_unique_and_exactly_one_score_decides_the_order(measure):
    scores = scores_for(FACTS[measure])
    assert len({score.name for score in scores}) == len(scores)
    assert sum(score.main for score in scores) == 1
    assert all(score.lower_is_better is not None for score in scores if score.main)


@pytest.mark.parametrize(
    ("limit", "names"), [(3, ["mean_guesses"]), (4, ["mean_guesses"]), (5, ["mean_guesses", "solved_in_4"])]
)
def test_a_lost_game_of_any_limit_counts_as_one_guess_more(limit, names):
    scores = [score for score in scores_for(GameFacts.of_guesses("own/1", limit)) if score.shown == "always"]
    assert [score.name for score in scores] == names
    assert scores[0].head == f"mean (X = {limit + 1})"
    assert scores[0].per_game(pd.DataFrame({"cost": [2.0, np.inf]})).tolist() == [2.0, limit + 1.0]


def test_a_lost_game_measured_in_tries_counts_as_101_tries():
    (score,) = (score for score in scores_for(FACTS["tries"]) if score.name == "mean_tries")
    assert score.per_game(pd.DataFrame({"cost": [3.0, np.inf]})).tolist() == [3.0, 101.0]


COLUMNS = {  # name: heading, whether lower is better, percentage, decimals, where it is shown
    "budget": {
        "mean_budget_won": ("mean if won", None, False, 1, "csv"),
        "p_win": ("P(win)", False, True, 1, "always"),
        "mean_cost": ("mean cost", True, False, 1, "always"),
        "p05": ("p05", True, False, 1, "always"),
        "p50": ("p50", True, False, 1, "always"),
        "p95": ("p95", True, False, 1, "always"),
    },
    "guesses": {
        "mean_guesses": ("mean (X = 7)", True, False, 3, "always"),
        "solved_in_4": ("in 4", False, True, 1, "always"),
        "p05": ("p05", True, False, 1, "csv"),
        "p50": ("p50", True, False, 1, "csv"),
        "p95": ("p95", True, False, 1, "csv"),
    },
    "tries": {
        "mean_tries": ("mean (lost = 101)", True, False, 3, "always"),
        "p05": ("p05", True, False, 1, "csv"),
        "p50": ("p50", True, False, 1, "csv"),
        "p95": ("p95", True, False, 1, "csv"),
    },
    None: {"won": ("won", False, True, 1, "wide")}
    | {
        verdict.replace(" ", "_"): (str(verdict), None, True, 1, "if any")
        for verdict in Verdict
        if verdict != Verdict.WON
    },
}


@pytest.mark.parametrize("measure", MEASURES)
def test_each_score_has_its_heading_direction_and_decimals(measure):
    columns = {
        score.name: (score.head, score.lower_is_better, score.percent, score.digits, score.shown)
        for score in scores_for(FACTS[measure])
    }
    assert columns == columns | COLUMNS[measure] | COLUMNS[None]
    main_name = {"budget": "p50", "guesses": "mean_guesses", "tries": "mean_tries"}[measure]
    assert [score.name for score in scores_for(FACTS[measure]) if score.main] == [main_name]


def score_named(name, measure, *arguments):
    return next(score for score in scores_for(FACTS[measure], *arguments) if score.name == name)


def test_a_lost_game_costs_100_by_default_and_no_game_costs_more():
    games = run_of({"one": [30.0, 40.0, 150.0, np.inf]})
    assert score_named("mean_cost", "budget").per_game(games).tolist() == [30, 40, 100, 100]
    assert score_named("mean_cost", "budget", 40.0).per_game(games).tolist() == [30, 40, 40, 40]
    assert score_named("p50", "budget", 40.0).per_game(games).tolist() == [30, 40, 150, np.inf]


def test_the_mean_of_won_games_ignores_lost_games_of_any_weight():
    score = score_named("mean_budget_won", "budget")
    values = score.per_game(run_of({"one": [3.0, np.inf, 5.0]}))
    assert np.array_equal(values, [3, np.nan, 5], equal_nan=True)
    weights = np.array([[0.25, 0.0], [2.5, 3.0], [0.25, 0.0]])
    assert np.array_equal(score.resampled(values[None], weights), [[4, np.nan]], equal_nan=True)
    empty_estimate = score(np.array([np.nan, np.nan]))
    assert np.isnan([empty_estimate.value, empty_estimate.low, empty_estimate.high]).all()
    assert score(values).value == 4
    low, high = t.interval(0.9, 2, 6, np.std([3, 5, 10], ddof=1) / np.sqrt(3))
    student = score(np.array([3, 5, np.nan, 10]), confidence=0.9)
    assert (student.value, student.low, student.high) == pytest.approx((6, low, high))
    assert np.isnan(score(np.array([5.0, 5.0])).low), "equal values have no error of Student's"


def test_the_interval_of_a_probability_ends_at_0_and_1():
    score = score_named("p_win", "budget")
    assert np.isnan(score.per_game(run_of({"one": [3.0]}))).all()  # a run without posteriors
    low, high, middle = score(np.array([0, 0, 0.1])), score(np.array([1, 1, 0.9])), score(np.linspace(0.4, 0.6, 999))
    assert 0 <= low.low < 0.001 < 0.999 < high.high <= 1
    assert 0 < high.low < high.value < 1
    assert 0 < low.value < low.high < 1
    above, below = score(np.array([1.2, 1.1, 1.0])), score(np.array([-0.2, -0.1, 0.0]))
    assert (above.value, above.high, below.value, below.low) == (1, 1, 0, 0), "without luck, a game may be worth more"
    margin = 1.96 * 0.1155 / np.sqrt(2 * 999)  # a normal interval, which that of 999 games is close to
    assert (middle.low, middle.high) == pytest.approx((0.5 - margin, 0.5 + margin), abs=0.002)


@pytest.mark.parametrize("n", [1, 2, 3, 20])
@pytest.mark.parametrize("q", [0.05, 0.5, 0.95])
def test_quantiles_of_resamples_of_few_games_match_the_definition(n, q):
    score, rng = score_named(f"p{round(100 * q):02}", "budget"), np.random.default_rng(n)
    values = np.array([rng.permutation(np.arange(1.0, n + 1)), np.arange(n, 0.0, -1)])
    weights = rng.standard_exponential((n, 50))
    weights *= n / weights.sum(axis=0)
    for quantiles, row in zip(score.resampled(values, weights), values, strict=True):
        expected = [
            min(value for value in row if weights[row <= value, draw].sum() >= n * q * (1 - 1e-9)) for draw in range(50)
        ]
        assert quantiles.tolist() == expected


def test_a_board_is_ordered_by_the_chosen_score_if_it_shows_its_ranks():
    for name, expected in (("", "p50"), ("p05", "p05"), ("won", "p50"), ("mean_guesses", "p50"), ("late", "p50")):
        assert main_score(FACTS["budget"], name).name == expected
    assert require_score("mean_guesses") == "mean_guesses"
    for name in ("p5", "won", "late"):
        with pytest.raises(UserError, match=f"no board is ordered by '{name}'.*mean_cost.*p05"):
            require_score(name)


def test_wins_are_credited_within_a_number_of_guesses_and_counted_where_the_answer_is_a_move():
    fields = np.array([1.0, 0.0]), np.array([4.0, 6.0]), np.array([0, 1, 2]), np.zeros(2), np.zeros(2), np.ones(2)
    noisy, classic = (
        LuckCorrected(np.arange(2), luck) for luck in (ClueLuck(*fields), GuessLuck(*fields, np.zeros((2, 6))))
    )
    for name, credited in (("won", [1, 0]), ("solved_in_4", [1, 0]), ("crashed", None)):
        score = score_named(name, "guesses")
        assert score.without_luck(noisy) is score.lost(noisy) is None
        found = score.without_luck(classic)
        assert (found if found is None else found.tolist()) == credited


def test_without_luck_a_lost_game_may_be_worse_than_a_counted_one():
    """It is as bad as the mean of the four worst values that games would have had if they had been lost."""
    values, lost = np.full(60, 4.0), np.r_[[12.0] * 4, [8.0] * 56]
    score = score_named("mean_guesses", "guesses")
    assert score(values, lost).high == pytest.approx(mean_bounds(values, 1.0, 12.0)[1])
    assert score(values, lost).high > score(values).high + 0.1
    shares, lost_shares = np.array([[0.55] * 60, [0.5] * 60]), np.full((2, 60), -1.5)
    for name in ("won", "solved_in_4"):
        found = score_named(name, "guesses").p_values(shares, lost_shares)
        assert found == pytest.approx(better_means(shares, 1.0, lost_shares))
        assert found[0, 1] > better_means(shares, 1.0)[0, 1] + 0.01
        wide, narrow = (score_named(name, "guesses")(shares[0], lost_shares[0], confidence=c) for c in (0.99, 0.9))
        assert wide.high - wide.low > narrow.high - narrow.low
