"""Anytime-valid sequential tests of a probability: they may be evaluated after every game without inflating errors.

Under "P(win) <= q", the likelihood ratio of any larger probability against q has an expectation of at most 1 after each
game, and so has its mean over a prior of larger probabilities. With probability 95%, this mean stays below 1 / 0.05 for
ever (Ville, Etude critique de la notion de collectif, 1939). Such mixtures are due to Robbins (Annals of Mathematical
Statistics 41, 1970); Waudby-Smith and Ramdas interpret them as bets (Journal of the Royal Statistical Society B 86,
2024). Here the prior is the part above q of Beta(s q, s (1 - q)), for which the mean has a closed form.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

import numpy as np

from wordpl.stats.compare.bounded_means import BETS, log_capital
from wordpl.stats.scores.score import CONFIDENCE

PRIOR_GAMES = 2000
"""The parameter s of the prior.

Of 200, 1,000, 3,000 and 10,000, the middle ones detect a probability 1 point above 50 % soonest within 20,000 games.
"""
LOG_THRESHOLD = -np.log(1 - CONFIDENCE)
ROUNDING = 1e-9
"""The rounding error that values may have."""


@dataclass(frozen=True)
class SequentialTestResult:
    """The result of a sequential test of a probability.

    Attributes:
        verdict: Whether the probability is "above" or "below" q, or "open" if the test has not decided. Each decision
            is wrong in at most 5% of all runs, however often one looks.
        n_read: The number of games.
        after: The number of games after which the test decided; None if it has not.
    """

    verdict: Literal["above", "below", "open"]
    n_read: int
    after: int | None = None


def log_evidence(n_won: np.ndarray, n_games: np.ndarray, q: float) -> np.ndarray:
    """Return the log evidence for P(win) > q; the test decides when it reaches LOG_THRESHOLD.

    Args:
        n_won: The numbers of games won.
        n_games: The numbers of games, an array of the same shape.
        q: The probability.
    """
    from scipy.special import betaincc, betaln, xlog1py, xlogy  # slow to import

    a, b = PRIOR_GAMES * q, PRIOR_GAMES * (1 - q)
    n_lost = n_games - n_won
    with np.errstate(divide="ignore"):  # if the posterior above q underflows to 0, there is no evidence
        above = np.log(betaincc(a + n_won, b + n_lost, q) / betaincc(a, b, q))
    evidence: np.ndarray = betaln(a + n_won, b + n_lost) - betaln(a, b) + above - xlogy(n_won, q) - xlog1py(n_lost, -q)
    return evidence


def sequential_test(won: np.ndarray, q: float) -> SequentialTestResult:
    """Test whether P(win) is above or below q.

    Args:
        won: Whether each game was won, in an order that is independent of the results, bool[n].
        q: The probability.
    """
    n_games = np.arange(1, len(won) + 1)
    n_won = np.cumsum(won)
    clear: dict[Literal["above", "below"], np.ndarray] = {
        "above": log_evidence(n_won, n_games, q) >= LOG_THRESHOLD,
        "below": log_evidence(n_games - n_won, n_games, 1 - q) >= LOG_THRESHOLD,
    }
    first = {verdict: int(np.argmax(hits)) + 1 for verdict, hits in clear.items() if hits.any()}
    if not first:
        return SequentialTestResult("open", len(won))
    verdict = min(first, key=lambda verdict: first[verdict])
    return SequentialTestResult(verdict, len(won), first[verdict])


def sequential_pair_test(first: np.ndarray, second: np.ndarray) -> SequentialTestResult:
    """Test which of two entries wins more often.

    Only games that exactly one of them has won count: for equally good entries, each is like the toss of a fair coin.

    Args:
        first: Whether the first entry has won each game, in the order of play, bool[n].
        second: Whether the second entry has won it, bool[n].
    """
    differing = np.flatnonzero(first != second)
    result = sequential_test(first[differing], 0.5)
    after = int(differing[result.after - 1]) + 1 if result.after else None
    return SequentialTestResult(result.verdict, len(first), after)


def sequential_mean_test(values: np.ndarray, q: float, limits: tuple[float, float]) -> SequentialTestResult:
    """Test whether the mean of bounded values is above or below q, in place of counted wins.

    A bettor stakes shares of a capital on each value, see `compare.bounded_means`.

    Args:
        values: The values in an order that is independent of them, float[n].
        q: The mean to compare with, strictly between the limits.
        limits: The smallest and the largest possible value.

    Raises:
        ValueError: A value is outside the limits: the errors would not be bounded.
    """
    low, high = limits
    if ((values < low - ROUNDING) | (values > high + ROUNDING)).any():
        raise ValueError(f"values should be from {low} to {high}, got {values.min()} to {values.max()}.")
    clear: dict[Literal["above", "below"], np.ndarray] = {
        "above": _betting_evidence((values - q) / (q - low)) >= LOG_THRESHOLD,
        "below": _betting_evidence((q - values) / (high - q)) >= LOG_THRESHOLD,
    }
    first = {verdict: int(np.argmax(hits)) + 1 for verdict, hits in clear.items() if hits.any()}
    if not first:
        return SequentialTestResult("open", len(values))
    verdict = min(first, key=lambda verdict: first[verdict])
    return SequentialTestResult(verdict, len(values), first[verdict])


def _betting_evidence(gains: np.ndarray) -> np.ndarray:
    """Return the log of the capital of all bets after each value; gains: at least -1, float[n]."""
    return log_capital(np.cumsum(np.log1p(np.maximum(BETS[:, None] * gains, -1 + ROUNDING)), axis=1))


def wins_needed(n_games: int, q: float) -> np.ndarray:
    """Return the number of wins at which the test decides for P(win) > q after 1 to `n_games` games, int[n_games].

    It is larger than the number of games if winning all of them is not enough.
    """
    n = np.arange(1, n_games + 1)
    low, high = np.zeros(n_games, int), n + 1  # high is sufficient, or larger than n
    while (low < high).any():
        middle = (low + high) // 2
        enough = log_evidence(np.minimum(middle, n), n, q) >= LOG_THRESHOLD
        low, high = np.where((low < high) & ~enough, middle + 1, low), np.where((low < high) & enough, middle, high)
    return low


def in_order(played: Collection[int], order: Sequence[int]) -> list[int]:
    """Return the numbers of played games in the order of play, up to the first one that has not been played.

    Later games that have already been played are left out: they are the faster ones, which would bias the test.
    """
    finished = set(played)
    return list(takewhile(finished.__contains__, order))
