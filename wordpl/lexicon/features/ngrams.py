"""How English a word looks: its log probability in a letter n-gram model of a dictionary.

Each letter is predicted from up to three letters before it, with Witten-Bell smoothing (Witten and Bell, The
zero-frequency problem, 1991).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import log

from wordpl.lexicon import sources

SOURCES = (sources.SYMSPELL,)
LEAKAGE = "none: words of spelling dictionaries, which contain answers like any other words"
MAX_BEFORE = 3
N_SIGNS = 27
MAX_WORD = 8
"""Letters of the longest dictionary word in the model; longer ones have their own patterns, such as -ization."""


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return the log probability of each word and of its least likely letter."""
    gram_counts = Counter(_grams(word for word in sources.dictionary_counts() if len(word) <= MAX_WORD))
    totals, kinds = Counter[str](), Counter[str]()
    for gram, count in gram_counts.items():
        totals[gram[:-1]] += count
        kinds[gram[:-1]] += 1
    rows = []
    for word in words:
        logs = [log(_chance(gram, gram_counts, totals, kinds)) for gram in _contexts(word)]
        rows.append({"log_chance": sum(logs), "log_chance_of_unlikeliest": min(logs)})
    return rows


def _contexts(word: str) -> Iterator[str]:
    """Yield each letter of the word, and its end, preceded by its MAX_BEFORE letters of context."""
    padded = "^" * MAX_BEFORE + word + "$"
    return (padded[position - MAX_BEFORE : position + 1] for position in range(MAX_BEFORE, len(padded)))


def _grams(words: Iterable[str]) -> Iterator[str]:
    return (gram[start:] for word in words for gram in _contexts(word) for start in range(MAX_BEFORE + 1))


def _chance(gram: str, gram_counts: Counter[str], totals: Counter[str], kinds: Counter[str]) -> float:
    chance = 1 / N_SIGNS
    for start in range(MAX_BEFORE, -1, -1):
        before = gram[start:-1]
        if totals[before]:
            chance = (gram_counts[gram[start:]] + kinds[before] * chance) / (totals[before] + kinds[before])
    return chance
