"""Filters that remove words from a list or restore them, with a report of what each one did."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.apps.words import features
from wordpl.apps.words.features import PARTS_OF_SPEECH, is_only_a_form
from wordpl.apps.words.options import ALL_FEATURES, MODEL_NAMES
from wordpl.core import bounded, known_answers, priors
from wordpl.core import words as lists
from wordpl.core.messages import UserError, amount

Rule = Callable[[list[str], Sequence[str]], Collection[str]]
"""(remaining words, all words) -> the words that remain after it."""


@dataclass(frozen=True)
class WordFilter:
    """A rule with the text that describes it, like zipf=2.5."""

    text: str
    rule: Rule


@dataclass(frozen=True)
class FilterStep:
    """What a filter did.

    Attributes:
        n_removed: How many words it removed.
        n_back: How many words it restored.
        n_left: How many words remain.
        lost: The known answers that it removed.
    """

    text: str
    n_removed: int
    n_back: int
    n_left: int
    lost: tuple[str, ...]

    @property
    def in_words(self) -> str:
        """What the filter did, as a sentence."""
        removed = f"{amount(self.n_removed, 'word')} removed"
        text = f"Filter {self.text}: {removed}, {self.n_back:,} brought back, {self.n_left:,} left"
        if not self.lost:
            return f"{text}; no known answer lost"
        ellipsis = ", ..." if len(self.lost) > 5 else ""
        return f"{text}; {len(self.lost):,} known answers lost: {', '.join(self.lost[:5])}{ellipsis}"


def find(text: str) -> WordFilter:
    """Return the filter that a text like zipf=2.5, suffix or blacklist=past-answers describes.

    Raises:
        UserError: There is no such filter, or its value is missing, superfluous or invalid.
    """
    name, _, value = text.partition("=")
    if name not in FILTERS:
        raise UserError(f"there is no filter {name!r}: use {', '.join(FILTERS)}.")
    example, maker = FILTERS[name]
    if ("=" in example) != bool(value):
        raise UserError(f"the filter {text!r} should be written like {example}.")
    return WordFilter(text, maker(value))


def apply(
    words: Sequence[str], filters: Sequence[WordFilter], known: Collection[str]
) -> tuple[list[str], list[FilterStep]]:
    """Return the remaining words in their order, and what each filter did.

    Args:
        filters: The filters, applied in this order.
        known: Known answers; the report lists those that a filter removes.

    Raises:
        UserError: No word remains.
    """
    remaining, steps = list(words), []
    for word_filter in filters:
        passing = set(word_filter.rule(remaining, words))
        new_words = [word for word in words if word in passing]
        old_words = set(remaining)
        lost = tuple(sorted((old_words - passing) & set(known)))
        steps.append(
            FilterStep(word_filter.text, len(old_words - passing), len(passing - old_words), len(new_words), lost)
        )
        remaining = new_words
    if not remaining:
        counts = ", ".join(f"{step.text} left {step.n_left:,}" for step in steps)
        raise UserError(f"none of {len(words):,} words is left: {counts}. Remove a filter, or lower its threshold.")
    return remaining, steps


def _number(value: str, max_value: float, example: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= max_value:
        name = example.partition("=")[0]
        raise UserError(
            f"the threshold of {name} should be a number from 0 to {max_value}, like {example}; got {value!r}."
        )
    return number


def _zipf(value: str) -> Rule:
    min_zipf = _number(value, features.ONE_IN_A_BILLION, "zipf=2.5")
    return _words_with(lambda word: features.zipf(word) >= min_zipf)


def _words_with(test: Callable[[str], bool]) -> Rule:
    return lambda remaining, _: [word for word in remaining if test(word)]


def _is_regular_form(word: str) -> bool:
    """Return whether the word is only a regular plural, third person or past tense."""
    if not _has_suffix(word):
        return False
    _, lemma_of = features.simplemma_functions()
    return is_only_a_form(word) or (not features.lemmas(word) and lemma_of(word) != word)


def _has_suffix(word: str) -> bool:
    return word.endswith("ed") or (word.endswith("s") and not word.endswith("ss"))


def _part(value: str) -> Rule:
    parts = value.split("+")
    if unknown_parts := [part for part in parts if part not in PARTS_OF_SPEECH]:
        raise UserError(f"there is no part of speech {unknown_parts[0]!r}: use {', '.join(PARTS_OF_SPEECH)}.")
    return _words_with(lambda word: any(word in features.lemmas(word).get(part, ()) for part in parts))


def _probability(value: str) -> Rule:
    min_probability = _number(value, 1, "probability=0.05")

    def at_least(remaining: list[str], _: Sequence[str]) -> list[str]:
        chances = priors.read_file(priors.find("default"))
        return [word for word in remaining if chances.get(word, 0.0) >= min_probability]

    return at_least


def _threshold(value: str) -> Rule:
    """Return the filter of a probability by a model or, after an @, by another model or a file word,probability."""
    number, _, name = value.partition("@")
    min_probability, name = _number(number, 1, "threshold=0.07"), name or MODEL_NAMES[0]
    if name not in MODEL_NAMES and not Path(name).is_file():
        raise UserError(
            f"threshold={value[:60]} should name a model ({', '.join(MODEL_NAMES)}) or a CSV file word,probability."
        )

    def at_least(remaining: list[str], start: Sequence[str]) -> list[str]:
        chances = _rated(name, start) if name in MODEL_NAMES else priors.read_file(Path(name))
        return [word for word in remaining if chances.get(word, 0.0) >= min_probability]

    return at_least


def _rated(model: str, words: Sequence[str]) -> dict[str, float]:
    """Return the probability of each word by a model; a known answer's by the fits that did not know it."""
    from wordpl.apps.words.word_ranking import Method, rank  # slow to import

    answers = known_answers.all_known(words, known_answers.bundled())
    ranking = rank(words, answers, Method(model, ALL_FEATURES, 0), iter)
    return dict(zip(ranking.words, ranking.chances.tolist(), strict=True))


def _frequency(value: str) -> Rule:
    min_share = _number(value, 1, "frequency=1e-7")
    return _words_with(lambda word: features.frequencies().get(word, 0.0) >= min_share)


def _stem(value: str) -> Rule:
    """Return the filter of words that are a word of a dictionary with one of these endings."""
    endings, _, file = value.partition("@")
    rules = [tuple(ending.split("!")) for ending in endings.split("+")]
    if bad := [rule for rule in rules if not all(part.isascii() and part.isalpha() for part in rule)]:
        raise UserError(f"the ending {'!'.join(bad[0])[:30]!r} should be letters, as in stem=s!s+ed.")
    known = frozenset(_lines(Path(file))) if file else None

    def is_stem_with_ending(word: str) -> bool:
        stems = features.dictionary_counts() if known is None else known
        return any(
            word.endswith(ending) and not stem.endswith(tuple(other)) and stem in stems
            for ending, *other in rules
            for stem in (word.removesuffix(ending),)
        )

    return _words_with(lambda word: not is_stem_with_ending(word))


def _lines(file: Path) -> list[str]:
    """Return the words of a dictionary file, of any lengths."""
    try:
        return [line.strip().lower() for line in bounded.read_text(bounded.WORD_LIST, file).splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the dictionary {file}: {error}.") from None


def _whitelist(value: str) -> Rule:
    kept = set(lists.find(value))
    return _words_with(lambda word: word in kept)


def _restore(value: str) -> Rule:
    restored = lists.find(value)

    def bring_back(remaining: list[str], start: Sequence[str]) -> list[str]:
        lists.check_subset(restored, start, value)
        return [*remaining, *restored]

    return bring_back


def _blacklist(value: str) -> Rule:
    removed = set(lists.find(value))
    return _words_with(lambda word: word not in removed)


FILTERS: dict[str, tuple[str, Callable[[str], Rule]]] = {
    "zipf": ("zipf=2.5", _zipf),
    "inflection": ("inflection", lambda _: _words_with(lambda word: not _is_regular_form(word))),
    "suffix": ("suffix", lambda _: _words_with(lambda word: not _has_suffix(word))),
    "part": ("part=NOUN+ADJ", _part),
    "probability": ("probability=0.05", _probability),
    "whitelist": ("whitelist=answers-2023", _whitelist),
    "restore": ("restore=puzzle-order", _restore),
    "blacklist": ("blacklist=past-answers", _blacklist),
    "threshold": ("threshold=0.07", _threshold),
    "frequency": ("frequency=1e-7", _frequency),
    "stem": ("stem=s!s+ed", _stem),
}
"""An example of each filter (a list is a file or the name of a list that comes with the package), and its maker."""
EXAMPLES = [example for example, _ in FILTERS.values()]
