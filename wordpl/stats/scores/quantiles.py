"""Quantiles of what games cost, in budget or in guesses; a lost game costs more than any number."""

from dataclasses import dataclass
from functools import cache
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordpl.core.intervals import binomial_quantile
from wordpl.stats.paired_tests import quantile_test
from wordpl.stats.scores.score import CONFIDENCE, Estimate, Floats, Score
from wordpl.stats.scores.totals import totals

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class QuantileScore(Score):
    """The cost within which a share `q` of the games is won; infinite where fewer are."""

    q: float

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return what each game cost, infinite unless it was won.

        A sum of epsilons that overflows, or is no number, is no cost that anybody could pay: lost as well.
        """
        costs = games["cost"].to_numpy(float)
        return np.where(np.isfinite(costs), costs, np.inf)

    def __call__(self, values: Floats) -> Estimate:
        """Return the least cost that a share `q` of these games keeps within, and its interval by order statistics.

        The number of games within the true quantile is binomial, whatever the distribution: so the interval assumes
        nothing, draws no random numbers, and stays right with lost games and with costs that repeat. Costs lie between
        0 and infinity, and these are the ends where the games are too few to say more.
        (David and Nagaraja, Order Statistics, 3rd edition, section 7.1.)
        """
        n = len(values)
        ranked = np.concatenate([[0.0], np.sort(values), [np.inf]])
        below, above = _interval_ranks(n, self.q)
        return Estimate(float(ranked[self.rank(n)]), float(ranked[below]), float(ranked[above]))

    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the quantile of each resample: sorted once, then found by adding up to the share `q`."""
        order = np.argsort(values, axis=1)
        positions = _positions(weights, order, self.q)
        return np.take_along_axis(values, np.take_along_axis(order, positions, axis=1), axis=1)

    def p_values(self, values: Floats) -> Floats:
        """Return the p-values of the profile likelihood test, see `wordpl.stats.paired_tests`."""
        return quantile_test(values, self.q)

    def rank(self, n: int) -> int:
        """Return which of n sorted values, counted from 1, is the quantile: the first that n q values do not exceed."""
        return max(1, ceil(round(n * self.q, 9)))  # 0.07 * 100 is 7.000000000000001, and the 7th value is meant


@cache
def _interval_ranks(n: int, q: float) -> tuple[int, int]:
    """Return the ranks, from 0 (below all values) to n + 1 (above all), between which the q-quantile lies with 95%."""
    tail = (1 - CONFIDENCE) / 2
    return binomial_quantile(tail, n, q), binomial_quantile(1 - tail, n, q) + 1


def _positions(weights: Floats, order: NDArray[np.int64], q: float) -> NDArray[np.int64]:
    """Return, for each entry and resample, the position in the entry's order at which a share `q` is reached.

    That position is close to n q, as the sum of the weights up to there has the spread of a binomial: only six standard
    deviations around it are looked through (one resample in 500 million lies outside, and gets the end), what is below
    them is added up.

    Args:
        weights: float[n, draws], as for `Score.resampled`.
        order: The games of each entry from the least value to the largest, int[k, n].
        q: The share.
    """
    n = order.shape[1]
    target = n * q * (1 - 1e-9)
    reach = ceil(6 * sqrt(n * q * (1 - q))) + 2
    first, last = max(0, int(target) - reach), min(n, int(target) + reach)
    below = np.zeros(order.shape)
    np.put_along_axis(below, order[:, :first], 1, axis=1)
    reached_before = totals(below, weights)
    found = np.empty(reached_before.shape, np.int64)
    for entry, near in enumerate(order[:, first:last]):
        reached = reached_before[entry][:, None] + np.cumsum(weights.T[:, near], axis=1)
        found[entry] = first + (reached < target).sum(axis=1)
    return np.asarray(np.minimum(found, n - 1))


SCORES = [
    QuantileScore(
        name=f"p{round(100 * q):02}",
        head=f"p{round(100 * q):02}",
        q=q,
        measure=measure,
        lower_is_better=True,
        main=measure == "budget" and q == 0.5,
        shown="always" if measure == "budget" else "csv",
    )
    for measure in ("budget", "guesses", "tries")
    for q in (0.05, 0.5, 0.95)
]
