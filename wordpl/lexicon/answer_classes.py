"""Time-dependent weights of four classes of words: how likely the next answer is a repeat, an original or a new word.

The classes are: words played before; words of the original 2,315 not played yet; other words of the list of 2023-07-01;
all other words. The weight of a class is learned from dated answers. It is proportional to an exponentially weighted
count with a half-life of HALF_LIFE_DAYS, plus PSEUDO_COUNT. Within a class, a word's share is proportional to its
probability in the ranking to the power of EXPONENT; all played words have equal shares.

HALF_LIFE_DAYS, PSEUDO_COUNT and EXPONENT are the values that predicted the days before 2025-09-30 best. On the 327 days
after that, each predicted from all days before it, the mean surprise was 10.05 bits a day (standard error 0.11). It was
10.41 bits with the weights fixed at those of 2025-09-29 (`wordpl words backtest`).
"""

from collections.abc import Collection, Sequence

import numpy as np

from wordpl.core import words as lists
from wordpl.lexicon.known_answers import UNDATED_UNTIL, Days

CLASSES = (
    "played before",
    "original answers that were not played yet",
    "others of the list of 2023-07-01",
    "all other words",
)
HALF_LIFE_DAYS = 100.0
PSEUDO_COUNT = 0.1
EXPONENT = 0.5
TRAINED_UNTIL = UNDATED_UNTIL
TRAINED_COUNTS = (0.0, 136.58, 6.50, 1.32)
"""Weighted counts of the classes after the answers up to TRAINED_UNTIL."""


def classes_of(words: Sequence[str], played: Collection[str]) -> np.ndarray:
    """Return the class of each word as an index into CLASSES, int[n_words]."""
    original, listed = set(lists.bundled("puzzle-order")), set(lists.bundled("answers-2023"))
    played_words = set(played)
    return np.array([0 if w in played_words else 1 if w in original else 2 if w in listed else 3 for w in words])


def class_weights(counts: Sequence[float]) -> np.ndarray:
    """Return the probability of each class, float[4], from their weighted counts.

    >>> [round(float(weight), 3) for weight in class_weights(TRAINED_COUNTS)]
    [0.001, 0.944, 0.046, 0.01]
    """
    smoothed = np.array(counts) + PSEUDO_COUNT
    return np.asarray(smoothed / smoothed.sum())


def counts_after(days: Days) -> tuple[float, ...]:
    """Return the weighted counts of the classes after the answers of these days; those up to TRAINED_UNTIL are counted.

    >>> counts_after({}) == TRAINED_COUNTS
    True
    """
    counts, played = np.array(TRAINED_COUNTS), set(lists.bundled("undated-answers"))
    for _, word in sorted((day, word) for day, word in days.items() if day > TRAINED_UNTIL):
        counts *= 0.5 ** (1 / HALF_LIFE_DAYS)
        counts[classes_of([word], played)[0]] += 1
        played.add(word)
    return tuple(map(float, counts))


def prior(words: Sequence[str], chances: np.ndarray, played: Collection[str], counts: Sequence[float]) -> np.ndarray:
    """Return each word's probability of being the next answer, float[n_words].

    Args:
        chances: The held-out probability of each word in a ranking, float[n_words].
        played: The answers up to today.
        counts: The weighted counts of the classes, as from `counts_after`.
    """
    classes = classes_of(words, played)
    shares = np.where(classes == 0, 1.0, np.asarray(chances, float) ** EXPONENT)
    sizes = np.bincount(classes, weights=shares, minlength=len(CLASSES))
    weights = np.where(sizes > 0, class_weights(counts), 0.0)
    word_weights = weights[classes] * shares / sizes[classes]
    return np.asarray(word_weights / word_weights.sum())


def bits(probabilities: Sequence[float]) -> tuple[float, float]:
    """Return the mean surprise in bits, and its standard error, of answers predicted with these probabilities."""
    surprise = -np.log2(np.asarray(probabilities, float))
    error = surprise.std(ddof=1) / np.sqrt(len(surprise)) if len(surprise) > 1 else float("nan")
    return float(surprise.mean()), float(error)
