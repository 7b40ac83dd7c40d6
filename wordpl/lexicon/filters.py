"""Filters: rules that take words out of a list, or bring some back, in any order, each saying what it did."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from wordpl.core import priors
from wordpl.core import words as lists
from wordpl.core.errors import UserError
from wordpl.lexicon import sources
from wordpl.lexicon.features.inflection import PARTS_OF_SPEECH, is_only_a_form

Rule = Callable[[list[str], Sequence[str]], Collection[str]]
"""(words left, words at the start) -> words left after it."""


@dataclass(frozen=True)
class Filter:
    """A rule with the text that asked for it."""

    text: str
    rule: Rule


@dataclass(frozen=True)
class Step:
    """What a filter did: how many words it removed or brought back, and the known answers that were lost by it."""

    text: str
    n_removed: int
    n_back: int
    n_left: int
    lost: tuple[str, ...]


def find(text: str) -> Filter:
    """Return the filter that a text like zipf=2.5, suffix or blacklist=past-answers asks for."""
    name, _, value = text.partition("=")
    if name not in MAKERS:
        raise UserError(f"there is no filter {name!r}; there are {', '.join(EXAMPLES)}.")
    needs_value = "=" in EXAMPLES[name]
    if needs_value != bool(value):
        raise UserError(f"the filter {text!r} should be written like {EXAMPLES[name]}.")
    return Filter(text, MAKERS[name](value))


def apply(words: Sequence[str], filters: Sequence[Filter], known: Collection[str]) -> tuple[list[str], list[Step]]:
    """Return the words that are left, in their order, and what each filter did.

    Args:
        known: answers that are known; those that a filter removes are named

    Raises:
        UserError: if no word is left.
    """
    left, steps = list(words), []
    for one in filters:
        kept = set(one.rule(left, words))
        after = [word for word in words if word in kept]
        before = set(left)
        lost = tuple(sorted((before - kept) & set(known)))
        steps.append(Step(one.text, len(before - kept), len(kept - before), len(after), lost))
        left = after
    if not left:
        counts = ", ".join(f"{step.text} left {step.n_left:,}" for step in steps)
        raise UserError(f"no word is left of {len(words):,}: {counts}. Leave a filter out, or set it lower.")
    return left, steps


def _number(value: str, most: float, example: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= most:
        name = example.partition("=")[0]
        raise UserError(f"the threshold of {name} should be a number from 0 to {most}, like {example}, not {value!r}.")
    return number


def _zipf(value: str) -> Rule:
    least = _number(value, sources.ONE_IN_A_BILLION, EXAMPLES["zipf"])
    return lambda left, _: [word for word in left if sources.zipf(word) >= least]


def _inflection(_: str) -> Rule:
    return lambda left, _: [word for word in left if not _is_regular_form(word)]


def _is_regular_form(word: str) -> bool:
    """Return whether the word is a regular plural, third person or past tense, and nothing else."""
    if not _has_suffix(word):
        return False
    _, lemma_of = sources.second_lemmatizer()
    return is_only_a_form(word) or (not sources.lemmas(word) and lemma_of(word) != word)


def _suffix(_: str) -> Rule:
    return lambda left, _: [word for word in left if not _has_suffix(word)]


def _has_suffix(word: str) -> bool:
    return word.endswith("ed") or (word.endswith("s") and not word.endswith("ss"))


def _part(value: str) -> Rule:
    parts = value.split("+")
    if wrong := [part for part in parts if part not in PARTS_OF_SPEECH]:
        raise UserError(f"there is no part of speech {wrong[0]!r}; there are {', '.join(PARTS_OF_SPEECH)}.")
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
        nest(listed, start, value)
        return [*left, *listed]

    return bring_back


def _blacklist(value: str) -> Rule:
    listed = set(lists.find(value))
    return lambda left, _: [word for word in left if word not in listed]


def nest(inner: Collection[str], outer: Sequence[str], name: str) -> None:
    """Raise UserError unless all words of `inner` are among those of `outer`."""
    outside = sorted(set(inner) - set(outer))
    if outside:
        more = ", ..." if len(outside) > 5 else ""
        raise UserError(
            f"{len(outside):,} words of {name} are not among the {len(outer):,} words that can be guessed "
            f"({', '.join(outside[:5])}{more}): take them out, or give a longer list with --guesses."
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
"""How each filter is written; a list is a file, or the name of one that comes with the package."""
