"""Matrices of all pairwise comparisons of entries in a score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl.stats.compare.differences import difference, difference_interval
from wordpl.stats.compare.games import higher_is_better
from wordpl.stats.compare.significance import PairwiseSignificance
from wordpl.stats.scores import Score
from wordpl.stats.scores.score import Floats


@dataclass(frozen=True, eq=False)
class ComparisonMatrix:
    """The pairwise comparisons of k entries in one score; element [i, j] compares entry i with entry j.

    Attributes:
        score: The name of the score.
        entries: The names of the entries.
        difference: The difference of the scores, i minus j, float[k, k].
        low: The lower bounds of the 95% intervals of the differences.
        high: The upper bounds.
        chance: The probabilities that i is better.
        better: Whether i has been shown to be better, with a family-wise error rate over all pairs, bool[k, k].
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
    """Return a matrix for each score.

    Args:
        scores: Scores with a direction.
        compared: The results of `pairwise_significance`.
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
        lead = np.sign(higher_is_better(gaps, score.lower_is_better))
        chance[i, others] = ((lead > 0).sum(axis=1) + (lead == 0).sum(axis=1) / 2 + 0.5) / (gaps.shape[1] + 1)
        differences[i, others] = difference(compared.values[i], compared.values[others])
        low[i, others], high[i, others] = difference_interval(score, compared.per_game[rows], gaps)
    return ComparisonMatrix(score.name, compared.entries, differences, low, high, chance, compared.better)
