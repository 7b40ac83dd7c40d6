"""Where features come from: the libraries of the extra `lexicon`, each opened here alone, once a process."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from math import log10
from types import ModuleType

from wordpl.core.errors import UserError

ONE_IN_A_BILLION = 9  # zipf = log10 of the occurrences in a billion words


@dataclass(frozen=True)
class WordSource:
    """A library that brings lexical data, and the terms on which it does."""

    package: str
    what: str
    licence: str

    @property
    def version(self) -> str:
        """The version that is installed; "none" where it is missing."""
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


def need(module: str) -> ModuleType:
    """Return the module of a library in the extra `lexicon`.

    Raises:
        UserError: where it is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries warn of each other's deprecations, which no user can change
            return import_module(module)
    except ModuleNotFoundError as error:
        raise UserError(
            f'this needs {error.name}, which is not installed: pip install "wordpl[lexicon]". '
            "The lists and the prior that come with wordpl need none of it."
        ) from None


@cache
def frequencies() -> dict[str, float]:
    """Return the share that each word has of English text, by wordfreq's large list."""
    return _of_wordfreq("large")


@cache
def common_words() -> frozenset[str]:
    """Return the words of wordfreq's small list: those that all its kinds of text agree on."""
    return frozenset(_of_wordfreq("small"))


def _of_wordfreq(size: str) -> dict[str, float]:
    found: dict[str, float] = need("wordfreq").get_frequency_dict("en", wordlist=size)
    return found


def zipf(word: str) -> float:
    """Return the log10 of the word's occurrences in a billion words, 0 for one that is not known."""
    share = frequencies().get(word, 0.0)
    return log10(share) + ONE_IN_A_BILLION if share > 0 else 0.0


@cache
def dictionary_counts() -> dict[str, int]:
    """Return symspellpy's dictionary: words and how often they were counted."""
    need("symspellpy")
    text = (files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text(encoding="utf-8-sig")
    return {word: int(count) for word, count in (line.split() for line in text.splitlines() if line.strip())}


def lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """Return the word's lemmas by part of speech (NOUN, VERB, ADJ, ADV, ...), nothing for a word not in the lexicon."""
    found: dict[str, tuple[str, ...]] = need("lemminflect").getAllLemmas(word)
    return found


def inflections(word: str) -> dict[str, tuple[str, ...]]:
    """Return what the word becomes where it is a lemma, by Penn tag (NNS, VBD, ...)."""
    found: dict[str, tuple[str, ...]] = need("lemminflect").getAllInflections(word)
    return found


@cache
def second_lemmatizer() -> tuple[Callable[[str], bool], Callable[[str], str]]:
    """Return simplemma's two questions: is this word known, and what is its lemma?"""
    simplemma = need("simplemma")
    return (lambda word: simplemma.is_known(word, "en")), (lambda word: simplemma.lemmatize(word, "en"))
