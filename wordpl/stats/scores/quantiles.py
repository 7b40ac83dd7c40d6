"""Quantiles of the costs of games; a lost game has an infinite cost."""

from dataclasses import dataclass
from math import ceil, isfinite, modf, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordpl.core.intervals import ROUNDING, binomial_quantile
from wordpl.core.moves import GameFacts
from wordpl.stats.hypothesis_tests import quantile_test
from wordpl.stats.scores.score import CONFIDENCE, Estimate, Floats, Score, costs_budget, totals

if TYPE_CHECKING:
    import pandas as pd

PLACE_DIGITS = 9
"""The digits of a place that count: 0.07 * 100 is 7.000000000000001, which must be 7."""


@dataclass(frozen=True, kw_only=True)
class QuantileScore(Score):
    """The cost within which a share `q` of the games is won; infinite if fewer games are won."""

    q: float

    @property
    def uses_luck(self) -> bool:
        """Whether it is shown on boards: percentiles of numbers of guesses are counted."""
        return self.shown == "always"

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the cost of each game, infinite if it was not won or if its sum of epsilons is not finite."""
        costs = games["cost"].to_numpy(float)
        return np.where(np.isfinite(costs), costs, np.inf)

    def __call__(self, values: Floats, lost: Floats | None = None, *, confidence: float = CONFIDENCE) -> Estimate:
        """Return the quantile of the costs of these games, with a distribution-free interval.

        The quantile is that of the original contest: the sorted costs, counted from 0, are interpolated at the place
        q (n - 1), and it is infinite if the next larger cost is. With 1,001 games, the places of p05, p50 and p95 are
        whole numbers, so that they are the costs of games.

        The number of games within the true quantile is binomial for any distribution. So the interval, whose bounds are
        order statistics, makes no assumptions, is deterministic, and is valid with lost games and with ties. If there
        are too few games, its bounds are 0 and infinity. (David and Nagaraja, Order Statistics, 3rd edition, section
        7.1.)
        """
        n = len(values)
        ranked = np.concatenate([[0.0], np.sort(values), [np.inf]])
        part, whole = modf(round(self.q * (n - 1), PLACE_DIGITS))
        value, following = ranked[int(whole) + 1], ranked[int(whole) + 2]
        if part:
            value = value + part * (following - value) if isfinite(following) else following
        value, tail = float(value), (1 - confidence) / 2
        below, above = binomial_quantile(tail, n, self.q), binomial_quantile(1 - tail, n, self.q) + 1
        return Estimate(value, min(value, float(ranked[below])), max(value, float(ranked[above])))

    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the quantile in each resample: values are sorted once, and weights are added up to the share `q`."""
        order = np.argsort(values, axis=1)
        positions = _positions(weights, order, self.q)
        return np.take_along_axis(values, np.take_along_axis(order, positions, axis=1), axis=1)

    def p_values(self, values: Floats, lost: Floats | None = None) -> Floats:
        """Return the p-values of the profile likelihood test; see `wordpl.stats.hypothesis_tests`."""
        return quantile_test(values, self.q)


def _positions(weights: Floats, order: NDArray[np.int64], q: float) -> NDArray[np.int64]:
    """Return for each entry and resample the position in the entry's order at which the share `q` is reached.

    The position is close to n q, with the standard deviation of a binomial. So only positions within six standard
    deviations are searched, and the weights below them are summed. One resample in 500 million is outside this range
    and gets its end.

    Args:
        weights: float[n, draws], as for `Score.resampled`.
        order: The games of each entry, sorted by value, int[k, n].
        q: The share.
    """
    n = order.shape[1]
    target = n * q * (1 - ROUNDING)
    reach = ceil(6 * sqrt(n * q * (1 - q))) + 2
    first, last = max(0, int(target) - reach), min(n, int(target) + reach)
    below = np.zeros(order.shape)
    np.put_along_axis(below, order[:, :first], 1, axis=1)
    reached_before = totals(below, weights)
    positions = np.empty(reached_before.shape, np.int64)
    for entry, nearby_games in enumerate(order[:, first:last]):
        reached = reached_before[entry][:, None] + np.cumsum(weights.T[:, nearby_games], axis=1)
        positions[entry] = first + (reached < target).sum(axis=1)
    return np.asarray(np.minimum(positions, n - 1))


def _costs_guesses(game: GameFacts) -> bool:
    return not game.has_epsilon


SCORES = [
    QuantileScore(
        name=f"p{round(100 * q):02}",
        head=f"p{round(100 * q):02}",
        q=q,
        applies=applies,
        lower_is_better=True,
        main=applies is costs_budget and q == 0.5,
        shown="always" if applies is costs_budget else "csv",
    )
    for applies in (costs_budget, _costs_guesses)
    for q in (0.05, 0.5, 0.95)
]
