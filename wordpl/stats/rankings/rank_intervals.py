"""What resamples of the days say: intervals of ratings and of places, and who is told apart from whom.

An interval is the rating plus and minus Student's t times the standard error that the resamples show (Efron and
Tibshirani, An Introduction to the Bootstrap, chapters 6 and 12). Student's t, and a factor n / (n - 1) for the
variance, widen it where a player has few games.
"""

import numpy as np
from scipy.special import stdtrit
from scipy.stats import rankdata

CONFIDENCE = 0.95
MIN_GAMES = 5
"""Games below which a player has no interval: resamples of four days are only 35 different ones."""


def has_interval(n_games: np.ndarray, draws: int) -> np.ndarray:
    """Return which players have games enough, and resamples, for an interval: bool[k]."""
    return (n_games >= MIN_GAMES) & (draws > 1)


def intervals(ratings: np.ndarray, found: np.ndarray, n_games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of each rating's interval, float[k] each; NaN for players with too few games.

    found: ratings in resamples, float[draws, k]
    """
    margin = np.full(len(ratings), np.nan)
    known = has_interval(n_games, len(found))
    margin[known] = _margin(found[:, known], n_games[known], (1 - CONFIDENCE) / 2)
    return ratings - margin, ratings + margin


def _margin(found: np.ndarray, n_games: np.ndarray, tail: float) -> np.ndarray:
    error = np.nanstd(found, axis=0, ddof=1) * np.sqrt(n_games / (n_games - 1))
    return np.asarray(stdtrit(n_games - 1, 1 - tail) * error)


def place_intervals(worth: np.ndarray, n_games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of each place's interval, float[k] each; NaN for players with too few games.

    worth: ratings in resamples, the higher the better, float[draws, k]
    """
    low, high = np.full((2, len(n_games)), np.nan)
    known = has_interval(n_games, len(worth))
    if known.any():
        places = rankdata(np.where(np.isnan(worth), np.inf, -worth), method="min", axis=1)
        tail = (1 - CONFIDENCE) / 2
        low[known] = np.quantile(places[:, known], tail, axis=0, method="inverted_cdf")
        high[known] = np.quantile(places[:, known], 1 - tail, axis=0, method="inverted_cdf")
    return low, high


def tiers(worth: np.ndarray, found: np.ndarray, n_games: np.ndarray) -> np.ndarray:
    """Return the tier of each player, int[k], 1 the best.

    The best player with an interval heads the first tier. With it are all who are not shown to be worse: whose
    difference from it, resample by resample, has an interval that reaches 0. The best of the others heads the next
    tier, and so on: so a player is in the first tier whose head is not shown to be better. One with too few games is
    not shown to be worse than anybody. Among k players each difference is held to a confidence of 1 - 0.05 / (k - 1)
    (Bonferroni).

    worth: ratings, the higher the better, float[k]; found: the same in resamples, float[draws, k]
    """
    tier = np.ones(len(worth), int)
    left = has_interval(n_games, len(found))
    tail = (1 - CONFIDENCE) / 2 / max(1, len(worth) - 1)
    number = 0
    while left.any():
        number += 1
        tier[left] = number
        head = np.flatnonzero(left)[np.argmax(worth[left])]
        fewest = np.minimum(n_games[left], n_games[head])
        margin = _margin(found[:, [head]] - found[:, left], fewest, tail)
        left[left] = worth[head] - worth[left] > margin
    return tier
