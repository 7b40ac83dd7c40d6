"""The letter-frequency bot's order of words: those first whose letters are common among the answers.

It needs no computer: the counts fit on a card. Words without a repeated letter come first, then the larger sum.
"""

from collections.abc import Sequence

import numpy as np

from wordpl.core.words import N_LETTERS


def letter_counts(answers: np.ndarray) -> np.ndarray:
    """Return how often each letter stands in the answers (letter codes, uint8[n, length]), int64[26]."""
    return np.bincount(answers.ravel(), minlength=N_LETTERS)


def scores(words: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return for each word (letter codes, uint8[n, length]) the sum of its letters' counts, int64[n].

    A letter that repeats counts each time: EERIE has 5,269 by the original answers, the most of all.
    """
    return np.asarray(counts[words].sum(axis=1))


def ranked(answers: np.ndarray, ties: Sequence[int], prior: np.ndarray | None = None) -> np.ndarray:
    """Return the answers (letter codes, uint8[n, length]) in the order they are worth guessing, int64[n] indices.

    ties: a number for each answer; of two that are worth the same, the smaller comes first
    prior: the probability of each answer, by which its score is multiplied; all alike where None is given
    """
    in_order = np.sort(answers, axis=1)
    repeats = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    worth = scores(answers, letter_counts(answers)) * (1 if prior is None else prior)
    return np.lexsort((np.asarray(ties), -worth, repeats))  # the most important key comes last
