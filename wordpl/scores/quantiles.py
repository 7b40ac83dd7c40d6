"""Quantiles of what games cost, in budget or in guesses; a lost game costs more than any number."""

from dataclasses import dataclass
from functools import cache
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from wordpl.scores.score import CONFIDENCE, Estimate, Score

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
        order = np.argsort(values)
        position = _positions(counts, order, self.rank(len(values)))
        return values[order][position]

    def rank(self, n: int) -> int:
        """Return which of n sorted values, counted from 1, is the quantile: the first that n q values do not exceed."""
        return max(1, ceil(round(n * self.q, 9)))  # 0.07 * 100 is 7.000000000000001, and the 7th value is meant


@cache
def _interval_ranks(n: int, q: float) -> tuple[int, int]:
    """Return the ranks, from 0 (below all values) to n + 1 (above all), between which the q-quantile lies with 95%."""
    from scipy.stats import binom  # slow to import, and playing does not need it

    tail = (1 - CONFIDENCE) / 2
    below, above = binom.ppf([tail, 1 - tail], n, q).astype(int)
    return int(below), int(above) + 1


def _positions(counts: np.ndarray, order: np.ndarray, rank: int) -> np.ndarray:
    """Return, for each resample, the place in `order` at which it has reached `rank` games.

    That place is close to `rank`, as the games up to there are binomial: only six standard deviations around it are
    looked through (one resample in 500 million lies outside, and gets the end), what is below them is added up.
    """
    n = len(order)
    reach = ceil(6 * sqrt(rank * (n - rank) / n)) + 1
    first, last = max(0, rank - reach), min(n, rank + reach)
    below = np.zeros(n)
    below[order[:first]] = 1
    reached = below @ counts + np.cumsum(counts[order[first:last]], axis=0)
    return np.minimum(first + (reached < rank).sum(axis=0), n - 1)


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
