"""Whether an entry's last answers are right as often as its clues allow: what the posterior said against what was."""

from dataclasses import dataclass

import numpy as np

from wordpl.core.intervals import proportion_interval
from wordpl.stats.scores.score import Floats

EDGES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
MIN_GAMES = 5
"""Neighbouring groups of fewer games are joined."""


@dataclass(frozen=True)
class CalibrationGroup:
    """Games whose answers were about equally likely.

    Attributes:
        low: The least posterior of an answer of the group.
        high: The largest one.
        n_games: The games.
        said: The mean posterior of their answers, given the clues.
        n_right: How many answers were right.
        right_low: The lower end of the exact 95% interval of the chance to be right.
        right_high: Its upper end.
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
        """Whether what the posterior said lies in the interval."""
        return self.right_low <= self.said <= self.right_high


def calibration(posteriors: Floats, won: np.ndarray) -> list[CalibrationGroup]:
    """Return how often answers were right, by what the posterior said of them.

    Args:
        posteriors: Of the answer of each game, 0 or NaN where there was none; float[n].
        won: Whether each was right, bool[n].
    """
    answered = np.nan_to_num(posteriors) > 0
    chances, right = posteriors[answered], won[answered]
    group = np.clip(np.searchsorted(EDGES, chances, side="right") - 1, 0, len(EDGES) - 2)
    found: list[CalibrationGroup] = []
    waiting = np.zeros(len(chances), bool)
    for at in range(len(EDGES) - 1):
        waiting |= group == at
        is_last = not (group > at).any()
        if waiting.sum() >= MIN_GAMES or (is_last and waiting.any()):
            found.append(_group(chances[waiting], right[waiting]))
            waiting[:] = False
    return found


def _group(chances: Floats, right: np.ndarray) -> CalibrationGroup:
    n, hits = len(chances), int(right.sum())
    low, high = proportion_interval(hits, n)
    ends = float(chances.min()), float(chances.max())
    return CalibrationGroup(*ends, n, float(chances.mean()), hits, float(low), float(high))
