"""How words rank for a model that was not told they are answers: known answers hidden a part at a time.

Each part of the known answers stands once among the unlabelled words, as an answer does that nobody knows yet. Where
such a word then comes in the ranking of all words is how many words one has to keep to keep it too.
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
"""(which words are known, rng) -> the score of every word."""
Progress = Callable[[Iterable[Any]], Iterable[Any]]
"""What wraps a loop to show how far it is, like tqdm."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What a model says of each word that it was not told of.

    Attributes:
        ranks: of each known answer, among all words, when it was hidden; the first is 1; int64[n_known]
        scores: of every word, mean of the fits that were not told it is an answer, float64[n_words]
    """

    ranks: np.ndarray
    scores: np.ndarray

    def kept(self, recall: float) -> int:
        """Return how many words, best first, hold this share of the hidden answers."""
        return _kept(np.sort(self.ranks), recall)

    def kept_interval(self, recall: float, rng: np.random.Generator) -> tuple[int, int]:
        """Return the 95% interval of `kept`, by drawing hidden answers with replacement."""
        again = np.sort(rng.choice(self.ranks, (DRAWS, len(self.ranks))), axis=1)
        low, high = np.quantile(again[:, _position(recall, len(self.ranks))], INTERVAL, method="inverted_cdf")
        return int(low), int(high)

    def recall(self, n_kept: int) -> tuple[int, int]:
        """Return how many hidden answers are among the first `n_kept` words, and how many were hidden."""
        return int((self.ranks <= n_kept).sum()), len(self.ranks)


def _kept(ranked: np.ndarray, recall: float) -> int:
    return int(ranked[_position(recall, len(ranked))])


def _position(recall: float, n: int) -> int:
    return max(0, ceil(recall * n - 1e-9) - 1)


def hold_out(known: np.ndarray, scorer: Scorer, rng: np.random.Generator, progress: Progress = iter) -> HeldOut:
    """Return what `scorer` says of each word when a fifth of the known answers is hidden at a time.

    Args:
        progress: wraps the folds to show how far it is, like tqdm
    """
    answers = rng.permutation(np.flatnonzero(known))
    n_folds = min(N_FOLDS, len(answers))
    ranks, sums, counts = np.zeros(len(known), np.int64), np.zeros(len(known)), np.zeros(len(known))
    for hidden in progress(np.array_split(answers, n_folds)):
        seen = known.copy()
        seen[hidden] = False
        scores = scorer(seen, rng)
        ranks[hidden] = ranks_of(scores)[hidden]
        sums[~seen] += scores[~seen]
        counts[~seen] += 1
    return HeldOut(ranks[known], sums / counts)


def hidden_later(known: np.ndarray, later: np.ndarray, scorer: Scorer, rng: np.random.Generator) -> HeldOut:
    """Return what `scorer` says when it is told the `known` answers alone, and how it ranks those of `later`."""
    scores = scorer(known & ~later, rng)
    return HeldOut(ranks_of(scores)[later], scores)


def ranks_of(scores: np.ndarray) -> np.ndarray:
    """Return the place of each word, 1 for the highest score; equal ones in their order."""
    ranks = np.empty(len(scores), np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


def probabilities(scores: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the chance that a word with this score is a known answer, float64[n_words], by Platt's logistic curve.

    Args:
        scores: of words that the model was not told of, so that the chances hold for words like them; an answer that
            nobody knows yet counts as none, which makes them too small by the share of answers that are not known
    """
    from sklearn.linear_model import LogisticRegression

    column = np.stack([scores, np.maximum(0, scores - np.median(scores[known]))], axis=1)  # bent once, at the answers
    chances: np.ndarray = LogisticRegression(C=1e6, max_iter=1000).fit(column, known).predict_proba(column)
    return chances[:, 1]


def calibration(chances: np.ndarray, known: np.ndarray, edges: Sequence[float]) -> list[tuple[float, int, int]]:
    """Return for the words between each two chances: mean chance, how many are known answers, how many in all."""
    rows = []
    for low, high in pairwise(edges):
        inside = (chances >= low) & (chances < high)
        if inside.any():
            rows.append((float(chances[inside].mean()), int(known[inside].sum()), int(inside.sum())))
    return rows
