import pytest
from scipy.stats import binom

from wordpl.core.intervals import binomial_quantile


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 100, 101, 1001, 20_000])
@pytest.mark.parametrize("chance", [0.05, 0.5, 0.95])
def test_the_least_hits_are_those_of_scipy(n, chance):
    for share in (0.001, 0.025, 0.4, 0.95, 0.975, 0.999):
        assert binomial_quantile(share, n, chance) == binom.ppf(share, n, chance), share
