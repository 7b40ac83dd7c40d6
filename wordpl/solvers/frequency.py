"""The letter-frequency strategy: words whose letters are frequent among the answers come first.

Words without repeated letters come before all others; within each group, words are sorted by the sum of their letters'
counts.
"""

from collections.abc import Sequence

import numpy as np

from wordpl.core.words import N_LETTERS


def letter_counts(answers: np.ndarray) -> np.ndarray:
    """Return how often each letter occurs in the answers (letter codes, uint8[n, length]), int64[26]."""
    return np.bincount(answers.ravel(), minlength=N_LETTERS)


def scores(words: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the sum of the counts of each word's letters, int64[n].

    Repeated letters count each time: EERIE has 5,269 with the original answers, the most of all words.

    Args:
        words: letter codes, uint8[n, length]
        counts: the counts of letters, see `letter_counts`
    """
    return np.asarray(counts[words].sum(axis=1))


def ranked(answers: np.ndarray, ties: Sequence[int], prior: np.ndarray | None = None) -> np.ndarray:
    """Return the indices of the answers in the order in which to guess them, int64[n].

    Args:
        answers: letter codes, uint8[n, length]
        ties: a number for each answer; of answers with equal scores, those with smaller numbers come first
        prior: the probability of each answer, by which its score is multiplied; None: equal probabilities
    """
    in_order = np.sort(answers, axis=1)
    repeats = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    worth = scores(answers, letter_counts(answers)) * (1 if prior is None else prior)
    return np.lexsort((np.asarray(ties), -worth, repeats))  # the most important key comes last
