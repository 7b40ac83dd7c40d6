"""Binomial intervals agree with scipy's, and are exact at their ends."""

import numpy as np
import pytest
from scipy.special import bdtr
from scipy.stats import binom, binomtest

from wordpl.core.intervals import MeanWithError, binomial_quantile, is_within, mean_of, proportion_interval


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 20), (3, 20), (20, 20), (995, 1000)])
def test_the_interval_is_that_of_clopper_and_pearson(hits, n):
    expected = binomtest(hits, n).proportion_ci(0.95)
    assert proportion_interval(hits, n) == pytest.approx((expected.low, expected.high))
    narrow = binomtest(hits, n).proportion_ci(0.5)
    assert proportion_interval(hits, n, 0.5) == pytest.approx((narrow.low, narrow.high))


def test_the_error_of_a_mean_is_that_of_independent_values():
    assert MeanWithError.of([1.0, 2.0, 3.0, 6.0]) == MeanWithError(3.0, pytest.approx((14 / 3) ** 0.5 / 2))
    assert MeanWithError.of([3.0]) == MeanWithError(3.0, float("inf"))
    assert [mean_of([1.0, 2.0]), mean_of([1e308] * 3), mean_of([1.0, np.inf])] == [1.5, 1e308, np.inf]


def test_arrays_give_the_interval_of_each_number():
    low, high = proportion_interval(np.array([0, 5, 10]), np.full(3, 10))
    assert low.tolist() == [proportion_interval(k, 10)[0] for k in (0, 5, 10)]
    assert high.tolist() == [proportion_interval(k, 10)[1] for k in (0, 5, 10)]


@pytest.mark.parametrize("n", [1, 2, 20, 100, 101, 1001, 20_000])
def test_the_quantile_is_the_smallest_number_of_hits_with_the_share(n):
    for chance in (0.05, 0.5, 0.95):
        for share in (0.001, 0.025, 0.4, 0.95, 0.975, 0.999):
            assert binomial_quantile(share, n, chance) == binom.ppf(share, n, chance), (share, chance)


def test_a_share_that_is_reached_exactly_needs_no_further_hit():
    assert [binomial_quantile(share, 1, 0.5) for share in (0.499, 0.5, 0.501)] == [0, 0, 1]
    assert [binomial_quantile(share, 3, 0.5) for share in (0.125, 0.5, 0.875, 1.0)] == [0, 1, 2, 3]
    assert [binomial_quantile(1 - 0.1**3, 3, 0.1), binomial_quantile(0.0, 3, 0.1)] == [2, 0]
    for n in (5, 20, 60, 150):
        shares = bdtr(np.arange(n), n, 0.3)
        ties = [(k, float(share)) for k, share in enumerate(shares) if 1e-6 < share < 1 - 1e-6]
        assert [binomial_quantile(share, n, 0.3) for _, share in ties] == [k for k, _ in ties]


def test_sums_of_epsilons_that_differ_by_rounding_are_within_a_budget():
    costs = np.array([0.1 + 0.2, 0.3 + 1e-8, 1e308, np.inf])
    assert is_within(costs, 0.3).tolist() == [True, False, False, False]
    assert is_within(costs, np.inf).all()
