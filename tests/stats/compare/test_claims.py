from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tests.helpers.frames import losing, run_of
from wordpl.stats.compare import judge, shown_budget
from wordpl.stats.compare.differences import judgements, pairs

QUANTILES = pytest.mark.parametrize("q", [0.05, 0.5, 0.95])


def games(n_won, n, budget=14.0):
    return np.where(np.arange(n) < n_won, budget, np.inf)


@QUANTILES
def test_an_entry_at_the_quantile_passes_in_at_most_5_of_100_runs(q):
    n = 2000
    n_needed = next(n_won for n_won in range(n + 1) if judge(games(n_won, n), q, 14.0).is_shown)
    assert binom.sf(n_needed - 1, n, q) <= 0.05 < binom.sf(n_needed - 2, n, q)


@QUANTILES
def test_the_budget_shown_is_the_smallest_with_a_valid_claim(q):
    rng = np.random.default_rng(1)
    costs = losing(rng.integers(20, 60, 500).astype(float), 0.02, rng)
    smallest = shown_budget(costs, q)
    for budget in np.unique(costs[np.isfinite(costs)]):
        assert judge(costs, q, budget).is_shown == (budget >= smallest)


def test_too_few_games_show_no_budget():
    assert shown_budget(np.full(50, 3.0), 0.95) == np.inf


def test_epsilons_that_add_up_to_a_budget_are_within_it():
    total = 0.1 + 0.2
    assert total > 0.3
    assert judge(np.full(100, total), 0.5, 0.3).n_won == 100


def test_a_record_takes_20000_games():
    assert [judge(games(n, n), 0.5, 14.0).is_record for n in (19_999, 20_000)] == [False, True]


def test_the_interval_of_a_paired_difference_holds_it_in_95_of_100_runs():
    rng, n_runs, n_holding = np.random.default_rng(2), 400, 0
    for _ in range(n_runs):
        outcomes = rng.choice(4, p=[0.5, 0.2, 0.08, 0.22], size=150)  # both, the first alone, the second alone, none
        result = pairs(outcomes <= 1, (outcomes == 0) | (outcomes == 2))
        n_holding += result.low <= 0.12 <= result.high
    assert abs(n_holding / n_runs - 0.95) <= 3 * np.sqrt(0.05 * 0.95 / n_runs)


def test_the_p_value_of_a_pair_is_that_of_coin_tosses():
    result = pairs(np.arange(100) < 9, np.arange(100) >= 97)
    assert (result.only_first, result.only_second) == (9, 3)
    assert result.p_value == pytest.approx(2 * (1 + 12 + 66 + 220) / 2**12)


def test_judgements_come_in_the_order_of_the_run():
    run = run_of({"second": [4.0, 9.0], "first": [3.0, np.inf]})
    judged = judgements(run, 0.5, 5.0, None)
    assert [(judgement.name, judgement.claim.n_won, judgement.reading) for judgement in judged] == [
        ("second", 1, None),
        ("first", 1, None),
    ]


@QUANTILES
@pytest.mark.parametrize("n", [60, 100, 333])
def test_the_budget_shown_is_a_one_sided_bound_of_the_quantile(n, q):
    rank = next((rank for rank in range(1, n + 1) if binom.cdf(rank - 1, n, q) >= 0.95), np.inf)
    assert shown_budget(np.random.default_rng(n).permutation(np.arange(1.0, n + 1)), q) == rank


def test_a_free_game_is_within_a_budget_of_zero():
    assert judge(np.array([0.0, 0.0, 1e-12, np.inf]), 0.5, 0.0).n_won == 2


def test_a_claim_has_two_sided_and_one_sided_clopper_pearson_bounds():
    claim = judge(games(60, 100), 0.5, 14.0)
    assert (claim.q, claim.budget, claim.n_games, claim.n_won, claim.share) == (0.5, 14.0, 100, 60, 0.6)
    two_sided, one_sided = (binomtest(60, 100).proportion_ci(level, method="exact") for level in (0.95, 0.9))
    assert (claim.low, claim.high, claim.bound) == pytest.approx((two_sided.low, two_sided.high, one_sided.low))
    assert (claim.is_shown, claim.is_record) == (True, False)


def test_a_claim_is_shown_only_by_a_bound_above_its_share():
    claim = judge(games(60, 100), 0.5, 14.0)
    assert not replace(claim, q=claim.bound).is_shown
    assert replace(claim, q=np.nextafter(claim.bound, 0)).is_shown
    assert not judge(games(0, 100), 0.0, 14.0).is_shown
