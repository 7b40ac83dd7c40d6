"""A test of "the mean is above 0" that may be read after every value, and the interval that belongs to it.

The values lie between -1 and 1: differences of two entries on the same game. Whoever bets a share b of a capital on
each value, at fair odds if the mean is m, has it multiplied by 1 + b (value - m) / (1 + m). If the mean is not above m,
no such capital is expected to grow, nor is the mean of several; so it ever reaches 40 times its start in at most
2.5% of all runs (Ville, 1939), for the two sides together 5%, however often one looks. I. Waudby-Smith and A. Ramdas,
"Estimating means of bounded random variables by betting", Journal of the Royal Statistical Society B 86 (2024); there
too: drawing without replacement, where what is left to be drawn has a mean that changes with every value seen.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from wordpl.stats.scores.score import CONFIDENCE, Floats

CLEAR = float(-np.log((1 - CONFIDENCE) / 2))
"""The logarithm of the evidence at which a side is clear: each errs in at most 2.5% of all runs."""
BETS = 0.95 * 2.0 ** (-np.arange(12) / 2)
"""The shares of the capital that are bet: from that for a clear difference to that for a fraction of a point."""
ROUNDING = 1e-9
"""Means of all values that there are lie on neither side where they are closer to 0 than this."""
STEPS = 20
"""Halvings of [-1, 1] for an end of an interval: to 4e-6."""

Side = Literal["above", "below", "open"]


@dataclass(frozen=True)
class MeanTestResult:
    """What values read in their order say of their mean.

    Attributes:
        verdict: "above" 0, "below" 0, or "open" as long as it is not clear.
        n_read: The values read.
        after: How many had been read when it became clear.
        mean: Of all values read, 0 if there is none.
        evidence: How many times more the values speak for the leading side than 0 does, the logarithm; the largest so
            far once it is clear.
        n_more: The values expected to be needed still, if they go on as they do; infinite if they show nothing.
    """

    verdict: Side
    n_read: int
    after: int | None
    mean: float
    evidence: float
    n_more: float


def log_capitals(values: Floats, mean: float = 0.0, population: int | None = None) -> Floats:
    """Return the logarithm of the capital of each bet against "the mean is at most `mean`" after each value, [bets, n].

    Args:
        values: Between -1 and 1, in their order.
        mean: Between -1 and 1.
        population: The number of all values, where they are drawn without replacement; None: of a source without end.
    """
    if population is None:
        gaps = (values - mean) / (1 + mean)
    else:
        before = np.concatenate([[0.0], np.cumsum(values)[:-1]])
        left = population - np.arange(len(values))
        means = np.maximum((population * mean - before) / left, -1 + 1e-9)
        gaps = (values - means) / (1 + means)
    return np.asarray(np.cumsum(np.log1p(BETS[:, None] * gaps), axis=1))


def log_evidence(values: Floats, mean: float = 0.0, population: int | None = None) -> Floats:
    """Return the logarithm of the evidence for "the mean is above `mean`" after each value, float[n]."""
    return _mixed(log_capitals(values, mean, population))


def mean_test(values: Floats, population: int | None = None) -> MeanTestResult:
    """Return what the values, float[n] in an order that has nothing to do with them, say of their mean."""
    n = len(values)
    if n == 0:
        return MeanTestResult("open", 0, None, 0.0, 0.0, np.inf)
    sides: dict[Side, Floats] = {"above": values, "below": -values}
    paths = {side: log_evidence(signed, 0.0, population) for side, signed in sides.items()}
    first = {side: int(np.argmax(path >= CLEAR)) + 1 for side, path in paths.items() if path.max() >= CLEAR}
    mean = float(values.mean())
    if population is not None and n == population and abs(mean) > ROUNDING and not first:
        return MeanTestResult("above" if mean > 0 else "below", n, n, mean, np.inf, 0.0)
    if first:
        side = min(first, key=lambda one: first[one])
        return MeanTestResult(side, n, first[side], mean, float(paths[side].max()), 0.0)
    leading: Side = "above" if mean >= 0 else "below"
    now = float(paths[leading][-1])
    growth = float(np.log1p(BETS[:, None] * sides[leading]).mean(axis=1).max())
    n_more = (CLEAR - now) / growth if growth > 0 else np.inf
    return MeanTestResult("open", n, None, mean, now, n_more if population is None else min(n_more, population - n))


def mean_interval(values: Floats, population: int | None = None) -> tuple[float, float]:
    """Return the interval that holds the mean in 95% of all runs, at all times at once; values: float[n], in order."""
    if len(values) == 0:
        return -1.0, 1.0
    if population is not None and len(values) == population:
        return float(values.mean()), float(values.mean())
    return _lower_end(values, population), -_lower_end(-values, population)


def _lower_end(values: Floats, population: int | None) -> float:
    """Return the largest mean that the values speak against clearly enough, -1 if there is none."""
    low, high = -1.0, float(values.mean())
    weights = None
    if population is None:
        values, counts = np.unique(values, return_counts=True)  # the order does not matter then
        weights = counts.astype(float)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _final(values, weights, middle, population) >= CLEAR:
            low = middle
        else:
            high = middle
    return low


def _final(values: Floats, weights: Floats | None, mean: float, population: int | None) -> float:
    if weights is None:
        return float(log_evidence(values, mean, population)[-1])
    capitals = np.log1p(BETS[:, None] * ((values - mean) / (1 + mean))) @ weights
    return float(_mixed(capitals[:, None])[0])


def _mixed(capitals: Floats) -> Floats:
    """Return the logarithm of the mean capital, float[n]; capitals: logarithms, [bets, n]."""
    top = capitals.max(axis=0)
    return np.asarray(top + np.log(np.exp(capitals - top).mean(axis=0)))
