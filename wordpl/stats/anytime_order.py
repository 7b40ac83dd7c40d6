"""The order of players who meet in rounds, when who plays again depends on the results so far.

Two players are compared on the games that both have played; the bound of their difference holds at all times at once
(`wordpl.stats.anytime_means`). Pairs are numbered in the order in which they first met, and each gets its own share of
alpha, so that with probability 1 - alpha all bounds hold for ever, for any number of players and rounds and any choice
of who meets. Bounds that hold all at once may be added up: a is at least 2 above b, and b at least 1 above c.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl.stats import anytime_means
from wordpl.stats.scores.score import CONFIDENCE, Floats

PAIRS_SHARE = 0.8
"""The share of alpha for the differences of pairs; the rest is for the means of players."""
PAIRS_SCALE, PLAYERS_SCALE = 3000.0, 100.0
"""How many questions get one half of their alpha, see `anytime_means.spent_alpha`."""

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Bounds:
    """Bounds of the means of k players and of their differences, all of which hold at once.

    Attributes:
        n_games: The number of games of each player, int[k].
        means: The mean of each player's games, float[k]; NaN without games.
        low, high: The bounds of each player's mean, float[k].
        least: The lower bound of the mean of player i minus that of player j, float[k, k].
    """

    n_games: Ints
    means: Floats
    low: Floats
    high: Floats
    least: Floats

    @property
    def better(self) -> Bools:
        """Whether player i is shown to have a higher mean than player j, bool[k, k]."""
        shown = np.asarray(self.least > 0)
        np.fill_diagonal(shown, False)
        return shown


class AnytimeOrder:
    """The bounds of players who meet in rounds.

    A bound that held after an earlier round holds for ever, so that bounds never become wider.

    Example:
        order = AnytimeOrder((0.0, 1.0))
        order.add([0, 1, 2], values)  # float[3, n]: what each of them got in n common games
        order.add([0, 3], others)
        order.bounds().better
    """

    def __init__(self, limits: tuple[float, float], alpha: float = 1 - CONFIDENCE):
        """Create an order of no players.

        Args:
            limits: The smallest and the largest possible value of a game.
            alpha: The probability that any of the bounds ever fails.
        """
        self.limits, self.alpha = limits, alpha
        self._sums = np.zeros((0, anytime_means.N_POWERS))
        self._pair_sums = np.zeros((0, 0, anytime_means.N_POWERS))
        self._pair_numbers = np.zeros((0, 0), np.int64)
        self._n_pairs = 0
        self._least = np.zeros((1, 1))  # the first player is none: its mean is 0

    def add(self, players: Sequence[int], values: Floats) -> None:
        """Add a round.

        Args:
            players: The numbers of the players, in any order; a new player has the next free number.
            values: What each player got in each game, all of them the same games, float[k, n]; higher is better.

        Raises:
            ValueError: A value is outside the limits: the bounds would not hold.
        """
        low, high = self.limits
        if not ((values >= low) & (values <= high)).all():
            raise ValueError(f"values should be from {low} to {high}, got {values.min()} to {values.max()}.")
        ids = np.asarray(players, np.int64)
        self._grow(int(ids.max(initial=-1)) + 1)
        middle = (low + high) / 2  # differences are the same; smaller numbers have smaller rounding errors
        self._sums[ids] += anytime_means.powers(values)
        self._pair_sums[np.ix_(ids, ids)] += anytime_means.pair_powers(values - middle)
        for i, j in ((i, j) for i in sorted(players) for j in sorted(players) if i < j):
            if self._pair_numbers[i, j] < 0:
                self._pair_numbers[i, j] = self._pair_numbers[j, i] = self._n_pairs
                self._n_pairs += 1
        self._tighten(ids)

    def bounds(self) -> Bounds:
        """Return the bounds from all rounds so far."""
        n_games = self._sums[:, 0]
        means = np.divide(self._sums[:, 1], n_games, out=np.full(len(n_games), np.nan), where=n_games > 0)
        least = self._least
        return Bounds(n_games.astype(np.int64), means, least[1:, 0].copy(), -least[0, 1:], least[1:, 1:].copy())

    def _tighten(self, ids: Ints) -> None:
        """Update the bounds of these players, of their differences, and all bounds that follow from these."""
        low, high = self.limits
        least = self._least
        alphas = anytime_means.spent_alpha(ids, (1 - PAIRS_SHARE) * self.alpha, PLAYERS_SCALE)
        lowest, highest = anytime_means.intervals(self._sums[ids], self.limits, alphas)
        least[ids + 1, 0] = np.maximum(least[ids + 1, 0], lowest)
        least[0, ids + 1] = np.maximum(least[0, ids + 1], -highest)
        a, b = np.nonzero(ids[:, None] != ids)
        i, j = ids[a], ids[b]
        pair_alphas = anytime_means.spent_alpha(self._pair_numbers[i, j], PAIRS_SHARE * self.alpha / 2, PAIRS_SCALE)
        bounds = anytime_means.lower_bounds(self._pair_sums[i, j], low - high, pair_alphas)
        least[i + 1, j + 1] = np.maximum(least[i + 1, j + 1], bounds)
        for between in [0, *(ids + 1)]:  # all sums of the other bounds were compared before
            np.maximum(least, least[:, [between]] + least[[between], :], out=least)

    def _grow(self, n_players: int) -> None:
        low, high = self.limits
        more = max(0, n_players - len(self._sums))
        self._sums = np.pad(self._sums, ((0, more), (0, 0)))
        self._pair_sums = np.pad(self._pair_sums, ((0, more), (0, more), (0, 0)))
        self._pair_numbers = np.pad(self._pair_numbers, ((0, more), (0, more)), constant_values=-1)
        known = len(self._least)
        self._least = np.pad(self._least, ((0, more), (0, more)), constant_values=low - high)
        self._least[known:, 0], self._least[0, known:] = low, -high
        np.fill_diagonal(self._least, 0.0)


def rank_intervals(better: Bools, players: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the first and the last possible rank of each of these players among them, int[k] each.

    Args:
        better: Whether player i is shown to be better than player j, bool[n, n].
        players: The numbers of the players who are ranked.
    """
    among = better[np.ix_(players, players)]
    return 1 + among.sum(axis=0), len(players) - among.sum(axis=1)
