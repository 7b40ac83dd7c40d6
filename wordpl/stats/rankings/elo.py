"""Elo ratings, updated day by day with a match between each pair of the day's players.

The expected score is that of Elo, The Rating of Chessplayers (1978): 1 / (1 + 10^((r_b - r_a) / 400)).
"""

from dataclasses import dataclass

import numpy as np

from wordpl.core.compiled import float_kernel, kernel
from wordpl.core.errors import UserError
from wordpl.stats.rankings.ranking import Ranking
from wordpl.stats.rankings.results import Sheet, largest_difference

START = 1000.0
SCALE = 400.0


@kernel
def _play_sequentially(ratings: np.ndarray, who: np.ndarray, guesses: np.ndarray, k: float, largest: int) -> None:
    """Play each ordered pair of a day once, with the ratings after the previous match."""
    for a in range(len(who)):
        for b in range(len(who)):
            if a != b:
                i, j = who[a], who[b]
                grade = 0.5 + (guesses[b] - guesses[a]) / (2 * largest)
                moved = k * (grade - 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / SCALE)))
                ratings[i] += moved
                ratings[j] -= moved


@kernel
def _play_simultaneously(ratings: np.ndarray, who: np.ndarray, guesses: np.ndarray, k: float, largest: int) -> None:
    """Play each ordered pair of a day once, with the ratings at the start of the day."""
    n = len(who)
    grades = n / 2 + (guesses.sum() - n * guesses) / (2 * largest)
    expected = _expectations(10 ** ((ratings[who] - START) / SCALE))
    ratings[who] += 2 * k * (grades - expected)  # twice, as each ordered pair counts; a match against oneself adds 0


@float_kernel
def _expectations(strengths: np.ndarray) -> np.ndarray:
    """Return the sum of each player's expected scores against all players including itself, float64[n]."""
    sums = np.zeros(len(strengths))
    for b in range(len(strengths)):
        other = strengths[b]
        for a in range(len(strengths)):  # the inner loop, so that divisions are vectorized
            sums[a] += strengths[a] / (strengths[a] + other)
    return sums


@kernel
def _play_season(
    ratings: np.ndarray,
    results: tuple[np.ndarray, np.ndarray, np.ndarray],
    counts: np.ndarray,
    settings: tuple[float, bool, bool, int],
) -> None:
    """Play all days in order, each as often as it counts.

    Args:
        ratings: The ratings, updated in place, float64[k].
        results: `starts`, `who` and `guesses`; day d has the results starts[d] to starts[d + 1].
        counts: How often each day counts, int[n].
        settings: `k`, `per_opponent`, `start_of_day`, and the largest possible difference in guesses.
    """
    starts, who, guesses = results
    k, per_opponent, start_of_day, largest = settings
    for day in range(len(counts)):
        rows = slice(starts[day], starts[day + 1])
        n_players = starts[day + 1] - starts[day]
        step = k / max(1, n_players - 1) if per_opponent else k
        for _ in range(counts[day]):
            if start_of_day:
                _play_simultaneously(ratings, who[rows], guesses[rows], step, largest)
            else:
                _play_sequentially(ratings, who[rows], guesses[rows], step, largest)


@dataclass(frozen=True, kw_only=True)
class Elo(Ranking):
    """Elo, updated by every pair of players of a day: old results fade, so that it shows a player's form.

    The score of a match is 0.5 + (b - a) / (2 R) for a guesses against b; R is 6, or 5 if X is left out. Within a day,
    each ordered pair plays once, in the order of names.

    Attributes:
        k: The K-factor: the maximum change of a rating by one match.
        per_opponent: Whether to divide k by the number of opponents; otherwise a day with many players changes ratings
            by hundreds of points.
        start_of_day: Whether all matches of a day use the ratings at its start, so that their order does not matter.
    """

    k: float = 2.0
    per_opponent: bool = False
    start_of_day: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.k < np.inf:
            raise UserError(f"k must be a number above 0; got {self.k!r}.")

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings after the last day, float[k]."""
        return np.asarray(self.resampled(sheet, counts[None])[0])

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings after the last day of each resample, whose days are in chronological order."""
        day, player = np.nonzero(sheet.played)
        starts = np.searchsorted(day, np.arange(len(sheet.days) + 1))
        settings = (self.k, self.per_opponent, self.start_of_day, largest_difference(self.x_is_seven))
        results = (starts, player, sheet.guesses[day, player])
        resampled_ratings = np.full((len(counts), len(sheet.players)), START)
        for ratings, row in zip(resampled_ratings, self.with_progress(counts), strict=True):
            _play_season(ratings, results, row, settings)
        return resampled_ratings


RANKINGS = [Elo(name="elo"), Elo(name="elo-batch", k=8.0, per_opponent=True, start_of_day=True)]
