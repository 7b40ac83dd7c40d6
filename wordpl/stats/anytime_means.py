"""Anytime-valid bounds of bounded means: they hold at all times at once, whatever decides about the next games.

A gambler who bets the share `t` of the capital on "the mean is above m" has, after values x that are at least `low`,

    the product of 1 + t (x - m) / (m - low)

which is never negative, and whose expectation does not grow if the mean is at most m, whatever earlier values decided
about playing on. So the mean of such products over several `t` stays below 1 / alpha for ever with probability
1 - alpha (Ville 1939; Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86, 2024), and the largest
m that made the gambler so rich is a lower confidence bound.

The products are not computed: with y = t (x - m) / (m - low), which is at least -t,

    log(1 + y) >= y - y^2 / 2 + y^3 / 3 - k(t) y^4,    k(t) = (-log(1 - t) - t - t^2 / 2 - t^3 / 3) / t^4

since the remainder of the series is y^4 times the integral of u^3 / (1 + y u) for u from 0 to 1, which falls with y.
(The same with two terms is the inequality of Fan, Grama and Liu, Electronic Journal of Probability 20, 2015, behind
empirical Bernstein bounds.) So the sums of the first four powers are enough: they can be added up over rounds, and do
not depend on the order of games. The bound of the capital may rise with m, but the capital itself falls with m, so that
any m at which the bound reaches 1 / alpha is a valid bound of the mean.
"""

import numpy as np
from numpy.typing import ArrayLike

from wordpl.stats.scores.score import Floats

N_POWERS = 5
"""Sums of the powers 0 to 4; the power 0 counts the values."""
BETS = np.array([0.8, 0.45, 0.25, 0.14, 0.08, 0.045, 0.025, 0.014, 0.008, 0.0045])
"""The shares of the capital that are bet, equally weighted.

About sqrt(2 log(1 / alpha) / n) / (the standard deviation in units of m - low) is best; a share that is 1.3 times too
large or too small costs 9 % of the evidence.
"""
BISECTIONS = 26
"""They find a bound to 1.5e-8 of the range of values."""


def powers(values: Floats) -> Floats:
    """Return the sums of the powers 0 to 4 of values, float[..., 5], given values float[..., n]."""
    values = np.asarray(values, float)
    sums = [np.full(values.shape[:-1], float(values.shape[-1])), values.sum(axis=-1)]
    power = values
    for _ in range(2, N_POWERS):
        power = power * values
        sums.append(power.sum(axis=-1))
    return np.stack(sums, axis=-1)


def pair_powers(values: Floats) -> Floats:
    """Return the power sums of the differences x_i - x_j of each pair, float[k, k, 5], given values float[k, n]."""
    raised = [np.ones_like(values), values, values**2, values**3, values**4]
    products = {(a, b): raised[a] @ raised[b].T for a in range(N_POWERS) for b in range(N_POWERS - a)}
    sums = np.stack(
        [
            products[0, 0],
            products[1, 0] - products[0, 1],
            products[2, 0] - 2 * products[1, 1] + products[0, 2],
            products[3, 0] - 3 * products[2, 1] + 3 * products[1, 2] - products[0, 3],
            products[4, 0] - 4 * products[3, 1] + 6 * products[2, 2] - 4 * products[1, 3] + products[0, 4],
        ],
        axis=-1,
    )
    return np.asarray(sums)


def negated(sums: Floats) -> Floats:
    """Return the power sums of the values with the opposite sign."""
    return np.asarray(sums * np.array([1.0, -1.0, 1.0, -1.0, 1.0]))


def log_capital(sums: Floats, mean: Floats, low: float, bets: Floats = BETS) -> Floats:
    """Return a lower bound of the log capital of the gambler who bets that the mean is above `mean`, float[...].

    Args:
        sums: The power sums of the values, float[..., 5].
        mean: The mean that is tested, above `low`, float[...].
        low: A lower bound of all possible values.
        bets: The shares of the capital that are bet, above 0 and below 1.
    """
    n, s1, s2, s3, s4 = np.moveaxis(sums, -1, 0)
    room = mean - low
    first = (s1 - n * mean) / room
    second = (s2 - 2 * mean * s1 + n * mean**2) / room**2
    third = (s3 - 3 * mean * s2 + 3 * mean**2 * s1 - n * mean**3) / room**3
    fourth = (s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 4 * mean**3 * s1 + n * mean**4) / room**4
    fourth_factors = -np.log1p(-bets) - bets - bets**2 / 2 - bets**3 / 3
    factors = np.stack([bets, -(bets**2) / 2, bets**3 / 3, -fourth_factors], axis=-1)
    logs = np.tensordot(factors, np.stack([first, second, third, fourth]), 1)
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).mean(axis=0)))


def lower_bounds(sums: Floats, low: float, alphas: Floats, bets: Floats = BETS) -> Floats:
    """Return the lower confidence bound of each mean, float[...]; `low` without values.

    Args:
        sums: The power sums of the values, float[..., 5].
        low: A lower bound of all possible values.
        alphas: The probability that the bound is ever above the mean, float[...].
        bets: As for `log_capital`.
    """
    n = np.maximum(sums[..., 0], 1)
    target = -np.log(alphas)
    found = np.full(sums.shape[:-1], low, float)
    above = np.maximum(sums[..., 1] / n, low)
    for _ in range(BISECTIONS):
        middle = (found + above) / 2
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            is_below = (middle > low) & (log_capital(sums, middle, low, bets) >= target)
        found, above = np.where(is_below, middle, found), np.where(is_below, above, middle)
    return found


def intervals(sums: Floats, limits: tuple[float, float], alphas: Floats) -> tuple[Floats, Floats]:
    """Return the bounds of the two-sided confidence interval of each mean.

    Args:
        sums: The power sums of the values, float[..., 5].
        limits: The smallest and the largest possible value.
        alphas: The probability that the interval ever misses the mean, float[...].
    """
    low, high = limits
    return lower_bounds(sums, low, alphas / 2), -lower_bounds(negated(sums), -high, alphas / 2)


def spent_alpha(numbers: ArrayLike, alpha: float, scale: float) -> Floats:
    """Return the share of `alpha` for questions that are numbered 0, 1, 2, ... in the order in which they are asked.

    The shares of all numbers have the sum `alpha`, so that the number of questions need not be known in advance. The
    first `scale` questions get one half of it.
    """
    number = np.asarray(numbers, float)
    return np.asarray(alpha * scale / ((number + scale) * (number + scale + 1)))
