from dataclasses import replace

import numpy as np
import pytest

from wordpl.stats.budget_quantiles import BudgetQuantile, lower_quantiles, probable_quantiles
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import p_value


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
    assert (lower_quantiles([entry(0.3, 30.0), entry(0.4, 20.0, seed=1)], 0.5) > 0.1).all()


def test_entries_close_to_the_share_are_told_apart_by_the_test_of_their_wins():
    first, second = entry(0.505, 30.0), entry(0.9, 40.0, seed=1)
    assert lower_quantiles([first, second], 0.5)[0, 1] == pytest.approx(p_value(first.win, 0.5, 0.0))


@pytest.mark.parametrize("n_budgets", [5, 2001])
def test_budgets_that_vary_are_told_apart_by_their_quantiles(n_budgets):
    budgets = np.tile(np.linspace(20, 40, n_budgets), 2001)[:2001]
    first, second = entry(0.95, budgets), entry(0.95, 1.2 * budgets, seed=1)
    p = lower_quantiles([first, second, entry(0.95, budgets, seed=2)], 0.5)
    assert p[0, 1] < 1e-6
    assert p[1, 0] > 0.1
    assert min(p[0, 2], p[2, 0]) > 0.01


@pytest.mark.slow
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
