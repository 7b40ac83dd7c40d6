"""Features of words, for models that rank them: each set with the libraries that it uses and what it reveals."""

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import pairwise
from math import log10
from types import ModuleType
from typing import TYPE_CHECKING

from wordpl.apps.words.options import ALL_FEATURES
from wordpl.core.messages import UserError

if TYPE_CHECKING:
    import pandas as pd

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


ZIPF_KNOTS = (1.5, 2, 2.5, 3, 3.5, 4, 5)
BOOK_KNOTS = (1, 2, 3, 4, 5)
MIN_COUNT = 1000
PARTS_OF_SPEECH = ("NOUN", "VERB", "ADJ", "ADV", "PROPN", "AUX")
FORMS = ("NNS", "VBD", "VBG", "VBZ", "JJR")
VOWEL_ENDS = ("y", "ie", "ey", "o", "a", "i", "u", "le")
CONSONANT_ENDS = ("er", "or", "al", "en", "el", "ic", "ch", "th", "us", "um", "is", "os", "as", "in", "on", "an", "ss")
ENDS = (*VOWEL_ENDS, *CONSONANT_ENDS, "ed")
NO_VOWELS, VOWELS = re.compile("[^aeiouy]*"), re.compile("[aeiou]*")


@dataclass(frozen=True)
class FeatureSet:
    """A set of features.

    Attributes:
        sources: The libraries that it uses.
        leakage: What its columns reveal about the answers.
        columns: Returns a dict of numbers for each word.
    """

    sources: "tuple[WordSource, ...]"
    leakage: str
    columns: Callable[[Sequence[str]], list[dict[str, float]]]


def names() -> list[str]:
    """Return the names of all feature sets, sorted."""
    return sorted(FEATURE_SETS)


def find(name: str) -> FeatureSet:
    """Return the feature set with this name.

    Raises:
        UserError: There is no such set.
    """
    if name not in FEATURE_SETS:
        raise UserError(f"there is no feature set {name!r}: use {', '.join(names())}.")
    return FEATURE_SETS[name]


def table(words: Sequence[str], sets: Sequence[str] = ALL_FEATURES) -> "pd.DataFrame":
    """Return the features as a table of float64 with one row per word and columns SET.NAME."""
    import pandas as pd  # a command's help does not need it

    if not sets:
        raise UserError(f"no feature set was given: use {', '.join(names())}.")
    parts = (pd.DataFrame(find(name).columns(words), index=list(words), dtype=float) for name in sets)
    return pd.concat([part.fillna(0.0).add_prefix(f"{name}.") for name, part in zip(sets, parts, strict=True)], axis=1)


def sources_of(sets: Sequence[str]) -> "list[WordSource]":
    """Return the sources that these sets use, without duplicates."""
    return list(dict.fromkeys(source for name in sets for source in find(name).sources))


def _frequency(words: Sequence[str]) -> list[dict[str, float]]:
    """Return hinge features of each word's Zipf frequency, and whether it is common in all kinds of text."""
    common = common_words()
    return [{**_hinge_features("zipf", zipf(word), ZIPF_KNOTS), "common": word in common} for word in words]


def _hinge_features(name: str, value: float, knots: Sequence[float]) -> dict[str, float]:
    """Return a value, whether it is 0, and its excess over each knot (0 below the knot)."""
    return {name: value, f"no_{name}": value == 0, **{f"{name}_over_{knot}": max(0, value - knot) for knot in knots}}


def _dictionary(words: Sequence[str]) -> list[dict[str, float]]:
    """Return hinge features of log10(count / 1000 + 1), which is 0 for words not in the dictionary."""
    counts = dictionary_counts()
    return [_hinge_features("books", log10(counts.get(word, 0) / MIN_COUNT + 1), BOOK_KNOTS) for word in words]


def _inflection(words: Sequence[str]) -> list[dict[str, float]]:
    """Return in which parts of speech each word is a lemma or a form, and the frequencies of related words.

    Wordle's editors avoid regular plurals and most past tenses. These features distinguish such forms from words with
    the same ending, like bonus.
    """
    return [
        _form_features(word) | _lemma_features(word) | _simplemma_features(word) | _ending_features(word)
        for word in words
    ]


def is_only_a_form(word: str) -> bool:
    """Return whether the lexicon contains the word only as a form of other words."""
    word_lemmas = lemmas(word)
    return bool(word_lemmas) and not any(word in part_lemmas for part_lemmas in word_lemmas.values())


def _form_features(word: str) -> dict[str, float]:
    word_lemmas = lemmas(word)
    other_lemmas = [lemma for part_lemmas in word_lemmas.values() for lemma in part_lemmas if lemma != word]
    row: dict[str, float] = {"unknown": not word_lemmas, "zipf_of_lemma": _max_zipf(other_lemmas)}
    row["lemma_is_commoner_by"] = max(0.0, row["zipf_of_lemma"] - zipf(word)) if other_lemmas else 0.0
    for part in PARTS_OF_SPEECH:
        part_lemmas = word_lemmas.get(part, ())
        row[f"is_{part}"] = word in part_lemmas
        row[f"is_a_form_of_{part}"] = bool(part_lemmas) and word not in part_lemmas
    row["n_parts_of_speech"] = sum(word in part_lemmas for part_lemmas in word_lemmas.values())
    only_a_form = is_only_a_form(word)
    row["only_a_form"] = only_a_form
    for end in ("s", "ed"):
        row[f"only_a_form_in_{end}"] = only_a_form and word.endswith(end)
    row["only_a_form_in_other_letters"] = only_a_form and not word.endswith(("s", "ed"))
    return row


def _lemma_features(word: str) -> dict[str, float]:
    by_tag = {tag: [form for form in forms if form != word] for tag, forms in inflections(word).items()}
    forms = {form for tag_forms in by_tag.values() for form in tag_forms}
    row: dict[str, float] = {"n_forms": len(forms), "zipf_of_forms": _max_zipf(forms)}
    row["n_forms_in_dictionary"] = len(forms & dictionary_counts().keys())
    return row | {f"zipf_of_{tag}": _max_zipf(by_tag.get(tag, ())) for tag in FORMS}


def _simplemma_features(word: str) -> dict[str, float]:
    is_known, lemma_of = simplemma_functions()
    lemma = lemma_of(word)
    differs = lemma != word
    commoner_by = zipf(lemma) - zipf(word) if differs else 0.0
    return {"simplemma_knows": is_known(word), "simplemma_differs": differs, "simplemma_commoner_by": commoner_by}


def _ending_features(word: str) -> dict[str, float]:
    dictionary = dictionary_counts()
    stem = word[:-1] if word.endswith("s") and not word.endswith("ss") else ""
    return {
        "zipf_without_s": zipf(stem),
        "known_without_s": stem in dictionary,
        "known_without_es": word.endswith("es") and word[:-2] in dictionary,
        "known_without_ed": word.endswith("ed") and (word[:-2] in dictionary or word[:-1] in dictionary),
    }


def _max_zipf(words: Iterable[str]) -> float:
    return max(map(zipf, words), default=0.0)


def _spelling(words: Sequence[str]) -> list[dict[str, float]]:
    """Return numbers of kinds of letters, and indicators of the word's ending."""
    return [
        {
            "ends_in_one_s": word.endswith("s") and not word.endswith("ss"),
            "n_vowels": sum(letter in "aeiou" for letter in word),
            "n_different": len(set(word)),
            "n_doubles": sum(a == b for a, b in pairwise(word)),
            "n_rare": sum(letter in "jqxz" for letter in word),
            "n_k": word.count("k"),
            "most_consonants": _longest(NO_VOWELS, word),
            "most_vowels": _longest(VOWELS, word),
            "q_without_u": "q" in word and "qu" not in word,
            **{f"ends_in_{end}": word.endswith(end) for end in ENDS},
        }
        for word in words
    ]


def _longest(pattern: re.Pattern[str], word: str) -> int:
    return max(map(len, pattern.findall(word)))


FEATURE_SETS = {
    "frequency": FeatureSet(
        (WORDFREQ,), "none: text of many kinds up to 2021, before most answers were published", _frequency
    ),
    "dictionary": FeatureSet(
        (SYMSPELL,), "none: words of spelling dictionaries, counted in scanned books", _dictionary
    ),
    "inflection": FeatureSet(
        (LEMMINFLECT, SIMPLEMMA, WORDFREQ, SYMSPELL),
        "none: dictionaries of word forms",
        _inflection,
    ),
    "spelling": FeatureSet((), "none: the letters alone", _spelling),
}
