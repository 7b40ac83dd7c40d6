"""Exact binomial statements. They use scipy.special, as importing scipy.stats takes a second."""

from math import ceil
from typing import Any

import numpy as np

CONFIDENCE = 0.95


def proportion_interval(hits: Any, n: Any, confidence: float = CONFIDENCE) -> tuple[Any, Any]:
    """Return the exact interval of a probability (Clopper and Pearson, Biometrika 26, 1934).

    Args:
        hits: The number of successes, a number or an array.
        n: The number of tries, at least 1, a number or an array of the same shape.
        confidence: The probability with which the interval covers the truth, at least.

    Returns:
        The lower and the upper end, each of the shape of `hits`.

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


def least_hits(share: float, n: int, chance: float) -> int:
    """Return the least number of hits that n tries stay within with probability `share`; chance: of each to be a hit.

    >>> least_hits(0.95, 20, 0.5)
    14
    """
    from scipy.special import bdtr, bdtrik  # slow to import, and playing does not need it

    hits: int = min(max(0, ceil(bdtrik(share, n, chance))), n)
    while hits and bdtr(hits - 1, n, chance) >= share:  # the inverse may err in its last digits
        hits -= 1
    while bdtr(hits, n, chance) < share:
        hits += 1
    return hits
