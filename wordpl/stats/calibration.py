"""Calibration of an entry's answers: how often they are right, compared with their posterior probabilities."""

from dataclasses import dataclass

import numpy as np

from wordpl.core.intervals import proportion_interval
from wordpl.stats.scores.score import Floats

EDGES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
MIN_GAMES = 5
"""The minimum number of games in a group; smaller groups are merged with their neighbours."""


@dataclass(frozen=True)
class CalibrationGroup:
    """Games whose answers have similar posterior probabilities.

    Attributes:
        low: The lowest posterior of the answers.
        high: The highest posterior of the answers.
        n_games: The number of games.
        said: The mean posterior of the answers.
        n_right: The number of right answers.
        right_low: The lower bound of the exact 95% interval of the probability that an answer is right.
        right_high: The upper bound of that interval.
    """

    low: float
    high: float
    n_games: int
    said: float
    n_right: int
    right_low: float
    right_high: float

    @property
    def agrees(self) -> bool:
        """Whether the mean posterior is in the interval."""
        return self.right_low <= self.said <= self.right_high


def calibration(posteriors: Floats, won: np.ndarray) -> list[CalibrationGroup]:
    """Return how often answers were right, grouped by their posterior probability.

    Args:
        posteriors: The posterior of each game's answer, 0 or NaN if there is no answer, float[n].
        won: Whether each answer was right, bool[n].
    """
    answered = np.nan_to_num(posteriors) > 0
    chances, right = posteriors[answered], won[answered]
    group = np.clip(np.searchsorted(EDGES, chances, side="right") - 1, 0, len(EDGES) - 2)
    groups: list[CalibrationGroup] = []
    waiting = np.zeros(len(chances), bool)
    for index in range(len(EDGES) - 1):
        waiting |= group == index
        is_last = not (group > index).any()
        if waiting.sum() >= MIN_GAMES or (is_last and waiting.any()):
            groups.append(_group(chances[waiting], right[waiting]))
            waiting[:] = False
    return groups


def _group(chances: Floats, right: np.ndarray) -> CalibrationGroup:
    n, hits = len(chances), int(right.sum())
    low, high = proportion_interval(hits, n)
    ends = float(chances.min()), float(chances.max())
    return CalibrationGroup(*ends, n, float(chances.mean()), hits, float(low), float(high))
