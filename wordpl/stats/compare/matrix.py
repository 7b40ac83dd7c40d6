"""Every entry beside every other: who is better in a score, by how much, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.stats.compare.differences import difference, difference_interval
from wordpl.stats.compare.games import DRAWS, by_entry, resample, worth_of
from wordpl.stats.paired_tests import step_down
from wordpl.stats.scores import Score
from wordpl.stats.scores.score import CONFIDENCE, Floats


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
    run: pd.DataFrame, scores: Sequence[Score], rng: np.random.Generator, draws: int = DRAWS
) -> list[ComparisonMatrix]:
    """Return a matrix for each score, from one sample of resamples that all pairs share.

    Args:
        run: Rows of `records.load_run` of one rules name, with at least one game that all entries have played.
        scores: Scores that have a better and a worse.
        rng: Draws the resamples.
        draws: Their number.
    """
    games = by_entry(run)
    values = {score.name: np.array([score.per_game(rows) for rows in games.values()]) for score in scores}
    redrawn = resample(scores, values, rng, draws)
    return [_matrix(score, tuple(games), values[score.name], redrawn[score.name]) for score in scores]


def _matrix(score: Score, entries: tuple[str, ...], values: Floats, redrawn: Floats) -> ComparisonMatrix:
    k = len(values)
    found = np.array([score(row).value for row in values])
    differences, low, high, chance = (np.zeros((k, k)) for _ in range(4))
    chance[:] = 0.5
    for i in range(k):
        others = np.flatnonzero(np.arange(k) != i)
        rows = np.concatenate([[i], others])
        gaps = np.sort(difference(redrawn[i], redrawn[others]), axis=1)
        lead = np.sign(worth_of(gaps, score.lower_is_better))
        chance[i, others] = ((lead > 0).sum(axis=1) + (lead == 0).sum(axis=1) / 2 + 0.5) / (gaps.shape[1] + 1)
        differences[i, others] = difference(found[i], found[others])
        low[i, others], high[i, others] = difference_interval(score, values[rows], gaps)
    better = step_down(score.p_values(values), 1 - CONFIDENCE)
    return ComparisonMatrix(score.name, entries, differences, low, high, chance, better)
