"""The mean number of guesses, with corrections for small numbers of games and for hard days."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from wordpl.core.messages import UserError
from wordpl.stats.rankings.ranking import Ranking, Sheet

MIN_SPREAD = 0.01
MAX_ITERATIONS = 100
TOLERANCE = 1e-6

DayAdjustment = Literal["none", "subtract", "ridge"]
Shrinkage = Literal["none", "sample", "pooled"]
CHOICES = {"day_adjustment": ("none", "subtract", "ridge"), "shrinkage": ("none", "sample", "pooled")}


def shrink(mean: np.ndarray, variance: np.ndarray, n_games: np.ndarray, spread: float, middle: float) -> np.ndarray:
    """Return means shrunk towards the population mean by empirical Bayes (Efron and Morris, 1975).

    The result is f mean + (1 - f) middle with f = spread / (spread + variance / n_games).

    Args:
        mean: The mean of each player.
        variance: The variance of one result of each player; if it is infinite, the result is the population mean.
        n_games: The number of games of each player.
        spread: The variance between players.
        middle: The population mean.

    >>> round(float(shrink(11 / 3, 1 / 3, 3, 0.1, 4.0)), 6)
    3.842105
    """
    with np.errstate(invalid="ignore"):
        weight = spread / (spread + variance / n_games)
        return np.where(np.isinf(variance), middle, weight * mean + (1 - weight) * middle)


@dataclass(frozen=True, kw_only=True)
class Mean(Ranking):
    """The mean number of guesses: easy to understand, and as good a forecast as any.

    Attributes:
        day_adjustment: "subtract" subtracts the difference between the day's mean and the overall mean from each
            result, so that the only player of a day is always average. "ridge" fits effects of players and days
            together by ridge regression (Hoerl and Kennard, 1970), so that a day counts as hard only if its players did
            worse than usual.
        ridge: The number of results at which the effect of a player or a day is shrunk by half.
        shrinkage: Shrinkage towards the mean of all players. "sample" uses each player's own variance, so that a mean
            of equal results is not shrunk, and a single result is ignored; "pooled" uses one variance for all players.
    """

    higher_is_better: ClassVar[bool] = False

    day_adjustment: DayAdjustment = "none"
    ridge: float = 3.0
    shrinkage: Shrinkage = "pooled"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UserError(f"{name} must be one of {', '.join(choices)}; got {getattr(self, name)!r}.")

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the mean of each player, float[k]."""
        return np.asarray(self.resampled(sheet, counts[None])[0])

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the means in each resample, float[draws, k], computed together by matrix products."""
        means, deviations, n_games = self._means(sheet, counts)
        return np.array([self._shrunk(*row) for row in zip(means, deviations, n_games, strict=True)])

    def before_shrinkage(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray | None:
        """Return the means in each resample before they are shrunk, float[draws, k]; None: they are not."""
        if self.shrinkage == "none":
            return None
        means, _, n_games = self._means(sheet, counts)
        return np.where(n_games > 0, means, np.nan)

    def _means(self, sheet: Sheet, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the mean, the sum of squared deviations and the number of games, float[draws, k] each."""
        played, guesses = sheet.played, np.nan_to_num(sheet.guesses)
        counts = counts.astype(float)
        hardness = self._hardness(played, guesses, counts)
        n_games = counts @ played
        total_hardness = counts * hardness
        sums = counts @ guesses - total_hardness @ played
        squares = counts @ guesses**2 - 2 * total_hardness @ guesses + (total_hardness * hardness) @ played
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = sums / n_games
            deviations = np.maximum(squares - n_games * mean**2, 0)
        return mean, deviations, n_games

    def _hardness(self, played: np.ndarray, guesses: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the adjustment of each day: how many more guesses than average it took, float[draws, n]."""
        if self.day_adjustment == "none":
            return np.zeros(counts.shape)
        n_players = played.sum(axis=1)
        overall = (counts @ guesses.sum(axis=1) / (counts @ n_players))[:, None]
        if self.day_adjustment == "subtract":
            return np.asarray(guesses.sum(axis=1) / n_players - overall)
        return self._ridge(played, guesses, counts, overall)

    def _ridge(self, played: np.ndarray, guesses: np.ndarray, counts: np.ndarray, overall: np.ndarray) -> np.ndarray:
        """Return the day effects of the two-way fit, by alternately fitting days and players until convergence."""
        n_players, n_games = played.sum(axis=1), counts @ played
        days = np.zeros(counts.shape)
        totals = guesses.sum(axis=1) - overall * n_players
        results = counts @ guesses - overall * n_games
        for _ in range(MAX_ITERATIONS):
            players = (results - (counts * days) @ played) / (n_games + self.ridge)
            before, days = days, (totals - players @ played.T) / (n_players + self.ridge)
            days -= (counts * days) @ n_players[:, None] / (counts @ n_players)[:, None]  # day effects have mean 0
            if np.abs(days - before).max() < TOLERANCE:
                break
        return days

    def _shrunk(self, mean: np.ndarray, deviations: np.ndarray, n_games: np.ndarray) -> np.ndarray:
        """Return the means after shrinkage, float[k].

        The spread is the weighted variance of the means minus their mean sampling variance, but at least MIN_SPREAD.
        """
        has_games, repeated = n_games > 0, n_games > 1
        if self.shrinkage == "none" or not has_games.any():
            return mean
        middle = float(np.average(mean[has_games], weights=n_games[has_games]))
        if not repeated.any():
            return np.where(has_games, middle, np.nan)
        if self.shrinkage == "pooled":
            variance = np.full(len(mean), deviations[has_games].sum() / (n_games[repeated] - 1).sum())
        else:
            variance = np.divide(deviations, n_games - 1, out=np.full(len(mean), np.inf), where=repeated)
        weights = n_games[repeated]
        between = np.average((mean[repeated] - middle) ** 2, weights=weights)
        sampling = np.average(variance[repeated] / n_games[repeated], weights=weights)
        spread = max(MIN_SPREAD, between - sampling)
        with np.errstate(divide="ignore", invalid="ignore"):
            return shrink(mean, variance, n_games, spread, middle)


@dataclass(frozen=True, kw_only=True)
class Total(Ranking):
    """The sum of guesses, as groups count that play for the lowest total; X always counts as 7.

    Attributes:
        missed: How many guesses a missed day counts as, from a player's first result on; 0: missed days do not count.
        open_day: A day that can still be played, on which nobody has missed anything yet.
    """

    higher_is_better: ClassVar[bool] = False

    missed: int = 0
    open_day: int | None = None

    def __post_init__(self) -> None:
        if self.missed < 0:
            raise UserError(f"missed must be a number of guesses from 0; got {self.missed}.")
        object.__setattr__(self, "x_is_seven", True)  # a total without X would reward giving up

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the total of each player, float[k]."""
        return np.asarray(self.resampled(sheet, counts[None])[0])

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the totals in each resample, float[draws, k]."""
        has_begun = np.maximum.accumulate(sheet.played, axis=0) > 0
        is_missed = has_begun & np.isnan(sheet.guesses) & (sheet.days != self.open_day)[:, None]
        return np.asarray(counts.astype(float) @ np.where(is_missed, self.missed, np.nan_to_num(sheet.guesses)))


RANKINGS = [
    Mean(name="mean"),
    Mean(name="mean-by-day", day_adjustment="subtract"),
    Mean(name="mean-ridge", day_adjustment="ridge"),
    Total(name="total"),
]
