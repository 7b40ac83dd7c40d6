"""Means over games, with Student's interval."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordpl.core.game_kinds import CLASSIC_GUESSES
from wordpl.stats.paired_tests import mean_test
from wordpl.stats.scores.score import CONFIDENCE, Estimate, Floats, Score
from wordpl.stats.scores.totals import totals

if TYPE_CHECKING:
    import pandas as pd

LOSS_COST = 100.0
"""The default cost of a lost game in the mean cost; a host can set another one for a run."""


class MeanScore(Score):
    """The mean of the values of games; NaN values are left out."""

    def __call__(self, values: Floats) -> Estimate:
        """Return the mean with Student's interval; there is no interval if all values are equal."""
        from scipy.special import stdtrit  # slow to import

        values = values[~np.isnan(values)]
        n = len(values)
        if n == 0:
            return Estimate(np.nan, np.nan, np.nan)
        mean = float(np.sum(values / n))
        if np.all(values == values[0]):
            return Estimate(mean, np.nan, np.nan)
        with np.errstate(over="ignore", invalid="ignore"):  # huge budgets have an infinite variance
            margin = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2) * np.std(values, ddof=1) / np.sqrt(n))
        return Estimate(mean, mean - margin, mean + margin)

    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the mean in each resample; NaN if all values are NaN."""
        has_value = ~np.isnan(values)
        n = totals(has_value.astype(float), weights)
        with np.errstate(over="ignore"):
            sums = totals(np.where(has_value, values, 0), weights)
        return np.asarray(np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0))

    def p_values(self, values: Floats) -> Floats:
        """Return the p-values of Student's paired test; see `wordpl.stats.paired_tests`."""
        return mean_test(-values if self.lower_is_better else values)


class MeanGuesses(MeanScore):
    """The mean number of guesses; a lost game, for whatever reason, counts as 7, one more than the limit."""

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the number of guesses of each game."""
        guesses = games["cost"].to_numpy(float)
        return np.where(np.isfinite(guesses), guesses, CLASSIC_GUESSES + 1)


class MeanBudgetWon(MeanScore):
    """The mean budget of won games.

    It favours entries that give up on hard games, so it is informative but does not measure which entry is better.
    """

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the budget of each game, NaN if it was not won."""
        budgets = games["cost"].to_numpy(float)
        return np.where(np.isfinite(budgets), budgets, np.nan)


@dataclass(frozen=True, kw_only=True)
class MeanCost(MeanScore):
    """The mean cost of a game, where a lost game counts as `loss_cost` and costs are capped at `loss_cost`.

    It equals the area above the curve of P(win within B) for B from 0 to `loss_cost`. Unlike a percentile, it changes
    continuously with the share of games won.
    """

    loss_cost: float = LOSS_COST

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the cost of each game, capped at `loss_cost`."""
        costs = games["cost"].to_numpy(float)
        return np.where(np.isfinite(costs), np.minimum(costs, self.loss_cost), self.loss_cost)


class WinProbability(MeanScore):
    """P(win) by Rao-Blackwellization: the mean posterior of the proposed answers, given the clues of each game.

    It has the same expectation as the share of games won, but a smaller variance.
    """

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the posterior of each game's answer, NaN if it is unknown; see `wordpl.stats.posterior_wins`."""
        if "posterior" not in games:
            return np.full(len(games), np.nan)
        return games["posterior"].to_numpy(float)

    def __call__(self, values: Floats) -> Estimate:
        """Return the mean with Student's interval, clipped to [0, 1]."""
        estimate = super().__call__(values)
        return Estimate(estimate.value, float(np.clip(estimate.low, 0, 1)), float(np.clip(estimate.high, 0, 1)))


SCORES = [
    MeanGuesses(name="mean_guesses", head="mean (X = 7)", measure="guesses", lower_is_better=True, main=True, digits=3),
    MeanBudgetWon(name="mean_budget_won", head="mean if won", measure="budget", shown="csv"),
    WinProbability(name="p_win", head="P(win)", measure="budget", lower_is_better=False, percent=True),
    MeanCost(name="mean_cost", head="mean cost", measure="budget", lower_is_better=True),
]
