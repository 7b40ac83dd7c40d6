"""Quantiles of what games cost, in budget or in guesses; a lost game costs more than any number."""

from dataclasses import dataclass
from functools import cache
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from wordpl.stats.intervals import least_hits
from wordpl.stats.scores.score import CONFIDENCE, Estimate, Score, totals

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Quantile(Score):
    """The cost within which a share `q` of the games is won; infinite where fewer are."""

    q: float

    def per_game(self, games: "pd.DataFrame") -> np.ndarray:
        """Return what each game cost, infinite unless it was won.

        A sum of epsilons that overflows, or is no number, is no cost that anybody could pay: lost as well.
        """
        costs = games["cost"].to_numpy(float)
        return np.where(np.isfinite(costs), costs, np.inf)

    def __call__(self, values: np.ndarray) -> Estimate:
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

    def resampled(self, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the quantile of each resample: sorted once, then found by counting up to its rank."""
        order = np.argsort(values, axis=1)
        positions = _positions(counts, order, self.rank(values.shape[1]))
        return np.take_along_axis(values, np.take_along_axis(order, positions, axis=1), axis=1)

    def rank(self, n: int) -> int:
        """Return which of n sorted values, counted from 1, is the quantile: the first that n q values do not exceed."""
        return max(1, ceil(round(n * self.q, 9)))  # 0.07 * 100 is 7.000000000000001, and the 7th value is meant


@cache
def _interval_ranks(n: int, q: float) -> tuple[int, int]:
    """Return the ranks, from 0 (below all values) to n + 1 (above all), between which the q-quantile lies with 95%."""
    tail = (1 - CONFIDENCE) / 2
    return least_hits(tail, n, q), least_hits(1 - tail, n, q) + 1


def _positions(counts: np.ndarray, order: np.ndarray, rank: int) -> np.ndarray:
    """Return, for each entry and resample, the place in the entry's order at which it has reached `rank` games.

    order: int[k, n], the games of each entry from the least value to the largest

    That place is close to `rank`, as the games up to there are binomial: only six standard deviations around it are
    looked through (one resample in 500 million lies outside, and gets the end), what is below them is added up.
    """
    n = order.shape[1]
    reach = ceil(6 * sqrt(rank * (n - rank) / n)) + 1
    first, last = max(0, rank - reach), min(n, rank + reach)
    below = np.zeros(order.shape)
    np.put_along_axis(below, order[:, :first], 1, axis=1)
    reached_before = totals(below, counts)
    found = np.empty(reached_before.shape, np.int64)
    for entry, near in enumerate(order[:, first:last]):
        reached = reached_before[entry][:, None] + np.cumsum(counts.T[:, near], axis=1)
        found[entry] = first + (reached < rank).sum(axis=1)
    return np.minimum(found, n - 1)


SCORES = [
    Quantile(
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
