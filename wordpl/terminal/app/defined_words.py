"""The word lists that are defined in the worker process, by name."""

import gc
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from wordpl.core import words as core_words
from wordpl.core.words import WordLists
from wordpl.kernels import loading
from wordpl.kernels.clue_matrix import matrix_fits, matrix_of
from wordpl.terminal.app.word_choice import WordChoice

_DEFINED: dict[str, "DefinedWords"] = {}


@dataclass(frozen=True, eq=False)
class DefinedWords:
    """Words with the `WordLists` object for solvers, which is reused so that its clue matrix is built only once."""

    choice: WordChoice
    lists: WordLists


def define(name: str, words: dict[str, Any], rule: str) -> bool:
    """Define words under a name, with their clue matrix, and replace those that had the name before.

    Args:
        name: The name.
        words: The words, as returned by `WordChoice.as_message`.
        rule: The rule of clues, a key of `clues.CLUE_RULES`.

    Returns:
        Whether kernels are compiled in the background, and do not serve this process.
    """
    compiles = _warm_up()
    choice = WordChoice.from_message(words)
    _DEFINED[name] = DefinedWords(choice, _lists(choice))
    if matrix_fits(_DEFINED[name].lists):
        matrix_of(_DEFINED[name].lists, rule)
    return compiles


def import_search() -> None:
    """Import the search without compiling anything, so that forked tasks inherit it."""
    with loading.fast_kernel_loading():
        from wordpl.terminal.app import classic_tasks  # noqa: F401


@cache
def _warm_up() -> bool:
    """Load the contest's words and kernels, so that forked tasks inherit them.

    Where kernels would have to be compiled, tasks do without, and they are compiled in the background.

    Returns:
        Whether this starts their compilation.
    """
    from wordpl.kernels import compiled
    from wordpl.players import shared_kernels
    from wordpl.terminal.app import classic_tasks, noisy_tasks, run_tasks  # noqa: F401 - these import this module

    starts = False
    if shared_kernels.are_compiled():
        compiled.use_for_all_work()
    else:
        starts = shared_kernels.compile_in_background()
    with loading.fast_kernel_loading():
        classic_tasks.warm_up()
    gc.freeze()
    return starts


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
