"""Means over games, with Student's interval."""

from typing import TYPE_CHECKING

import numpy as np

from wordpl.stats.scores.score import CONFIDENCE, Estimate, Score, totals

if TYPE_CHECKING:
    import pandas as pd

GUESSES = 6
"""The guesses of a classic game."""


class Mean(Score):
    """The mean of one number a game; a game whose number is NaN is left out."""

    def __call__(self, values: np.ndarray) -> Estimate:
        """Return the mean with Student's interval; none where no two games differ, as nothing shows the spread."""
        from scipy.special import stdtrit  # slow to import, and playing does not need it

        values = values[~np.isnan(values)]
        n = len(values)
        if n == 0:
            return Estimate(np.nan, np.nan, np.nan)
        mean = float(np.sum(values / n))
        if np.all(values == values[0]):
            return Estimate(mean, np.nan, np.nan)
        with np.errstate(over="ignore", invalid="ignore"):  # budgets may be of any size; their spread is then infinite
            margin = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2) * np.std(values, ddof=1) / np.sqrt(n))
        return Estimate(mean, mean - margin, mean + margin)

    def resampled(self, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the mean of each resample; NaN for one in which no game has a number."""
        there = ~np.isnan(values)
        n = totals(there, counts)
        with np.errstate(over="ignore"):
            sums = totals(np.where(there, values, 0), counts)
        return np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0)


class MeanGuesses(Mean):
    """The mean number of guesses; a game that was not solved counts as 7, one more than the limit.

    So does a game lost in any other way: illegal, crashed, late.
    """

    def per_game(self, games: "pd.DataFrame") -> np.ndarray:
        """Return the number of guesses of each game."""
        guesses = games["cost"].to_numpy(float)
        return np.where(np.isfinite(guesses), guesses, GUESSES + 1)


class MeanBudgetWon(Mean):
    """The mean budget of the games that were won.

    It favours an entry that gives up on hard games: a fact about a run, no measure of who is better.
    """

    def per_game(self, games: "pd.DataFrame") -> np.ndarray:
        """Return the budget of each game, NaN for a game that was not won."""
        budgets = games["cost"].to_numpy(float)
        return np.where(np.isfinite(budgets), budgets, np.nan)


SCORES = [
    MeanGuesses(name="mean_guesses", head="mean (X = 7)", measure="guesses", lower_is_better=True, main=True, digits=3),
    MeanBudgetWon(name="mean_budget_won", head="mean if won", measure="budget", shown="csv"),
]
