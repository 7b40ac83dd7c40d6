import numpy as np
import pytest
from scipy.stats import norm

from wordpl.stats.hypothesis_tests import holm_step_down, mcnemar, quantile_test, share_test

N_ENTRIES = 5
N_PAIRS = N_ENTRIES * (N_ENTRIES - 1)


def p_values(by_pair):
    """Return a table of p-values: the given ones of some pairs, and 1 for the others."""
    p = np.ones((N_ENTRIES, N_ENTRIES))
    for (i, j), value in by_pair.items():
        p[i, j] = value
    return p


def test_step_down_divides_the_level_by_the_number_of_remaining_pairs():
    p = p_values({(0, 1): 0.05 / N_PAIRS, (0, 2): 0.05 / (N_PAIRS - 1), (0, 3): 0.05 / (N_PAIRS - 2) * 1.01})
    assert list(zip(*np.nonzero(holm_step_down(p, 0.05)), strict=True)) == [(0, 1), (0, 2)]


def test_step_down_shows_nothing_if_the_smallest_p_value_is_too_large():
    assert not holm_step_down(p_values({(0, 1): 0.05 / N_PAIRS * 1.01, (0, 2): 0.05 / N_PAIRS * 1.01}), 0.05).any()


def test_step_down_never_shows_an_entry_to_be_better_than_itself():
    p = np.zeros((N_ENTRIES, N_ENTRIES))
    assert (holm_step_down(p, 0.05) == ~np.eye(N_ENTRIES, dtype=bool)).all()


def test_p_values_of_mcnemar_are_those_of_coin_tosses():
    p = mcnemar(np.array([[0, 9], [3, 0]]), np.array([[0, 3], [9, 0]]))
    assert p[0, 1] == pytest.approx((1 + 12 + 66 + 220) / 2**12)
    assert p[1, 0] == pytest.approx(1 - (1 + 12 + 66) / 2**12)
    assert p[0, 0] == 1


@pytest.mark.parametrize("paired_test", [share_test, lambda values: quantile_test(-values, 0.5)])
def test_three_differing_games_give_no_p_value_below_one_eighth(paired_test):
    values = np.zeros((2, 200))
    values[0, :3] = 1
    assert paired_test(values)[0, 1] >= 2.0**-3


@pytest.mark.parametrize(("q", "n_games", "n_differing"), [(0.05, 10, 8), (0.5, 5, 5)])
def test_the_p_value_of_a_quantile_is_at_least_that_of_as_many_coin_tosses(q, n_games, n_differing):
    costs = np.full((2, n_games), 10.0)
    costs[0, :n_differing] = 1.0
    assert quantile_test(costs, q)[0, 1] == 0.5**n_differing  # the likelihood ratio alone gives less


def test_an_entry_is_better_than_one_without_a_quantile_by_its_own_share_of_wins():
    """60 of 100 games are won; the likelihood ratio of 59.5 of them against one half is that of a binomial."""
    costs = np.array([[5.0] * 60 + [np.inf] * 40, [np.inf] * 100])
    ratio = 2 * (59.5 * np.log(0.595 / 0.5) + 40.5 * np.log(0.405 / 0.5))
    assert quantile_test(costs, 0.5)[0, 1] == pytest.approx(norm.sf(np.sqrt(ratio)))
    assert quantile_test(costs, 0.5)[1, 0] >= 0.5
