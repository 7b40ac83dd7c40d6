"""Exact binomial intervals and quantiles, computed with scipy.special because importing scipy.stats takes a second."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import ceil, comb, isclose
from typing import Any

import numpy as np

CONFIDENCE = 0.95
MAX_FALSE_ALARM = 3e-5
"""The probability of a false positive on a board, divided equally among its tests."""
ROUNDING = 1e-9
"""The relative difference up to which numbers count as equal, as sums of the same epsilons may differ by rounding."""
MAX_SUMMED = 100
"""The number of trials up to which the probabilities of a binomial distribution are added one by one, without scipy."""


def is_within(costs: np.ndarray, budget: float) -> np.ndarray:
    """Return which costs do not exceed the budget, up to ROUNDING; no product overflows."""
    within: np.ndarray = costs * (1 - ROUNDING) <= budget
    return within


def mean_of(values: Sequence[float] | np.ndarray) -> float:
    """Return the mean of numbers whose sum may overflow.

    >>> mean_of([1e308, 1e308, 1e308]), mean_of([1.0, 2.0])
    (1e+308, 1.5)
    """
    with np.errstate(over="ignore"):
        mean = float(np.mean(values))
        return mean if np.isfinite(mean) else min(float(np.sum(np.asarray(values) / len(values))), max(values))


@dataclass(frozen=True)
class MeanWithError:
    """A mean with its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float] | np.ndarray) -> "MeanWithError":
        """Return the mean of independent values."""
        n = len(values)
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) / n**0.5 if n > 1 else float("inf"))


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
    tail = (1 - confidence) / 2
    hits, n = np.asarray(hits), np.asarray(n)
    chance = tail ** (1 / n)  # beta distributions with a parameter of 1 have quantiles in closed form
    low, high = np.where(hits == n, chance, 0.0), np.where(hits == 0, 1 - chance, 1.0)
    between = (hits > 0) & (hits < n)
    if between.any():
        from scipy.special import betaincinv  # slow to import, and playing does not need it

        low = np.where(between, betaincinv(np.maximum(hits, 1), n - hits + 1, tail), low)
        high = np.where(between, betaincinv(hits + 1, np.maximum(n - hits, 1), 1 - tail), high)
    return low[()], high[()]


@cache
def binomial_quantile(share: float, n: int, chance: float) -> int:
    """Return the quantile of a binomial distribution: the least k such that at most k hits have probability >= `share`.

    Args:
        share: The probability of the quantile.
        n: The number of trials.
        chance: The probability that a trial is a hit.

    >>> binomial_quantile(0.95, 20, 0.5)
    14
    """
    if n <= MAX_SUMMED:
        terms = (comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n))
        sums = list(accumulate(terms))
        if not any(isclose(reached, share) for reached in sums):
            return sum(reached < share for reached in sums)
    from scipy.special import bdtr, bdtrik  # slow to import, and playing does not need it

    hits: int = min(max(0, ceil(bdtrik(share, n, chance))), n)
    while hits and bdtr(hits - 1, n, chance) >= share:  # the inverse may err in its last digits
        hits -= 1
    while bdtr(hits, n, chance) < share:
        hits += 1
    return hits
