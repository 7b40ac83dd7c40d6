"""Whether a dictionary contains the word, and how often it occurs in books."""

from collections.abc import Sequence
from math import log10

from wordpl.lexicon import sources
from wordpl.lexicon.features.frequency import hinge_features

SOURCES = (sources.SYMSPELL,)
LEAKAGE = "none: words of spelling dictionaries, counted in scanned books"
KNOTS = (1, 2, 3, 4, 5)
MIN_COUNT = 1000


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return hinge features of log10(count / 1000 + 1), which is 0 for words not in the dictionary."""
    counts = sources.dictionary_counts()
    return [hinge_features("books", log10(counts.get(word, 0) / MIN_COUNT + 1), KNOTS) for word in words]
