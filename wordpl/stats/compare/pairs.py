"""Exact comparison of the wins of two entries on the same games."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtri

from wordpl.stats.scores.score import CONFIDENCE


@dataclass(frozen=True)
class Pairs:
    """A paired comparison of the wins of two entries.

    Attributes:
        n_games: The number of games.
        only_first, only_second: The numbers of games that only one of them has won.
        p_value: The two-sided p-value of McNemar's exact test.
        low, high: The 95% interval of the difference between the shares of games won.
    """

    n_games: int
    only_first: int
    only_second: int
    p_value: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """The first entry's share of games won minus the second one's."""
        return (self.only_first - self.only_second) / self.n_games


def pairs(first: np.ndarray, second: np.ndarray) -> Pairs:
    """Compare the wins of two entries.

    The interval is that of Bonett and Price (Journal of Educational and Behavioral Statistics 37, 2012): Wald's, after
    adding one game that only the first entry has won, and one that only the second has won.

    Args:
        first: Whether the first entry has won each game, bool[n] with n > 0.
        second: Whether the second entry has won it, bool[n].
    """
    n, only_first, only_second = len(first), int((first & ~second).sum()), int((second & ~first).sum())
    discordant = only_first + only_second
    share, lead = (discordant + 2) / (n + 2), (only_first - only_second) / (n + 2)
    margin = ndtri((1 + CONFIDENCE) / 2) * np.sqrt((share - lead**2) / (n + 2))
    p_value = min(1.0, 2 * bdtr(min(only_first, only_second), discordant, 0.5))
    low, high = max(-1.0, lead - margin), min(1.0, lead + margin)
    return Pairs(n, only_first, only_second, float(p_value), float(low), float(high))
