"""The word lists that the worker process keeps, by the names that tasks give."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from wordpl.core import words as core_words
from wordpl.core.clue_matrix import matrix_fits, matrix_of
from wordpl.core.words import WordLists
from wordpl.terminal.app.word_choice import WordChoice

_KEPT: dict[str, "KeptWords"] = {}


@dataclass(frozen=True, eq=False)
class KeptWords:
    """Words with the lists that solvers take: the same object each time, so that a matrix is built once."""

    choice: WordChoice
    lists: WordLists


def define(name: str, words: dict[str, Any], rule: str) -> None:
    """Keep these words under the name, with their matrix of clues, and forget those that had it before.

    Args:
        name: what tasks call the words.
        words: as `WordChoice.as_message` writes them.
        rule: of clues, a key of `clues.RULES`.
    """
    choice = WordChoice.from_message(words)
    _KEPT[name] = KeptWords(choice, _lists(choice))
    if matrix_fits(_KEPT[name].lists):
        matrix_of(_KEPT[name].lists, rule)


def _lists(choice: WordChoice) -> WordLists:
    """Return the contest's own lists where the words are theirs: their matrix is built already."""
    own = core_words.here()
    if (choice.answers, choice.guesses) == (own.answers, own.guesses):
        return own
    return _others(choice.answers, choice.guesses)


@lru_cache(maxsize=4)
def _others(answers: tuple[str, ...], guesses: tuple[str, ...]) -> WordLists:
    return WordLists(answers, guesses)


def get(name: str) -> KeptWords:
    """Return the words of this name."""
    return _KEPT[name]
