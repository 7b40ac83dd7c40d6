"""Whether a dictionary has the word, and how often that was counted in books."""

from collections.abc import Sequence
from math import log10

from wordpl.lexicon import sources
from wordpl.lexicon.features.frequency import bent

SOURCES = (sources.SYMSPELL,)
LEAKAGE = "none: words of spelling dictionaries, counted in scanned books"
KNOTS = (1, 2, 3, 4, 5)
MIN_COUNT = 1000


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return the log10 of each word's count in thousands, bent at several heights; 0 for a word that is not in it."""
    counts = sources.dictionary_counts()
    return [bent("books", log10(counts.get(word, 0) / MIN_COUNT + 1), KNOTS) for word in words]
