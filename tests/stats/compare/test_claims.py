from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tests.helpers.frames import losing
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.compare import judge, shown_budget
from wordpl.stats.compare.claims import claim_of
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import lower_bound, mean_bounds
from wordpl.stats.posterior_wins import poisson_binomial_tail

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


def test_epsilons_that_add_up_to_a_budget_are_within_it():
    total = 0.1 + 0.2
    assert total > 0.3
    assert judge(np.full(100, total), 0.5, 0.3).n_won == 100


def test_a_record_takes_20000_games():
    assert [judge(games(n, n), 0.5, 14.0).is_record for n in (19_999, 20_000)] == [False, True]


@QUANTILES
@pytest.mark.parametrize("n", [60, 100, 333])
def test_the_budget_shown_is_a_one_sided_bound_of_the_quantile(n, q):
    rank = next((rank for rank in range(1, n + 1) if binom.cdf(rank - 1, n, q) >= 0.95), np.inf)
    assert shown_budget(np.random.default_rng(n).permutation(np.arange(1.0, n + 1)), q) == rank


def test_a_free_game_is_within_a_budget_of_zero():
    for budget, n_won in ((0.0, 2), (np.inf, 3)):
        assert judge(np.array([0.0, 0.0, 1e-12, np.inf]), 0.5, budget).n_won == n_won


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


def without_luck(answers, spent):
    """Return games whose clues bring no luck, given the posteriors of their answers."""
    n, spent = len(answers), np.broadcast_to(np.asarray(spent, float), len(answers))
    return LuckCorrected(np.arange(n), ClueLuck(answers, spent, np.arange(n + 1), np.zeros(n), np.zeros(n), spent))


@pytest.mark.parametrize(("n_won", "agrees"), [(40, True), (20, False), (0, False)])
def test_a_claim_from_clues_is_their_mean_with_its_bounds_and_is_not_shown_against_the_counted_wins(n_won, agrees):
    answers = np.linspace(0.85, 0.95, 40)
    claim = judge(games(n_won, 40), 0.5, 14.0, without_luck(answers, 14.0))
    assert (claim.n_won, claim.estimate) == (n_won, pytest.approx(0.9))
    assert (claim.low, claim.high) == pytest.approx(mean_bounds(answers, 0.0, 1.0))
    assert claim.bound == pytest.approx(lower_bound(answers, 0.0, 0.05))
    tail = poisson_binomial_tail(answers, 40) if n_won else poisson_binomial_tail(1 - answers, 40)
    assert n_won == 20 or claim.contradiction == pytest.approx(2 * tail)
    assert claim.is_shown == agrees


@pytest.mark.parametrize(("others", "is_fixed"), [(14.0, True), (10.0, False)])
def test_only_an_entry_that_always_spends_the_same_is_claimed_by_its_clues(others, is_fixed):
    """Of an entry whose budget may have been chosen by looking, the order statistics of the costs decide."""
    answers, spent = np.full(40, 0.8), np.where(np.arange(40) < 5, others, 14.0)
    costs, luck = np.where(np.arange(40) < 36, spent, np.inf), without_luck(answers, spent)
    claim = claim_of(costs, 0.5, luck)
    assert claim == (judge(costs, 0.5, 14.0, luck) if is_fixed else judge(costs, 0.5, shown_budget(costs, 0.5)))
    lost = without_luck(np.where(spent == 14, 0.8, 0.0), spent)
    assert claim_of(costs, 0.5, lost).estimate <= 0.8, "a budget at which nothing can be won does not count"
