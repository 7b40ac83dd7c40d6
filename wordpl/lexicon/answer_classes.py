"""How likely Wordle's editor repeats an answer, takes one of the original list, or one that is new: weights by time.

Every word is in one of four classes: played before; of the original 2,315 and not played yet; of the list of 2023-07-01
and none of those; any other. Each class has a weight, learned from dated answers day by day: counts that lose half
their size in HALF_LIFE_DAYS, and PSEUDO_COUNT each. Within a class a word's share is its chance by the ranking to the
power of EXPONENT; all played words are alike.

HALF_LIFE_DAYS, PSEUDO_COUNT and EXPONENT are those that predicted the days before 2025-09-30 best. Scored on the 327
days after, each from the days before it: 10.05 bits a day (standard error 0.11), 10.41 with the weights of
2025-09-29 kept throughout; the prior that took known answers for sure had 11.56 (benchmarks/lexicon_by_time.py).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

import numpy as np

from wordpl.core import words as lists

CLASSES = (
    "played before",
    "original answers that were not played yet",
    "others of the list of 2023-07-01",
    "all other words",
)
HALF_LIFE_DAYS = 100.0
PSEUDO_COUNT = 0.1
EXPONENT = 0.5
TRAINED_UNTIL = date(2025, 9, 29)
TRAINED_COUNTS = (0.0, 136.58, 6.50, 1.32)
"""After the dated answers up to TRAINED_UNTIL."""
SHIPPED_UNTIL = date(2026, 8, 22)
SHIPPED_COUNTS = (11.71, 121.37, 11.52, 0.14)
"""After those up to SHIPPED_UNTIL; since 2026-02 about one day in nine repeats an answer."""


def classes_of(words: Sequence[str], played: Collection[str]) -> np.ndarray:
    """Return each word's class, int[n_words], the place of its name in CLASSES."""
    original, listed = set(lists.bundled("puzzle-order")), set(lists.bundled("answers-2023"))
    before = set(played)
    return np.array([0 if w in before else 1 if w in original else 2 if w in listed else 3 for w in words])


def class_weights(counts: Sequence[float] = SHIPPED_COUNTS) -> np.ndarray:
    """Return the probability of each class, float[4].

    >>> [round(float(weight), 3) for weight in class_weights()]
    [0.081, 0.837, 0.08, 0.002]
    """
    smoothed = np.array(counts) + PSEUDO_COUNT
    return np.asarray(smoothed / smoothed.sum())


def counts_after(words: Sequence[str], later: Mapping[str, date]) -> tuple[float, ...]:
    """Return the counts of the classes after one's own dated answers; the shipped ones where those are newer.

    Args:
        words: All words.
        later: Answers after TRAINED_UNTIL by their first day; a repeated answer is not seen in it.
    """
    days = sorted((when, word) for word, when in later.items() if when > TRAINED_UNTIL)
    if not days or days[-1][0] <= SHIPPED_UNTIL:
        return SHIPPED_COUNTS
    counts, played = np.array(SHIPPED_COUNTS), set(lists.bundled("past-answers"))
    played |= {word for when, word in days if when <= SHIPPED_UNTIL}
    for _, word in (day for day in days if day[0] > SHIPPED_UNTIL):
        counts *= 0.5 ** (1 / HALF_LIFE_DAYS)
        counts[classes_of([word], played)[0]] += 1
        played.add(word)
    return tuple(map(float, counts))


def prior(
    words: Sequence[str], chances: np.ndarray, played: Collection[str], counts: Sequence[float] = SHIPPED_COUNTS
) -> np.ndarray:
    """Return each word's probability to be the next answer, float[n_words].

    Args:
        words: All words.
        chances: Of each, by a ranking that was not told it is an answer.
        played: The answers up to today.
        counts: Of the classes.
    """
    classes = classes_of(words, played)
    shares = np.where(classes == 0, 1.0, np.asarray(chances, float) ** EXPONENT)
    sizes = np.bincount(classes, weights=shares, minlength=len(CLASSES))
    weights = np.where(sizes > 0, class_weights(counts), 0.0)
    found = weights[classes] * shares / sizes[classes]
    return np.asarray(found / found.sum())


def bits(probabilities: Sequence[float]) -> tuple[float, float]:
    """Return the mean surprise of days whose answers had these probabilities, in bits, and its standard error."""
    surprise = -np.log2(np.asarray(probabilities, float))
    error = surprise.std(ddof=1) / np.sqrt(len(surprise)) if len(surprise) > 1 else float("nan")
    return float(surprise.mean()), float(error)
