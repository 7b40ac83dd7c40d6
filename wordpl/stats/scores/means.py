"""Means over games, with intervals that stay right if losses are rare."""

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wordpl.stats.hypothesis_tests import better_means, mean_bounds, worst_value
from wordpl.stats.scores.score import CONFIDENCE, LOSS_COST, Estimate, Floats, Score, costs_budget, totals

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.stats.estimates import LuckCorrected


class MeanScore(Score):
    """The mean of the values of games; NaN values are left out."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest value that a game can have; infinite if there is none."""
        return -np.inf, np.inf

    def limits(self, lost: Floats | None) -> tuple[float, float]:
        """Return the smallest and the largest value to expect of a game; `lost`: as for `__call__`."""
        low, high = self.bounds
        if lost is None:
            return low, high
        return (low, -worst_value(-lost, -high)) if self.lower_is_better else (worst_value(lost, low), high)

    def __call__(self, values: Floats, lost: Floats | None = None, *, confidence: float = CONFIDENCE) -> Estimate:
        """Return the mean with the interval of `hypothesis_tests`, or Student's if the values have no bounds.

        Student's interval does not exist if all values are equal.
        """
        values = values[~np.isnan(values)]
        if not len(values):
            return Estimate(np.nan, np.nan, np.nan)
        with np.errstate(over="ignore"):
            mean = min(float(np.sum(values / len(values))), sys.float_info.max)
        if np.isfinite(self.bounds).all():
            return Estimate(mean, *mean_bounds(values, *self.limits(lost), confidence))
        from scipy.special import stdtrit  # slow to import

        n = len(values)
        if np.all(values == values[0]):
            return Estimate(mean, np.nan, np.nan)
        with np.errstate(over="ignore", invalid="ignore"):  # huge budgets have an infinite variance
            margin = float(stdtrit(n - 1, (1 + confidence) / 2) * np.std(values, ddof=1) / np.sqrt(n))
        return Estimate(mean, mean - margin, mean + margin)

    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the mean in each resample; NaN if all values are NaN."""
        has_value = ~np.isnan(values)
        n = totals(has_value.astype(float), weights)
        with np.errstate(over="ignore"):
            sums = totals(np.where(has_value, values, 0), weights)
        return np.asarray(np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0))

    def p_values(self, values: Floats, lost: Floats | None = None) -> Floats:
        """Return the p-values of the test of the mean difference; see `wordpl.stats.hypothesis_tests`."""
        (low, high), sign = self.bounds, -1.0 if self.lower_is_better else 1.0
        return better_means(sign * values, high - low, None if lost is None else sign * lost)


@dataclass(frozen=True, kw_only=True)
class MeanGuesses(MeanScore):
    """The mean number of guesses; a lost game, for whatever reason, counts as `loss_cost`.

    `{}` in its heading stands for that number.
    """

    loss_cost: float = LOSS_COST

    def with_loss(self, loss_cost: float) -> "MeanGuesses":
        """Return the score with this cost of a lost game, also in its heading."""
        return replace(self, loss_cost=loss_cost, head=self.head.format(f"{loss_cost:g}"))

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the number of guesses of each game."""
        guesses = games["cost"].to_numpy(float)
        return np.where(np.isfinite(guesses), guesses, self.loss_cost)

    def without_luck(self, games: "LuckCorrected") -> Floats:
        """Return the numbers of guesses without most of the luck of the clues."""
        return games.cost(self.loss_cost)

    def lost(self, games: "LuckCorrected") -> Floats:
        """Return what each game would cost if it had been lost."""
        return games.lost_cost(self.loss_cost)

    @property
    def bounds(self) -> tuple[float, float]:
        """One guess, and the value of a lost game."""
        return 1.0, max(1.0, self.loss_cost)


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

    def with_loss(self, loss_cost: float) -> "MeanCost":
        """Return the score with this cost of a lost game."""
        return replace(self, loss_cost=loss_cost)

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the cost of each game, capped at `loss_cost`."""
        costs = games["cost"].to_numpy(float)
        return np.where(np.isfinite(costs), np.minimum(costs, self.loss_cost), self.loss_cost)

    def without_luck(self, games: "LuckCorrected") -> Floats:
        """Return the costs that the clues of each game promise."""
        return games.cost(self.loss_cost)

    def lost(self, games: "LuckCorrected") -> Floats:
        """Return what each game would cost if it had been lost."""
        return games.lost_cost(self.loss_cost)

    @property
    def bounds(self) -> tuple[float, float]:
        """Nothing, and the cost of a loss."""
        return 0.0, self.loss_cost


def proportion(values: Floats, lost: Floats | None = None, *, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of values around [0, 1] with its interval, both clipped to [0, 1].

    Args:
        values: The values, float[n] with n > 0.
        lost: What each game would be worth if it had been lost; None: games are not credited.
        confidence: The confidence level of the interval.
    """
    low, high = mean_bounds(values, 0.0 if lost is None else worst_value(lost, 0.0), 1.0, confidence)
    return Estimate(*(float(np.clip(number, 0, 1)) for number in (values.mean(), low, high)))


class WinProbability(MeanScore):
    """P(win): the mean posterior of the proposed answers, given the clues of each game, minus luck.

    It has the same expectation as the share of games won, but a smaller variance; see `wordpl.stats.estimates`.
    """

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the posterior of each game's answer, NaN if it is unknown; see `wordpl.stats.posterior_wins`."""
        if "posterior" not in games:
            return np.full(len(games), np.nan)
        return games["posterior"].to_numpy(float)

    def without_luck(self, games: "LuckCorrected") -> Floats:
        """Return the wins that the clues of each game promise."""
        return games.win

    def lost(self, games: "LuckCorrected") -> Floats:
        """Return what each game would be worth if it had been lost."""
        return games.lost(games.win)

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of a probability."""
        return 0.0, 1.0

    def __call__(self, values: Floats, lost: Floats | None = None, *, confidence: float = CONFIDENCE) -> Estimate:
        """Return the mean with its interval, both within [0, 1]."""
        known = values[~np.isnan(values)]
        return proportion(known, lost, confidence=confidence) if len(known) else Estimate(np.nan, np.nan, np.nan)


SCORES = [
    MeanGuesses(
        name="mean_guesses",
        head="mean (X = {})",
        lower_is_better=True,
        main=True,
        digits=3,
        applies=lambda game: not game.has_epsilon and game.limit is not None,
    ),
    MeanBudgetWon(name="mean_budget_won", head="mean if won", applies=costs_budget, shown="csv"),
    WinProbability(
        name="p_win", head="P(win)", applies=lambda game: game.has_answer_move, lower_is_better=False, percent=True
    ),
    MeanCost(name="mean_cost", head="mean cost", applies=costs_budget, lower_is_better=True),
    MeanGuesses(
        name="mean_tries",
        head="mean (lost = {})",
        lower_is_better=True,
        main=True,
        digits=3,
        applies=lambda game: not game.has_epsilon and game.limit is None,
    ),
]
