"""The word lists that are defined in the worker process, by name."""

from dataclasses import dataclass
from functools import lru_cache

from wordpl.core import words as core_words
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import matrix_fits, matrix_of
from wordpl.terminal.app.word_choice import WordChoice

_DEFINED: dict[str, "DefinedWords"] = {}


@dataclass(frozen=True, eq=False)
class DefinedWords:
    """Words with the `WordLists` object for solvers, which is reused so that its clue matrix is built only once."""

    choice: WordChoice
    lists: WordLists


def define(name: str, choice: WordChoice, rule: str) -> None:
    """Define words under a name, with their clue matrix, and replace those that had the name before.

    Args:
        name: The name.
        choice: The words.
        rule: The rule of clues, a key of `clues.CLUE_RULES`.
    """
    _DEFINED[name] = DefinedWords(choice, _lists(choice))
    if matrix_fits(_DEFINED[name].lists):
        matrix_of(_DEFINED[name].lists, rule)


def _lists(choice: WordChoice) -> WordLists:
    """Return lists of these words. For the contest's words, it is the shared object, whose matrix may exist already."""
    own = core_words.here()
    if (choice.answers, choice.guesses) == (own.answers, own.guesses):
        return own
    return _others(choice.answers, choice.guesses)


@lru_cache(maxsize=4)
def _others(answers: tuple[str, ...], guesses: tuple[str, ...]) -> WordLists:
    return WordLists(answers, guesses)


def get(name: str) -> DefinedWords:
    """Return the words that were defined under this name."""
    return _DEFINED[name]
