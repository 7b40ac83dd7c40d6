"""Filters that remove words from a list or restore them, with a report of what each one did."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from wordpl.core import priors
from wordpl.core import words as lists
from wordpl.core.errors import UserError
from wordpl.lexicon import sources
from wordpl.lexicon.features.inflection import PARTS_OF_SPEECH, is_only_a_form

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


def find(text: str) -> WordFilter:
    """Return the filter that a text like zipf=2.5, suffix or blacklist=past-answers describes.

    Raises:
        UserError: There is no such filter, or its value is missing, superfluous or invalid.
    """
    name, _, value = text.partition("=")
    if name not in MAKERS:
        raise UserError(f"there is no filter {name!r}: use {', '.join(EXAMPLES)}.")
    needs_value = "=" in EXAMPLES[name]
    if needs_value != bool(value):
        raise UserError(f"the filter {text!r} should be written like {EXAMPLES[name]}.")
    return WordFilter(text, MAKERS[name](value))


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
    left, steps = list(words), []
    for one in filters:
        kept = set(one.rule(left, words))
        after = [word for word in words if word in kept]
        before = set(left)
        lost = tuple(sorted((before - kept) & set(known)))
        steps.append(FilterStep(one.text, len(before - kept), len(kept - before), len(after), lost))
        left = after
    if not left:
        counts = ", ".join(f"{step.text} left {step.n_left:,}" for step in steps)
        raise UserError(f"none of {len(words):,} words is left: {counts}. Remove a filter, or lower its threshold.")
    return left, steps


def _number(value: str, most: float, example: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= most:
        name = example.partition("=")[0]
        raise UserError(f"the threshold of {name} should be a number from 0 to {most}, like {example}; got {value!r}.")
    return number


def _zipf(value: str) -> Rule:
    least = _number(value, sources.ONE_IN_A_BILLION, EXAMPLES["zipf"])
    return lambda left, _: [word for word in left if sources.zipf(word) >= least]


def _inflection(_: str) -> Rule:
    return lambda left, _: [word for word in left if not _is_regular_form(word)]


def _is_regular_form(word: str) -> bool:
    """Return whether the word is only a regular plural, third person or past tense."""
    if not _has_suffix(word):
        return False
    _, lemma_of = sources.simplemma_functions()
    return is_only_a_form(word) or (not sources.lemmas(word) and lemma_of(word) != word)


def _suffix(_: str) -> Rule:
    return lambda left, _: [word for word in left if not _has_suffix(word)]


def _has_suffix(word: str) -> bool:
    return word.endswith("ed") or (word.endswith("s") and not word.endswith("ss"))


def _part(value: str) -> Rule:
    parts = value.split("+")
    if wrong := [part for part in parts if part not in PARTS_OF_SPEECH]:
        raise UserError(f"there is no part of speech {wrong[0]!r}: use {', '.join(PARTS_OF_SPEECH)}.")
    return lambda left, _: [word for word in left if _is_base_form(word, parts)]


def _is_base_form(word: str, parts: Sequence[str]) -> bool:
    lemmas = sources.lemmas(word)
    return any(word in lemmas.get(part, ()) for part in parts)


def _probability(value: str) -> Rule:
    least = _number(value, 1, "probability=0.05")

    def at_least(left: list[str], _: Sequence[str]) -> list[str]:
        chances = priors.read_file(priors.find("default"))
        return [word for word in left if chances.get(word, 0.0) >= least]

    return at_least


def _whitelist(value: str) -> Rule:
    listed = lists.find(value)

    def bring_back(left: list[str], start: Sequence[str]) -> list[str]:
        check_subset(listed, start, value)
        return [*left, *listed]

    return bring_back


def _blacklist(value: str) -> Rule:
    listed = set(lists.find(value))
    return lambda left, _: [word for word in left if word not in listed]


def check_subset(inner: Collection[str], outer: Sequence[str], name: str) -> None:
    """Raise UserError unless all words of `inner`, a list called `name`, are in `outer`."""
    outside = sorted(set(inner) - set(outer))
    if outside:
        more = ", ..." if len(outside) > 5 else ""
        raise UserError(
            f"{len(outside):,} words of {name} are not among the {len(outer):,} words that can be guessed "
            f"({', '.join(outside[:5])}{more}): remove them, or give a longer list with --guesses."
        )


MAKERS: dict[str, Callable[[str], Rule]] = {
    "zipf": _zipf,
    "inflection": _inflection,
    "suffix": _suffix,
    "part": _part,
    "probability": _probability,
    "whitelist": _whitelist,
    "blacklist": _blacklist,
}
EXAMPLES = {
    "zipf": "zipf=2.5",
    "inflection": "inflection",
    "suffix": "suffix",
    "part": "part=NOUN+ADJ",
    "probability": "probability=0.05",
    "whitelist": "whitelist=puzzle-order",
    "blacklist": "blacklist=past-answers",
}
"""An example of each filter; a list is a file or the name of a list that comes with the package."""
