"""Tests and intervals of means of bounded values that hold their level even if the worst values are rare.

n independent values get weights from a flat Dirichlet distribution, together with the worst value that is possible
(N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable",
Mathematical Methods of Statistics 14, 2005). The p-value of "the mean is not above m" is the probability that the
weighted mean is at most m. If there are two values, this is the interval of Clopper and Pearson; no loss in 1,001 games
shows at most 0.3%. Student's test, in contrast, cannot know of a loss that no game has shown yet.

A weight is an exponential variable divided by the sum of all, so the probability is that of a weighted sum of
exponential variables, and is computed by the saddlepoint approximation of R. Lugannani and S. Rice (Advances in Applied
Probability 12, 1980), whose relative error is small in the tails, too.
"""

from math import erfc, log, log1p, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordpl.kernels.compiled import kernel, plain_for_small_work

Floats = NDArray[np.float64]
Float: TypeAlias = Any
"""A float: a numpy float in a compiled kernel."""

CONFIDENCE = 0.95
MAX_STEPS = 200
"""The maximum number of steps of a root search; most take fewer than ten."""
MAX_PLAIN_VALUES = 100
"""The number of values up to which plain Python is faster than loading the kernels."""
PRECISION = 1e-10
"""The precision of root searches, relative to the spread of the values."""
NEAR_CENTRE = 1e-4
"""The signed root below which the formula divides nearly equal small numbers, and a series takes its place."""


def p_value(values: Floats, mean: float, worst: float) -> float:
    """Return the p-value of "the mean of the distribution is not above `mean`".

    Args:
        values: Independent values, float[n].
        mean: The hypothetical mean.
        worst: The smallest possible value, at most `mean`.

    >>> round(p_value(np.ones(1001), 0.997, 0.0), 4)  # 1,001 games won: is P(win) at most 0.997?
    0.0494
    """
    gaps = np.append(values - mean, min(worst, values.min(initial=worst)) - mean)
    exact = _of_two_values(gaps)
    return float(_tail(gaps)) if exact is None else exact


def mean_bounds(values: Floats, lowest: float, highest: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the bounds of the confidence interval of the mean.

    Args:
        values: Independent values, float[n].
        lowest: The smallest possible value; a smaller one among the values takes its place.
        highest: The largest possible value, likewise.
        confidence: The confidence level; each bound errs with half of the rest.

    >>> low, high = mean_bounds(np.repeat([0.0, 1.0], 5), 0.0, 1.0)  # as Clopper and Pearson
    >>> round(low, 4), round(high, 4)
    (0.1871, 0.8129)
    """
    if not len(values):
        return lowest, highest
    tail = (1 - confidence) / 2
    return lower_bound(values, lowest, tail), -lower_bound(-values, -highest, tail)


def lower_bound(values: Floats, worst: float, level: float) -> float:
    """Return the largest mean that is rejected as too low at this level.

    Args:
        values: Independent values, float[n] with n > 0.
        worst: The smallest possible value.
        level: The level of the test, below 0.5.
    """
    worst = min(worst, float(values.min()))
    all_values = np.append(values, worst)
    different = np.unique(all_values)
    if len(different) == 1:
        return worst
    if len(different) == 2:
        n_high = int((values == different[1]).sum())
        return float(worst + (different[1] - worst) * _beta_quantile(n_high, len(all_values) - n_high, level))
    from scipy.special import ndtri  # slow to import

    with plain_for_small_work(len(all_values) <= MAX_PLAIN_VALUES, _lower_bound):
        return float(_lower_bound(all_values, float(ndtri(level))))


def _beta_quantile(a: int, b: int, level: float) -> float:
    """Return the quantile of a beta distribution."""
    if b == 1:
        return float(level ** (1 / a))
    from scipy.special import betaincinv  # slow to import

    return float(betaincinv(a, b, level))


def better_means(values: Floats, span: float) -> Floats:
    """Return the p-values of "the mean of entry i is not above that of entry j" on common games, float[k, k].

    The diagonal is 1.

    Args:
        values: The value of each game, float[k, n].
        span: The largest possible difference between two values.
    """
    k = len(values)
    p = np.ones((k, k))
    for i in range(k):
        for j in range(k):
            if i != j and (values[i] != values[j]).any():
                p[i, j] = p_value(values[i] - values[j], 0.0, -span)
    return p


def _of_two_values(gaps: Floats) -> float | None:
    """Return P(sum of weighted exponentials <= 0) if the nonzero weights have two values or one sign; else None."""
    n_up, n_down = int((gaps > 0).sum()), int((gaps < 0).sum())
    if not n_up or not n_down:
        return 0.0 if n_up else 1.0
    high, low = gaps.max(), gaps.min()
    if (gaps[gaps > 0] == high).all() and (gaps[gaps < 0] == low).all():
        from scipy.special import betainc  # slow to import

        return float(betainc(n_up, n_down, -low / (high - low)))
    return None


def _tail(gaps: Floats) -> float:
    with plain_for_small_work(len(gaps) <= MAX_PLAIN_VALUES, _normal_score):
        return erfc(-_normal_score(gaps, 0.0) / sqrt(2)) / 2


@kernel
def _normal_score(gaps: np.ndarray, shift: float) -> Float:
    """Return the normal quantile of P(sum of weighted exponential variables <= 0) by the saddlepoint approximation.

    Args:
        gaps: The weights before the shift.
        shift: A number to subtract from all weights, between the smallest and the largest.
    """
    s = _saddlepoint(gaps, shift)
    log_mgf, curve, third = 0.0, 0.0, 0.0
    for i in range(len(gaps)):
        gap = gaps[i] - shift
        ratio = gap / (1 - s * gap)
        log_mgf -= log1p(-s * gap)
        curve += ratio * ratio
        third += 2 * ratio * ratio * ratio
    root = np.sign(s) * sqrt(max(0.0, -2 * log_mgf))
    if abs(root) < NEAR_CENTRE:
        return root + third / curve**1.5 / 6
    return root + log(s * sqrt(curve) / root) / root


@kernel
def _saddlepoint(gaps: np.ndarray, shift: float) -> Float:
    """Return the s with sum gap / (1 - s gap) = 0, by Newton's method between the poles nearest to 0."""
    left, right, s = 1 / (gaps.min() - shift), 1 / (gaps.max() - shift), 0.0
    for _ in range(MAX_STEPS):
        slope, curve = 0.0, 0.0
        for i in range(len(gaps)):
            ratio = (gaps[i] - shift) / (1 - s * (gaps[i] - shift))
            slope += ratio
            curve += ratio * ratio
        left, right = (left, s) if slope > 0 else (s, right)
        step = -slope / curve
        if abs(step) * sqrt(curve) < PRECISION:
            break
        s = s + step if left < s + step < right else (left + right) / 2
    return s


@kernel
def _lower_bound(values: np.ndarray, quantile: float) -> Float:
    """Return the mean whose p-value has this normal quantile, which is negative, by regula falsi (Illinois).

    Args:
        values: The values with the worst one, not all equal.
        quantile: The normal quantile of the level.
    """
    total, squares = 0.0, 0.0
    for value in values:  # loops, as numpy adds in another order
        total += value
    low, high = values.min(), total / len(values)
    for value in values:
        squares += (value - high) * (value - high)
    span = values.max() - low
    below, above = -np.inf, _normal_score(values, high) - quantile
    middle = high + 1.05 * quantile * sqrt(squares) / len(values)
    side = 0
    for _ in range(MAX_STEPS):
        if not low < middle < high:
            middle = (low + high) / 2
        excess = _normal_score(values, middle) - quantile
        if abs(excess) < PRECISION or high - low < PRECISION * span:
            break
        if excess < 0:
            low, below = middle, excess
            above = above / 2 if side < 0 else above
            side = -1
        else:
            high, above = middle, excess
            below = below / 2 if side > 0 else below
            side = 1
        middle = low + (high - low) * below / (below - above) if below > -np.inf else (low + high) / 2
    return middle
