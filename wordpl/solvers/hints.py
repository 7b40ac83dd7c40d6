"""Words that are consistent with true clues. A hint is a pair: the row of a guess and the number of its clue."""

from collections.abc import Iterable

import numpy as np

from wordpl.core.clues import MARKS, decode

Hint = tuple[int, int]


def consistent(matrix: np.ndarray, hints: Iterable[Hint]) -> np.ndarray:
    """Return the columns of the answers that give all these hints, int64[n] in ascending order."""
    left = np.arange(matrix.shape[1])
    for guess, clue in hints:
        left = left[matrix[guess, left] == clue]
    return left


def usable(guesses: np.ndarray, hints: Iterable[Hint]) -> np.ndarray:
    """Return the rows of the guesses that hard mode allows after these hints, int64[n] in ascending order.

    A guess must have each letter marked 'c' in the same place, and each letter at least as often as any clue marked it.

    Args:
        guesses: Letter codes, uint8[n_guesses, length].
    """
    left = np.arange(len(guesses))
    for guess, clue in hints:
        earlier = guesses[guess]
        marks = np.array([MARKS.index(mark) for mark in decode(clue, len(earlier))])
        words = guesses[left]
        allowed = (words == earlier)[:, marks == 2].all(axis=1)
        revealed, times = np.unique(earlier[marks > 0], return_counts=True)
        for letter, n_times in zip(revealed, times, strict=True):
            allowed &= (words == letter).sum(axis=1) >= n_times
        left = left[allowed]
    return left
