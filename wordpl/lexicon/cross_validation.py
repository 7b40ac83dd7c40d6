"""Cross-validation of models: how they rank known answers that were hidden from them.

The known answers are split into folds. Each fold in turn is hidden among the unlabelled words, like answers that nobody
knows yet. The rank that a hidden answer gets among all words is the number of words one has to keep in order to keep
this answer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

N_FOLDS = 5
DRAWS = 1000
INTERVAL = (0.025, 0.975)

Scorer = Callable[[np.ndarray, np.random.Generator], np.ndarray]
"""(known bool[n_words], rng) -> scores of all words, float64[n_words]."""
Progress = Callable[[Iterable[Any]], Iterable[Any]]
"""A function that wraps an iterable to show progress, like tqdm."""


@dataclass(frozen=True, eq=False)
class HoldOutRanks:
    """Ranks and scores of words by fits that did not know them as answers.

    Attributes:
        ranks: The rank of each known answer among all words when it was hidden, from 1: int64[n_known].
        scores: The score of each word, averaged over the fits in which it was not a known answer: float64[n_words].
    """

    ranks: np.ndarray
    scores: np.ndarray

    def kept(self, recall: float) -> int:
        """Return how many of the best words must be kept to include this share of the hidden answers."""
        return _n_kept(np.sort(self.ranks), recall)

    def kept_interval(self, recall: float, rng: np.random.Generator) -> tuple[int, int]:
        """Return the 95% bootstrap interval of `kept`, with hidden answers resampled."""
        resampled = np.sort(rng.choice(self.ranks, (DRAWS, len(self.ranks))), axis=1)
        low, high = np.quantile(resampled[:, _position(recall, len(self.ranks))], INTERVAL, method="inverted_cdf")
        return int(low), int(high)

    def recall(self, n_kept: int) -> tuple[int, int]:
        """Return how many hidden answers are among the best `n_kept` words, and how many were hidden."""
        return int((self.ranks <= n_kept).sum()), len(self.ranks)


def _n_kept(ranked: np.ndarray, recall: float) -> int:
    return int(ranked[_position(recall, len(ranked))])


def _position(recall: float, n: int) -> int:
    return max(0, ceil(recall * n - 1e-9) - 1)


def hold_out(known: np.ndarray, scorer: Scorer, rng: np.random.Generator, progress: Progress = iter) -> HoldOutRanks:
    """Return the ranks and scores by cross-validation with N_FOLDS folds.

    Args:
        known: Which words are known answers, bool[n_words].
        scorer: Fits a model and scores all words.
        rng: Draws the folds, and is passed to the scorer.
        progress: Wraps the folds to show progress, like tqdm.
    """
    answers = rng.permutation(np.flatnonzero(known))
    n_folds = min(N_FOLDS, len(answers))
    ranks, sums, counts = np.zeros(len(known), np.int64), np.zeros(len(known)), np.zeros(len(known))
    for hidden in progress(np.array_split(answers, n_folds)):
        training = known.copy()
        training[hidden] = False
        scores = scorer(training, rng)
        ranks[hidden] = ranks_of(scores)[hidden]
        sums[~training] += scores[~training]
        counts[~training] += 1
    return HoldOutRanks(ranks[known], sums / counts)


def hold_out_later(known: np.ndarray, later: np.ndarray, scorer: Scorer, rng: np.random.Generator) -> HoldOutRanks:
    """Return the ranks of later answers by a fit to the other known answers.

    Args:
        known: Which words are known answers, bool[n_words].
        later: Which of them are later answers, bool[n_words].
        scorer: Fits a model and scores all words.
        rng: Passed to the scorer.
    """
    scores = scorer(known & ~later, rng)
    return HoldOutRanks(ranks_of(scores)[later], scores)


def ranks_of(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each word, 1 for the highest score; ties keep the order of the words."""
    ranks = np.empty(len(scores), np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


def probabilities(scores: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the probability that a word with this score is a known answer, float64[n_words] (Platt scaling).

    Answers that nobody knows yet count as other words, so the probabilities are too small by the share of unknown
    answers.

    Args:
        scores: Held-out scores of all words, float64[n_words].
        known: Which words are known answers, bool[n_words].
    """
    from sklearn.linear_model import LogisticRegression

    # A linear spline with one knot, at the median score of the known answers.
    column = np.stack([scores, np.maximum(0, scores - np.median(scores[known]))], axis=1)
    chances: np.ndarray = LogisticRegression(C=1e6, max_iter=1000).fit(column, known).predict_proba(column)
    return chances[:, 1]


def calibration(chances: np.ndarray, known: np.ndarray, edges: Sequence[float]) -> list[tuple[float, int, int]]:
    """Return a reliability table of predicted probabilities.

    Args:
        chances: The predicted probability of each word, float64[n_words].
        known: Which words are known answers, bool[n_words].

    Returns:
        For each bin with words: mean probability, number of known answers, number of words.
    """
    rows = []
    for low, high in pairwise(edges):
        inside = (chances >= low) & (chances < high)
        if inside.any():
            rows.append((float(chances[inside].mean()), int(known[inside].sum()), int(inside.sum())))
    return rows
