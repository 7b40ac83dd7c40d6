"""How common the relatives of a word are, formed with English suffixes and prefixes: crane, cranes, craned."""

from collections.abc import Sequence

from wordpl.lexicon import sources
from wordpl.lexicon.sources import zipf

SOURCES = (sources.WORDFREQ, sources.SYMSPELL)
LEAKAGE = "none: text and dictionaries"
ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "y", "er", "r", "ness", "al", "ish", "like", "less", "ful")
BEGINNINGS = ("un", "re", "non", "over", "out", "mis")


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return the Zipf frequency of each relative of a word, and how many relatives are in a dictionary."""
    return [_family_features(word) for word in words]


def _family_features(word: str) -> dict[str, float]:
    dictionary = sources.dictionary_counts()
    row: dict[str, float] = {f"with_{end}": zipf(_joined(word, end)) for end in ENDINGS}
    row |= {f"{beginning}_before": zipf(beginning + word) for beginning in BEGINNINGS}
    row["n_in_dictionary"] = sum(_joined(word, end) in dictionary for end in ENDINGS)
    return row | {"without_last": zipf(word[:-1]), "without_last_two": zipf(word[:-2]), "without_first": zipf(word[1:])}


def _joined(word: str, end: str) -> str:
    if word.endswith("e") and end == "ing":
        return word[:-1] + end
    if word.endswith("y") and end in ("es", "ed", "er", "ly", "ness"):
        return word[:-1] + "i" + end
    return word + end
