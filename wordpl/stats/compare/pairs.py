"""How many games were won, said exactly: of one entry, and of two on the same games."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtri

from wordpl.stats.scores.score import CONFIDENCE


@dataclass(frozen=True)
class Pairs:
    """Two entries on the same games: those that only one of them has won tell who is better.

    p_value: how likely a split as uneven is, were both equally good (McNemar's test, exact)
    low, high: the 95% interval of how much more often the first wins
    """

    n_games: int
    only_first: int
    only_second: int
    p_value: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """How much larger the first one's share of games won is."""
        return (self.only_first - self.only_second) / self.n_games


def pairs(first: np.ndarray, second: np.ndarray) -> Pairs:
    """Return how two entries compare that won these games, bool[n] each, n > 0.

    The interval is that of Bonett and Price (Journal of Educational and Behavioral Statistics 37, 2012): Wald's, with
    one game more won by each alone.
    """
    n, only_first, only_second = len(first), int((first & ~second).sum()), int((second & ~first).sum())
    discordant = only_first + only_second
    share, lead = (discordant + 2) / (n + 2), (only_first - only_second) / (n + 2)
    margin = ndtri((1 + CONFIDENCE) / 2) * np.sqrt((share - lead**2) / (n + 2))
    p_value = min(1.0, 2 * bdtr(min(only_first, only_second), discordant, 0.5))
    low, high = max(-1.0, lead - margin), min(1.0, lead + margin)
    return Pairs(n, only_first, only_second, float(p_value), float(low), float(high))
