import numpy as np
import pytest
from scipy.special import bdtr
from scipy.stats import binom

from wordpl.core.intervals import binomial_quantile


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 100, 101, 1001, 20_000])
@pytest.mark.parametrize("chance", [0.05, 0.5, 0.95])
def test_binomial_quantiles_agree_with_scipy(n, chance):
    for share in (0.001, 0.025, 0.4, 0.95, 0.975, 0.999):
        assert binomial_quantile(share, n, chance) == binom.ppf(share, n, chance), share


@pytest.mark.parametrize("n", [1, 7, 40, 333])
@pytest.mark.parametrize("chance", [0.05, 0.3, 0.5, 0.95])
def test_the_binomial_quantile_is_exact_at_its_boundaries(n, chance):
    for hits in range(n):
        share = bdtr(hits, n, chance)
        if 0 < share < bdtr(hits + 1, n, chance) < 1:
            assert bdtr(binomial_quantile(share, n, chance), n, chance) >= share
            assert binomial_quantile(share, n, chance) == hits or bdtr(hits - 1, n, chance) >= share
            assert binomial_quantile(np.nextafter(share, 1), n, chance) == hits + 1
