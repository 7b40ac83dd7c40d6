"""Bootstrap intervals of ratings and places, and tiers of players who cannot be distinguished.

An interval is the rating plus or minus Student's t times the bootstrap standard error (Efron and Tibshirani, An
Introduction to the Bootstrap, chapters 6 and 12). Student's t, and a factor n / (n - 1) for the variance, widen it for
players with few games.
"""

import numpy as np
from scipy.special import stdtrit
from scipy.stats import rankdata

CONFIDENCE = 0.95
MIN_GAMES = 5
"""The minimum number of games for an interval: four days have only 35 different resamples."""


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
    margin[has_bounds] = _margin(found[:, has_bounds], n_games[has_bounds], (1 - CONFIDENCE) / 2)
    return ratings - margin, ratings + margin


def _margin(resampled: np.ndarray, n_games: np.ndarray, tail: float) -> np.ndarray:
    error = np.nanstd(resampled, axis=0, ddof=1) * np.sqrt(n_games / (n_games - 1))
    return np.asarray(stdtrit(n_games - 1, 1 - tail) * error)


def place_intervals(worth: np.ndarray, n_games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of each place's interval, float[k] each; NaN for players with too few games.

    Args:
        worth: The ratings in resamples, where higher is better, float[draws, k].
        n_games: The number of games of each player, int[k].
    """
    low, high = np.full((2, len(n_games)), np.nan)
    has_bounds = has_interval(n_games, len(worth))
    if has_bounds.any():
        places = rankdata(np.where(np.isnan(worth), np.inf, -worth), method="min", axis=1)
        tail = (1 - CONFIDENCE) / 2
        low[has_bounds] = np.quantile(places[:, has_bounds], tail, axis=0, method="inverted_cdf")
        high[has_bounds] = np.quantile(places[:, has_bounds], 1 - tail, axis=0, method="inverted_cdf")
    return low, high


def tiers(worth: np.ndarray, found: np.ndarray, n_games: np.ndarray) -> np.ndarray:
    """Return the tier of each player, int[k]; 1 is the best.

    The best player with an interval heads the first tier. It includes all players who are not shown to be worse: the
    interval of the paired difference contains 0. The best of the remaining players heads the next tier, and so on. So a
    player is in the first tier whose head is not shown to be better. Players with too few games are not shown to be
    worse than anybody. With k players, each difference has the confidence level 1 - 0.05 / (k - 1) (Bonferroni).

    Args:
        worth: The ratings, where higher is better, float[k].
        found: The same in resamples, float[draws, k].
        n_games: The number of games of each player, int[k].
    """
    tier = np.ones(len(worth), int)
    unplaced = has_interval(n_games, len(found))
    tail = (1 - CONFIDENCE) / 2 / max(1, len(worth) - 1)
    number = 0
    while unplaced.any():
        number += 1
        tier[unplaced] = number
        head = np.flatnonzero(unplaced)[np.argmax(worth[unplaced])]
        fewest = np.minimum(n_games[unplaced], n_games[head])
        margin = _margin(found[:, [head]] - found[:, unplaced], fewest, tail)
        unplaced[unplaced] = worth[head] - worth[unplaced] > margin
    return tier
