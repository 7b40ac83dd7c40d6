"""Exact binomial intervals and quantiles, computed with scipy.special because importing scipy.stats takes a second."""

from math import ceil
from typing import Any

import numpy as np

CONFIDENCE = 0.95


def proportion_interval(hits: Any, n: Any, confidence: float = CONFIDENCE) -> tuple[Any, Any]:
    """Return the exact confidence interval of a proportion (Clopper and Pearson, Biometrika 26, 1934).

    Args:
        hits: The number of successes, a scalar or an array.
        n: The number of trials, at least 1, a scalar or an array of the same shape.
        confidence: The confidence level; the actual coverage is at least this high.

    Returns:
        The lower and the upper bound, each of the shape of `hits`.

    >>> low, high = proportion_interval(5, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.1871, 0.8129)
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    hits, n = np.asarray(hits), np.asarray(n)
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), n - hits + 1, tail), 0.0)
    high = np.where(hits < n, betaincinv(hits + 1, np.maximum(n - hits, 1), 1 - tail), 1.0)
    return low[()], high[()]


def binomial_quantile(share: float, n: int, chance: float) -> int:
    """Return the quantile of a binomial distribution: the least k such that at most k hits have probability >= `share`.

    Args:
        share: The probability of the quantile.
        n: The number of trials.
        chance: The probability that a trial is a hit.

    >>> binomial_quantile(0.95, 20, 0.5)
    14
    """
    from scipy.special import bdtr, bdtrik  # slow to import, and playing does not need it

    hits: int = min(max(0, ceil(bdtrik(share, n, chance))), n)
    while hits and bdtr(hits - 1, n, chance) >= share:  # the inverse may err in its last digits
        hits -= 1
    while bdtr(hits, n, chance) < share:
        hits += 1
    return hits
