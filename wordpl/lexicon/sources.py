"""Access to the libraries of the extra `lexicon`; no other module imports them for features."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from math import log10
from types import ModuleType

from wordpl.core.messages import UserError

ONE_IN_A_BILLION = 9  # zipf = log10 of the occurrences in a billion words


@dataclass(frozen=True)
class WordSource:
    """A library with lexical data.

    Attributes:
        what: What its data are.
    """

    package: str
    what: str
    licence: str

    @property
    def version(self) -> str:
        """The installed version, "none" if it is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return "none"


WORDFREQ = WordSource(
    "wordfreq", "how often words are used in texts of many kinds", "code Apache-2.0, data CC BY-SA 4.0"
)
SYMSPELL = WordSource("symspellpy", "82,765 words of dictionaries with their counts", "MIT")
LEMMINFLECT = WordSource("lemminflect", "lemmas and inflections, from the NIH's SPECIALIST lexicon", "MIT")
SIMPLEMMA = WordSource("simplemma", "lemmas", "MIT")


def import_library(module: str) -> ModuleType:
    """Import a module of a library in the extra `lexicon`.

    Raises:
        UserError: The library is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecation warnings among libraries do not concern users
            return import_module(module)
    except ModuleNotFoundError as error:
        raise UserError(
            f'this needs {error.name}, which is not installed: pip install "wordpl[lexicon]". '
            "The word lists and the prior that come with wordpl do not need it."
        ) from None


@cache
def frequencies() -> dict[str, float]:
    """Return the relative frequency of each word in English text, from wordfreq's large list."""
    return _word_frequencies("large")


@cache
def common_words() -> frozenset[str]:
    """Return the words of wordfreq's small list, which are common in all its kinds of text."""
    return frozenset(_word_frequencies("small"))


def _word_frequencies(size: str) -> dict[str, float]:
    frequency_by_word: dict[str, float] = import_library("wordfreq").get_frequency_dict("en", wordlist=size)
    return frequency_by_word


def zipf(word: str) -> float:
    """Return the word's Zipf frequency: log10 of its occurrences per billion words, 0 for an unknown word."""
    share = frequencies().get(word, 0.0)
    return log10(share) + ONE_IN_A_BILLION if share > 0 else 0.0


@cache
def dictionary_counts() -> dict[str, int]:
    """Return the words of symspellpy's dictionary with their counts."""
    import_library("symspellpy")
    text = (files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text(encoding="utf-8-sig")
    return {word: int(count) for word, count in (line.split() for line in text.splitlines() if line.strip())}


def lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """Return the word's lemmas by part of speech (NOUN, VERB, ADJ, ADV, ...), empty for a word not in the lexicon."""
    word_lemmas: dict[str, tuple[str, ...]] = import_library("lemminflect").getAllLemmas(word)
    return word_lemmas


def inflections(word: str) -> dict[str, tuple[str, ...]]:
    """Return the word's inflected forms by Penn tag (NNS, VBD, ...), if it is a lemma."""
    forms: dict[str, tuple[str, ...]] = import_library("lemminflect").getAllInflections(word)
    return forms


@cache
def simplemma_functions() -> tuple[Callable[[str], bool], Callable[[str], str]]:
    """Return two functions of simplemma: whether it knows a word, and the word's lemma."""
    simplemma = import_library("simplemma")
    return (lambda word: simplemma.is_known(word, "en")), (lambda word: simplemma.lemmatize(word, "en"))
