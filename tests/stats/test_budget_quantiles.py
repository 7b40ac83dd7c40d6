from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm

from wordpl.stats.budget_quantiles import (
    BudgetQuantile,
    chances_of_being_best,
    covariance_of_means,
    lower_quantiles,
    probable_near,
    probable_quantiles,
    probable_scores,
    shows_distance,
)
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import mean_bounds, p_value, worst_value


def entry(p_win, budget, n=2001, seed=0, spread=0.1):
    """Return an entry that always spends `budget`, or the budgets of an array, for two guesses in each game."""
    rng = np.random.default_rng(seed)
    answer = np.clip(rng.normal(p_win, spread, n), 0, 1)
    answer += p_win - answer.mean()
    spent = np.broadcast_to(np.asarray(budget, float), n).copy()
    luck = rng.normal(0, 1e-6, 2 * n)
    return LuckCorrected(
        np.arange(n),
        ClueLuck(answer, spent, np.arange(0, 2 * n + 1, 2), luck, np.zeros(2 * n), np.repeat(spent, 2)),
    )


def test_of_entries_that_win_often_enough_the_cheaper_one_has_the_lower_quantile():
    p = lower_quantiles([entry(0.55, 30.0), entry(0.6, 35.0, seed=1)], 0.5)
    assert p[0, 1] < 1e-6
    assert p[1, 0] == 1


def test_an_entry_that_wins_often_enough_beats_a_cheaper_one_that_does_not():
    p = lower_quantiles([entry(0.55, 30.0), entry(0.45, 20.0, seed=1)], 0.5)
    assert p[0, 1] < 1e-6
    assert p[1, 0] > 0.99


def test_entries_that_win_too_few_games_are_not_told_apart():
    p = lower_quantiles([entry(0.3, 30.0), entry(0.4, 20.0, seed=1)], 0.5)
    assert ((p > 0.1) & (p <= 1)).all()


def test_entries_close_to_the_share_are_told_apart_by_the_test_of_their_wins():
    first, second = entry(0.505, 30.0), entry(0.9, 40.0, seed=1)
    worst = worst_value(first.lost(first.win), 0.0)
    assert lower_quantiles([first, second], 0.5)[0, 1] == pytest.approx(p_value(first.win, 0.5, worst))


@pytest.mark.parametrize("n_boards", [120, pytest.param(800, marks=pytest.mark.slow)])
def test_shares_that_both_touch_the_level_call_no_entry_better_too_often(n_boards):
    rng, n, q = np.random.default_rng(3), 2001, 0.5
    n_false = 0
    for _ in range(n_boards):
        is_early = rng.random(n) < 0.53
        won = is_early & (rng.random(n) < (q - 1e-6) / 0.53)
        first = entry_of_games(np.where(is_early, 10.0, 30.0), np.where(is_early, won, True))
        second = entry_of_games(np.full(n, 20.0), rng.random(n) < q)
        n_false += lower_quantiles([first, second], q)[0, 1] < 0.025  # the first wins 50% only within 30
    assert binom.sf(n_false - 1, n_boards, 0.025) > 0.001


def entry_of_games(spent, won):
    """Return an entry whose answers are certain, so that its games have no luck."""
    n = len(won)
    luck = ClueLuck(won.astype(float), spent, np.arange(n + 1), np.zeros(n), np.zeros(n), spent)
    return LuckCorrected(np.arange(n), luck)


@pytest.mark.parametrize("n_budgets", [5, 2001])
def test_budgets_that_vary_are_told_apart_by_their_quantiles(n_budgets):
    budgets = np.tile(np.linspace(20, 40, n_budgets), 2001)[:2001]
    first, second = entry(0.95, budgets), entry(0.95, 1.2 * budgets, seed=1)
    p = lower_quantiles([first, second, entry(0.95, budgets, seed=2)], 0.5)
    assert p[0, 1] < 1e-6
    assert p[1, 0] > 0.1
    assert min(p[0, 2], p[2, 0]) > 0.01


@pytest.mark.long
@pytest.mark.parametrize("varies", [False, True])
def test_equal_entries_are_rarely_called_better(varies):
    rng, n, n_boards = np.random.default_rng(1), 400, 400
    n_false = 0
    for board in range(n_boards):
        pair = []
        for side in (0, 1):
            games = entry(0.9 if varies else 0.5, rng.gamma(9, 3, n) if varies else 30.0, n, 2 * board + side, 0.3)
            pair.append(replace(games, luck=replace(games.luck, answer=(rng.random(n) < games.luck.answer) * 1.0)))
        n_false += lower_quantiles(pair, 0.5)[0, 1] < 0.025
    assert n_false / n_boards <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / n_boards)


def test_the_curve_of_an_entry_ends_at_its_share_of_wins():
    quantile = BudgetQuantile(entry(0.9, np.repeat([10.0, 20.0, 30.0], 667)), 0.5)
    assert quantile.curve == pytest.approx([0.3, 0.6, 0.9], abs=0.01)
    assert list(quantile.at_share(np.array([0.1, 0.5, 0.7, 0.95]))) == [10.0, 20.0, 30.0, np.inf]


def test_the_curve_of_an_entry_does_not_fall_where_only_luck_was_paid_for():
    spent, luck = np.repeat([10.0, 20.0], 50), np.repeat([0.0, 0.1], 50)
    games = ClueLuck(np.repeat([0.8, 0.0], 50), spent, np.arange(101), luck, np.zeros(100), spent)
    quantile = BudgetQuantile(LuckCorrected(np.arange(100), games), 0.5)
    assert [quantile.entry.win_within(budget).mean() for budget in (10, 20)] == pytest.approx([0.4, 0.35])
    assert list(quantile.curve) == pytest.approx([0.4, 0.4])


def test_probable_quantiles_are_the_budget_or_infinite():
    entries = [entry(0.5, 30.0), entry(0.505, 35.0, seed=1), entry(0.9, 40.0, seed=2), entry(0.1, 5.0, seed=3)]
    drawn = probable_quantiles(entries, 0.5, np.random.default_rng(2), 4000)
    assert np.mean(drawn[0] == 30) == pytest.approx(0.5, abs=0.05)
    assert np.mean(drawn[1] == 35) > 0.95
    assert (drawn[2] == 40).all()
    assert np.isinf(drawn[3]).all()


def test_probable_quantiles_of_varying_budgets_surround_the_estimate():
    budgets = np.random.default_rng(4).gamma(9, 3, 2001)
    entries = [entry(0.95, budgets * factor, seed=number) for number, factor in enumerate((1.0, 1.05, 1.5))]
    drawn = probable_quantiles(entries, 0.5, np.random.default_rng(5))
    medians = [np.median(row) for row in drawn]
    assert medians[0] < medians[1] < medians[2]
    assert medians[0] == pytest.approx(np.quantile(budgets, 0.5 / 0.95), rel=0.03)


@pytest.mark.slow
def test_the_leader_of_a_frontier_near_a_level_is_as_often_the_best_as_said():
    rng, level, error, said, was = np.random.default_rng(4), 0.5, 0.0033, [], []
    for _ in range(400):
        k = int(rng.integers(2, 7))
        true = np.sort(level + rng.uniform(-0.01, 0.01, k))
        estimates = true + error * rng.standard_normal(k)
        drawn = probable_near(level, estimates, error**2 * np.eye(k), np.arange(k) + 30.0, rng, 400)
        worth = np.where(drawn >= level, -np.arange(k)[:, None], -np.inf)
        chances = chances_of_being_best(worth)
        said.append(chances.max())
        was.append(bool((true >= level).any() and (true >= level).argmax() == chances.argmax()))
    expected = np.sqrt(np.mean(np.array(said) * (1 - np.array(said))) / len(said))
    assert abs(np.mean(said) - np.mean(was)) < 3.5 * expected


def test_entries_at_the_level_show_no_distance_from_it():
    """Three entries that are 1.2 standard errors away are no evidence, as one of them would not be."""
    gaps = 1.2 * 0.1 / np.sqrt(2001) * np.array([1, -1, 1])
    close, far = [entry(0.5 + gap, 30.0 + i, seed=i) for i, gap in enumerate(gaps)], entry(0.52, 40.0)
    varies = entry(0.9, np.resize([20.0, 30.0], 2001), seed=4)
    assert not shows_distance(close, 0.5)
    assert not shows_distance([*close, varies], 0.5), "only entries that always pay the same are close to a level"
    assert shows_distance([*close, far], 0.5)


def test_two_entries_shrink_towards_each_other():
    """The spread s has the density 1 / sqrt(s^2 + 4); given it, the difference is normal by Bayes' rule."""
    drawn = probable_scores(np.array([0.0, 1.0]), np.eye(2), np.random.default_rng(5), 40_000)
    spreads = np.geomspace(1e-2, 1e4, 4000)
    weights = norm.pdf(1, 0, np.sqrt(2 * spreads**2 + 2)) / np.sqrt(spreads**2 + 4) * spreads  # per step of the grid
    mean, deviation = spreads**2 / (spreads**2 + 1), np.sqrt(2 * spreads**2 / (spreads**2 + 1))
    expected = np.average(norm.cdf(mean / deviation), weights=weights)
    assert (drawn[1] > drawn[0]).mean() == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("p_win", "confidence", "expected"),
    [
        (0.89, 0.95, (np.inf, np.inf, np.inf)),
        (0.898, 0.95, (np.inf, 30, np.inf)),
        (0.915, 0.95, (30, 30, np.inf)),
        (0.915, 0.5, (30, 30, 30)),
        (0.95, 0.95, (30, 30, 30)),
    ],
)
def test_a_quantile_is_known_if_the_interval_of_wins_does_not_reach_the_share(p_win, confidence, expected):
    """Of 100 equal games, the interval goes 3.6% of the way to 0, and 3.6% of the way to 1."""
    found = BudgetQuantile(entry(p_win, 30.0, n=100, spread=1e-5), 0.9).estimate(confidence)
    assert (found.value, found.low, found.high) == expected


def test_luck_that_lost_games_may_have_had_makes_a_quantile_less_sure():
    """Without luck, all games are worth 0.525; a lost one would be worth up to 0.4 less than nothing."""
    luck = np.tile([-0.4, 0.4], 50)
    games = ClueLuck(0.525 + luck, np.full(100, 30.0), np.arange(101), luck, np.zeros(100), np.full(100, 30.0))
    assert BudgetQuantile(LuckCorrected(np.arange(100), games), 0.5).estimate().high == np.inf
    assert mean_bounds(np.full(100, 0.525), 0.0, 1.0)[0] > 0.5


def test_a_quantile_is_finite_in_the_draws_in_which_wins_reach_the_share():
    entries = [entry(0.49, 30.0), entry(0.502, 35.0, seed=1), entry(0.51, 40.0, seed=2)]
    wins = np.array([own.win for own in entries])
    shares = probable_near(
        0.5, wins.mean(axis=1), covariance_of_means(wins), np.array([30.0, 35, 40]), np.random.default_rng(6), 500
    )
    drawn = probable_quantiles(entries, 0.5, np.random.default_rng(6), 500)
    assert np.array_equal(np.isfinite(drawn), shares >= 0.5)
