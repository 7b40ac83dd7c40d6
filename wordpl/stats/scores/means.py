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
"""What a lost game counts as in the companion score, unless the host says otherwise before the run."""


class MeanScore(Score):
    """The mean of one number a game; a game whose number is NaN is left out."""

    def __call__(self, values: Floats) -> Estimate:
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

    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the mean of each resample; NaN for one in which no game has a number."""
        there = ~np.isnan(values)
        n = totals(there.astype(float), weights)
        with np.errstate(over="ignore"):
            sums = totals(np.where(there, values, 0), weights)
        return np.asarray(np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0))

    def p_values(self, values: Floats) -> Floats:
        """Return the p-values of Student's paired test, see `wordpl.stats.paired_tests`."""
        return mean_test(-values if self.lower_is_better else values)


class MeanGuesses(MeanScore):
    """The mean number of guesses; a game that was not solved counts as 7, one more than the limit.

    So does a game lost in any other way: illegal, crashed, late.
    """

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the number of guesses of each game."""
        guesses = games["cost"].to_numpy(float)
        return np.where(np.isfinite(guesses), guesses, CLASSIC_GUESSES + 1)


class MeanBudgetWon(MeanScore):
    """The mean budget of the games that were won.

    It favours an entry that gives up on hard games: a fact about a run, no measure of who is better.
    """

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the budget of each game, NaN for a game that was not won."""
        budgets = games["cost"].to_numpy(float)
        return np.where(np.isfinite(budgets), budgets, np.nan)


@dataclass(frozen=True, kw_only=True)
class MeanCost(MeanScore):
    """The mean cost of a game, where a lost one counts as `loss_cost` and no game as more.

    It equals the area above the curve of P(win within B) for B from 0 to `loss_cost`: unlike a percentile it has no
    cliff, and a game more or less won moves it by its part.
    """

    loss_cost: float = LOSS_COST

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return what each game counts as."""
        costs = games["cost"].to_numpy(float)
        return np.where(np.isfinite(costs), np.minimum(costs, self.loss_cost), self.loss_cost)


class WinProbability(MeanScore):
    """P(win) by Rao and Blackwell: the mean posterior of the proposed answers, given the clues of each game.

    It has the same mean as the share of games won, with a narrower interval: the luck of the last clues is left out.
    """

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the posterior of each game's answer, NaN where it is not known; see `wordpl.stats.posterior_wins`."""
        if "posterior" not in games:
            return np.full(len(games), np.nan)
        return games["posterior"].to_numpy(float)

    def __call__(self, values: Floats) -> Estimate:
        """Return the mean with Student's interval, which ends at 0 and 1."""
        found = super().__call__(values)
        return Estimate(found.value, float(np.clip(found.low, 0, 1)), float(np.clip(found.high, 0, 1)))


SCORES = [
    MeanGuesses(name="mean_guesses", head="mean (X = 7)", measure="guesses", lower_is_better=True, main=True, digits=3),
    MeanBudgetWon(name="mean_budget_won", head="mean if won", measure="budget", shown="csv"),
    WinProbability(name="p_win", head="P(win)", measure="budget", lower_is_better=False, percent=True),
    MeanCost(name="mean_cost", head="mean cost", measure="budget", lower_is_better=True),
]
