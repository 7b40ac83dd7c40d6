"""Elo, day after day: every two players of a day play a match, and the better one takes points from the other.

The expectation is that of Elo, The Rating of Chessplayers (1978): 1 / (1 + 10^((r_b - r_a) / 400)).
"""

from dataclasses import dataclass

import numpy as np

from wordpl.core.compiled import float_kernel, kernel
from wordpl.core.errors import UserError
from wordpl.stats.rankings.match_score import largest_difference
from wordpl.stats.rankings.ranking import Ranking
from wordpl.stats.rankings.results import Sheet

START = 1000.0
SCALE = 400.0


@kernel
def _in_turn(ratings: np.ndarray, who: np.ndarray, guesses: np.ndarray, k: float, largest: int) -> None:
    """Play each ordered pair of a day once; every match starts from the ratings that the one before has left."""
    for a in range(len(who)):
        for b in range(len(who)):
            if a != b:
                i, j = who[a], who[b]
                grade = 0.5 + (guesses[b] - guesses[a]) / (2 * largest)
                moved = k * (grade - 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / SCALE)))
                ratings[i] += moved
                ratings[j] -= moved


@kernel
def _at_once(ratings: np.ndarray, who: np.ndarray, guesses: np.ndarray, k: float, largest: int) -> None:
    """Play each ordered pair of a day once; every match starts from the ratings of the morning."""
    n = len(who)
    grades = n / 2 + (guesses.sum() - n * guesses) / (2 * largest)
    expected = _expectations(10 ** ((ratings[who] - START) / SCALE))
    ratings[who] += 2 * k * (grades - expected)  # as the first and as the second of a pair; against itself it is 0


@float_kernel
def _expectations(strengths: np.ndarray) -> np.ndarray:
    """Return the sum of each player's expectations against all, itself among them, float64[n]."""
    sums = np.zeros(len(strengths))
    for b in range(len(strengths)):
        other = strengths[b]
        for a in range(len(strengths)):  # inside, so that several numbers are divided in one instruction
            sums[a] += strengths[a] / (strengths[a] + other)
    return sums


@kernel
def _season(
    ratings: np.ndarray,
    results: tuple[np.ndarray, np.ndarray, np.ndarray],
    counts: np.ndarray,
    settings: tuple[float, bool, bool, int],
) -> None:
    """Play all days in turn, each as often as it counts.

    results: starts, who, guesses; day d has the results starts[d] to starts[d + 1]
    settings: k, per_opponent, start_of_day, the largest difference
    """
    starts, who, guesses = results
    k, per_opponent, start_of_day, largest = settings
    for day in range(len(counts)):
        rows = slice(starts[day], starts[day + 1])
        n_players = starts[day + 1] - starts[day]
        step = k / max(1, n_players - 1) if per_opponent else k
        for _ in range(counts[day]):
            if start_of_day:
                _at_once(ratings, who[rows], guesses[rows], step, largest)
            else:
                _in_turn(ratings, who[rows], guesses[rows], step, largest)


@dataclass(frozen=True, kw_only=True)
class Elo(Ranking):
    """Elo, updated by every pair of players of a day: it forgets the past, so it tells a player's form.

    A match is worth 0.5 + (b - a) / (2 R), by how many guesses it was won; R is 6, or 5 where X is left out. Within a
    day the players meet in the order of their names, each ordered pair once.

    k: how many points a match is about
    per_opponent: divide k by the number of opponents, without which a day of many players moves ratings by hundreds
    start_of_day: all matches of a day start from the ratings of that morning, so that their order does not matter
    """

    k: float = 2.0
    per_opponent: bool = False
    start_of_day: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.k < np.inf:
            raise UserError(f"k is a number above 0; got {self.k!r}.")

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings after the last day, float[k]."""
        return np.asarray(self.resampled(sheet, counts[None])[0])

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings after the last day of each resample, which has its days in their order."""
        day, who = np.nonzero(sheet.played)
        starts = np.searchsorted(day, np.arange(len(sheet.days) + 1))
        settings = (self.k, self.per_opponent, self.start_of_day, largest_difference(self.x_is_seven))
        results = (starts, who, sheet.guesses[day, who])
        found = np.full((len(counts), len(sheet.players)), START)
        for ratings, row in zip(found, self.waiting(counts), strict=True):
            _season(ratings, results, row, settings)
        return found


RANKINGS = [Elo(name="elo"), Elo(name="elo-batch", k=8.0, per_opponent=True, start_of_day=True)]
