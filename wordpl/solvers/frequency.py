"""Order of words by letter frequency among the answers, simple enough to use without a computer.

Words without repeated letters come first; among these, and among the others, words with a larger sum of letter counts.
"""

from collections.abc import Sequence

import numpy as np

from wordpl.core.words import N_LETTERS


def letter_counts(answers: np.ndarray) -> np.ndarray:
    """Return how often each letter occurs in the answers (letter codes, uint8[n, length]), int64[26]."""
    return np.bincount(answers.ravel(), minlength=N_LETTERS)


def scores(words: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the sum of the letter counts of each word (letter codes, uint8[n, length]), int64[n].

    A repeated letter counts each time. With the original answers, EERIE has the highest score, 5,269.
    """
    return np.asarray(counts[words].sum(axis=1))


def ranked(answers: np.ndarray, ties: Sequence[int], prior: np.ndarray | None = None) -> np.ndarray:
    """Return the indices of the answers in the order in which to guess them, int64[n].

    Args:
        answers: Letter codes, uint8[n, length].
        ties: A number per answer; among equal scores, the smaller number comes first.
        prior: The probability of each answer, by which its score is multiplied; None if all are equally likely.
    """
    in_order = np.sort(answers, axis=1)
    repeats = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    worth = scores(answers, letter_counts(answers)) * (1 if prior is None else prior)
    return np.lexsort((np.asarray(ties), -worth, repeats))  # the primary key comes last
