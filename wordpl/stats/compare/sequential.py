"""Tests that may be read after every game, and stop when the matter is clear, without an error for having looked.

Under "P(win) <= q" the likelihood ratio of any larger chance against q is on average at most 1 after each game, and so
is its mean over a distribution of larger chances, which in 95% of all runs stays below 1 / 0.05 for ever (Ville, Etude
critique de la notion de collectif, 1939). Such mixtures are Robbins's (Annals of Mathematical Statistics 41, 1970); as
bets they are described by Waudby-Smith and Ramdas (Journal of the Royal Statistical Society B 86, 2024). Here it is the
part above q of Beta(s q, s (1 - q)), for which the mean has a closed form.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

import numpy as np
from scipy.special import betaincc, betaln, xlog1py, xlogy

from wordpl.stats.scores.score import CONFIDENCE

PRIOR_GAMES = 2000
"""s: of 200, 1,000, 3,000 and 10,000, the middle ones find a chance 1 point above 50 % soonest within 20,000 games."""
CLEAR = -np.log(1 - CONFIDENCE)


@dataclass(frozen=True)
class SequentialTestResult:
    """What games read in their order say of a chance.

    verdict: "above" q, "below" q, or "open" as long as it is not clear; each of the first two is wrong in at most 5% of
        all runs, however often one looks
    n_read: the games read; after: those that had been read when it became clear
    """

    verdict: Literal["above", "below", "open"]
    n_read: int
    after: int | None = None


def log_evidence(n_won: np.ndarray, n_games: np.ndarray, q: float) -> np.ndarray:
    """Return the logarithm of the evidence that a game is won more often than `q`; above `CLEAR` it is clear."""
    a, b = PRIOR_GAMES * q, PRIOR_GAMES * (1 - q)
    n_lost = n_games - n_won
    with np.errstate(divide="ignore"):  # no part of the mixture is left above q: then there is no evidence
        above = np.log(betaincc(a + n_won, b + n_lost, q) / betaincc(a, b, q))
    evidence: np.ndarray = betaln(a + n_won, b + n_lost) - betaln(a, b) + above - xlogy(n_won, q) - xlog1py(n_lost, -q)
    return evidence


def sequential_test(won: np.ndarray, q: float) -> SequentialTestResult:
    """Return what games say of "P(win) is above q", bool[n] in an order that has nothing to do with how they ended."""
    n_games = np.arange(1, len(won) + 1)
    n_won = np.cumsum(won)
    clear: dict[Literal["above", "below"], np.ndarray] = {
        "above": log_evidence(n_won, n_games, q) >= CLEAR,
        "below": log_evidence(n_games - n_won, n_games, 1 - q) >= CLEAR,
    }
    first = {verdict: int(np.argmax(hits)) + 1 for verdict, hits in clear.items() if hits.any()}
    if not first:
        return SequentialTestResult("open", len(won))
    verdict = min(first, key=lambda verdict: first[verdict])
    return SequentialTestResult(verdict, len(won), first[verdict])


def sequential_pair_test(first: np.ndarray, second: np.ndarray) -> SequentialTestResult:
    """Return what games say of "the first wins more often", bool[n] each for the same games in their order.

    Only games that one of them has won count: were both equally good, each would be a toss of a fair coin.
    """
    differing = np.flatnonzero(first != second)
    found = sequential_test(first[differing], 0.5)
    after = int(differing[found.after - 1]) + 1 if found.after else None
    return SequentialTestResult(found.verdict, len(first), after)


def wins_needed(n_games: int, q: float) -> np.ndarray:
    """Return, for 1 to `n_games` games, how many must have been won for P(win) > q to be clear, int[n_games].

    More than the games, where all of them would not do.
    """
    n = np.arange(1, n_games + 1)
    low, high = np.zeros(n_games, int), n + 1  # high is enough, or more than there are
    while (low < high).any():
        middle = (low + high) // 2
        enough = log_evidence(np.minimum(middle, n), n, q) >= CLEAR
        low, high = np.where((low < high) & ~enough, middle + 1, low), np.where((low < high) & enough, middle, high)
    return low


def in_order(played: Collection[int], order: Sequence[int]) -> list[int]:
    """Return the numbers of games in their order of play, up to the first that has not been played.

    A run that goes on has played some later ones already, and these are not to be read: quick games overtake.
    """
    there = set(played)
    return list(takewhile(there.__contains__, order))
