"""Bootstrap intervals of ratings and places, and tiers of players who cannot be distinguished.

An interval is the rating plus or minus Student's t times the bootstrap standard error (Efron and Tibshirani, An
Introduction to the Bootstrap, chapters 6 and 12). Student's t, and a factor n / (n - 1) for the variance, widen it for
players with few games.
"""

import numpy as np
from scipy.special import stdtrit

CONFIDENCE = 0.95
MIN_GAMES = 5
"""The minimum number of games for an interval: four days have only 35 different resamples."""
BLOCK = 100
"""The number of players that are compared with all others at once, which bounds the memory."""


def has_interval(n_games: np.ndarray, draws: int) -> np.ndarray:
    """Return which players have enough games and resamples for an interval, bool[k]."""
    return (n_games >= MIN_GAMES) & (draws > 1)


def intervals(ratings: np.ndarray, found: np.ndarray, n_games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of each rating's interval, float[k] each; NaN for players with too few games.

    Args:
        ratings: The ratings, float[k].
        found: The ratings in resamples, float[draws, k].
        n_games: The number of games of each player, int[k].
    """
    margin = np.full(len(ratings), np.nan)
    has_bounds = has_interval(n_games, len(found))
    n = n_games[has_bounds]
    error = np.nanstd(found[:, has_bounds], axis=0, ddof=1) * np.sqrt(n / (n - 1))
    margin[has_bounds] = stdtrit(n - 1, (1 + CONFIDENCE) / 2) * error
    return ratings - margin, ratings + margin


def shown_better(worth: np.ndarray, found: np.ndarray, n_games: np.ndarray) -> np.ndarray:
    """Return which players are shown to be better than which others, bool[k, k]: [i, j] if i is better than j.

    These are all pairs whose paired difference has an interval above 0. The confidence level allows for all pairs, so
    that no claim about k players is false with a probability of 95%: each difference has the level
    1 - 0.05 / (k (k - 1) / 2) (Bonferroni). Nothing is shown about players with too few games.

    Args:
        worth: The ratings, where higher is better, float[k].
        found: The same in resamples, float[draws, k]; NaN for players missing from a resample.
        n_games: The number of games of each player, int[k].
    """
    better = np.zeros((len(worth), len(worth)), bool)
    players = np.flatnonzero(has_interval(n_games, len(found)))
    k, n = len(players), n_games[players]
    if k < 2:
        return better
    scale = stdtrit(n - 1, 1 - (1 - CONFIDENCE) / (k * (k - 1))) * np.sqrt(n / (n - 1))
    gaps = found[:, players] - np.nanmean(found[:, players], axis=0)
    for first in range(0, k, BLOCK):
        rows = slice(first, first + BLOCK)
        margin = np.maximum(scale[rows, None], scale) * _errors_of_differences(gaps, rows)
        lead = worth[players][rows, None] - worth[players]
        better[np.ix_(players[rows], players)] = lead > margin
    return better


def _errors_of_differences(gaps: np.ndarray, rows: slice) -> np.ndarray:
    """Return the standard deviations of the differences between these players and all, [len(rows), k].

    Args:
        gaps: The ratings in resamples minus their means, float[draws, k]; NaN if a player is missing.
        rows: The players.
    """
    has, gaps = (~np.isnan(gaps)).astype(float), np.nan_to_num(gaps)
    n_both = has[:, rows].T @ has
    sums = gaps[:, rows].T @ has - has[:, rows].T @ gaps
    squares = (gaps[:, rows] ** 2).T @ has + has[:, rows].T @ gaps**2 - 2 * gaps[:, rows].T @ gaps
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (squares - sums**2 / n_both) / (n_both - 1)
    return np.sqrt(np.where(n_both > 1, np.maximum(variance, 0.0), np.inf))


def place_intervals(better: np.ndarray, has_bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of each place's interval, float[k] each; NaN for players without.

    All intervals hold at once with a probability of 95%: a place is at least 1 + the number of players who are shown to
    be better, and at most k - the number of those who are shown to be worse.

    Args:
        better: Which players are shown to be better than which others, bool[k, k].
        has_bounds: Which players have enough games for an interval, bool[k].
    """
    low, high = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return np.where(has_bounds, low, np.nan), np.where(has_bounds, high, np.nan)


def tiers(worth: np.ndarray, better: np.ndarray, has_bounds: np.ndarray) -> np.ndarray:
    """Return the tier of each player, int[k]; 1 is the best.

    The best player with an interval heads the first tier. It includes all players to whom the head is not shown to be
    better. The best of the remaining players heads the next tier, and so on. So a player is in the first tier whose
    head is not shown to be better. Players with too few games are not shown to be worse than anybody.

    Args:
        worth: The ratings, where higher is better, float[k].
        better: Which players are shown to be better than which others, bool[k, k].
        has_bounds: Which players have enough games for an interval, bool[k].
    """
    tier, unplaced, number = np.ones(len(worth), int), has_bounds.copy(), 0
    while unplaced.any():
        number += 1
        tier[unplaced] = number
        head = np.flatnonzero(unplaced)[np.argmax(worth[unplaced])]
        unplaced &= better[head]
    return tier
