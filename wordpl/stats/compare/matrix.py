"""Every entry beside every other: who is better in a score, by how much, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl.stats.compare.differences import difference, difference_interval
from wordpl.stats.compare.games import worth_of
from wordpl.stats.compare.significance import PairwiseSignificance
from wordpl.stats.scores import Score
from wordpl.stats.scores.score import Floats


@dataclass(frozen=True, eq=False)
class ComparisonMatrix:
    """How k entries compare pair by pair in one score; row i, column j says how i compares with j.

    Attributes:
        score: The score's name.
        entries: The entries' names, in the order of rows and columns.
        difference: Of the values, i less j, float[k, k].
        low: The lower end of its 95% interval.
        high: The upper end.
        chance: The probability that i is better.
        better: Whether i has been shown to be better, in a family of all pairs, bool[k, k].
    """

    score: str
    entries: tuple[str, ...]
    difference: Floats
    low: Floats
    high: Floats
    chance: Floats
    better: NDArray[np.bool_]


def comparison_matrices(
    scores: Sequence[Score], compared: Mapping[str, PairwiseSignificance]
) -> list[ComparisonMatrix]:
    """Return a matrix for each score, from the tests and resamples by which the entries were ranked.

    Args:
        scores: Scores that have a better and a worse.
        compared: How the entries compare in each, as `pairwise_significance` gives it.
    """
    return [_matrix(score, compared[score.name]) for score in scores]


def _matrix(score: Score, compared: PairwiseSignificance) -> ComparisonMatrix:
    k, redrawn = len(compared.values), compared.redrawn
    differences, low, high, chance = (np.zeros((k, k)) for _ in range(4))
    chance[:] = 0.5
    for i in range(k):
        others = np.flatnonzero(np.arange(k) != i)
        rows = np.concatenate([[i], others])
        gaps = np.sort(difference(redrawn[i], redrawn[others]), axis=1)
        lead = np.sign(worth_of(gaps, score.lower_is_better))
        chance[i, others] = ((lead > 0).sum(axis=1) + (lead == 0).sum(axis=1) / 2 + 0.5) / (gaps.shape[1] + 1)
        differences[i, others] = difference(compared.values[i], compared.values[others])
        low[i, others], high[i, others] = difference_interval(score, compared.per_game[rows], gaps)
    return ComparisonMatrix(score.name, compared.entries, differences, low, high, chance, compared.better)
