"""Features of a word's spelling: its ending, its vowels, double letters and rare letters."""

import re
from collections.abc import Sequence
from itertools import pairwise

SOURCES = ()
LEAKAGE = "none: the letters alone"
VOWEL_ENDS = ("y", "ie", "ey", "o", "a", "i", "u", "le")
CONSONANT_ENDS = ("er", "or", "al", "en", "el", "ic", "ch", "th", "us", "um", "is", "os", "as", "in", "on", "an", "ss")
ENDS = (*VOWEL_ENDS, *CONSONANT_ENDS, "ed")
NO_VOWELS, VOWELS = re.compile("[^aeiouy]*"), re.compile("[aeiou]*")


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return counts of kinds of letters, and indicators of the word's ending."""
    return [_counts(word) | {f"ends_in_{end}": word.endswith(end) for end in ENDS} for word in words]


def _counts(word: str) -> dict[str, float]:
    return {
        "ends_in_one_s": word.endswith("s") and not word.endswith("ss"),
        "n_vowels": sum(letter in "aeiou" for letter in word),
        "n_different": len(set(word)),
        "n_doubles": sum(a == b for a, b in pairwise(word)),
        "n_rare": sum(letter in "jqxz" for letter in word),
        "n_k": word.count("k"),
        "most_consonants": _longest(NO_VOWELS, word),
        "most_vowels": _longest(VOWELS, word),
        "q_without_u": "q" in word and "qu" not in word,
    }


def _longest(pattern: re.Pattern[str], word: str) -> int:
    return max(map(len, pattern.findall(word)))
