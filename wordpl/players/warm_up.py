"""Preloading what players share before they are forked: modules, tables and kernels, each of which is used once.

This takes a second, so it is done only when the first entry plays whose file mentions the wordpl library.
"""

import gc
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path

from wordpl.core import kernel_cache, words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import WordLists

MAX_SCHEDULE_LENGTH = 5
"""The maximum length of words for which schedules use tables of all clues."""
LIBRARY_NAMES = (b"wordpl", b"strategies")
"""A file that mentions neither does not use the shared modules."""
MODULES_BY_MENTION = {
    b"numpy": ("numpy.random",),
    b"pandas": ("numpy.random", "pandas"),
    b"numba": ("numpy.random", "numba"),
}
"""The modules to load for a file that mentions a library; numpy.random, so that each game can seed it."""
KERNELS = (
    "wordpl.core.posterior",
    "wordpl.solvers.absurdle",
    "wordpl.solvers.entropy",
    "wordpl.solvers.noisy",
    "wordpl.solvers.search",
)
LIBRARY_MODULES = ("numpy.random", "numba", "wordpl.core.posterior", "wordpl.solvers.search")


def prepare(file: Path, *, plays: bool) -> None:
    """Preload the modules that an entry's file may use. The untrusted file is only searched for names.

    Args:
        plays: Whether the entry will play, rather than only be asked what it declares.
    """
    try:
        text = file.read_bytes()
    except OSError:  # the player will report it
        return
    uses_shared = any(name in text for name in LIBRARY_NAMES)
    for name, needed in [*MODULES_BY_MENTION.items(), (b"", LIBRARY_MODULES if uses_shared else ())]:
        if name in text:
            for module in needed:
                _load(module)
    if uses_shared and plays:
        preload()


@cache
def _load(module: str) -> None:
    import_module(module)
    if module == "numba":
        kernel_cache.accept_read_only()
    _freeze_objects()


def import_kernels() -> None:
    """Import all modules whose kernels `preload` compiles."""
    for module in KERNELS:
        import_module(module)


@cache
def preload() -> None:
    """Import, build and compile everything that players share, so that forked processes have it."""
    lists = words.here()
    _load_strategy_attributes(lists)
    _load_noisy(lists)
    _load_classic(lists)
    _freeze_objects()


def _freeze_objects() -> None:
    gc.collect()
    gc.freeze()  # the collector would write to pages that players share, so that they would be copied


def _load_strategy_attributes(lists: WordLists) -> None:
    """Compute the attributes of strategies, so that players neither compute them nor copy the memory pages of words."""
    from wordpl.core.clue_matrix import answer_rows
    from wordpl.strategy import Strategy

    for name in ("guesses", "answers", "clue_rule"):
        getattr(Strategy(), name)
    answer_rows(lists)


def _load_noisy(lists: WordLists) -> None:
    import numpy as np

    from wordpl.core.clue_matrix import matrix_fits, matrix_of
    from wordpl.core.posterior import Posterior
    from wordpl.solvers.clue_table import ClueTable
    from wordpl.solvers.noisy import clue_entropy
    from wordpl.solvers.noisy.fixed_budget import next_guess

    for rule in CLUE_RULES:
        posterior = Posterior.uniform(lists, rule)
        posterior.update(lists.guesses[0], 1.0, "." * lists.length)
        posterior.best()
        if matrix_fits(lists):
            first_rows = matrix_of(lists, rule)[: clue_entropy.LANES]
            clue_entropy.best_guess(first_rows, posterior.probabilities, 1.0, lists.length)
    if matrix_fits(lists) and lists.length <= MAX_SCHEDULE_LENGTH:
        planned, uniform = ClueTable.of(lists, "anywhere"), np.full(len(lists.answers), 1 / len(lists.answers))
        for n_left in (1, 2):
            next_guess(planned, uniform, (1.0,) * n_left)


def _load_classic(lists: WordLists) -> None:
    import numpy as np

    from wordpl.core.clue_matrix import matrix_fits, matrix_of
    from wordpl.solvers import absurdle, entropy, search

    if not matrix_fits(lists):
        return
    candidates = np.arange(min(5, len(lists.answers)))
    own = np.array([lists.guesses.index(word) for word in lists.answers[: len(candidates)]])
    for rule in CLUE_RULES:
        entropy.opening(lists, rule)
    for matrix, letters in product(
        (matrix_of(lists, rule) for rule in CLUE_RULES), (None, words.letters(lists.guesses))
    ):
        entropy.best_guess(matrix, candidates, own)
        hard = None if letters is None else own
        search.best_guess(search.Position(matrix, candidates, own, guesses=hard, left=6, letters=letters), 2)
    absurdle.best_guess(matrix, candidates, own)
    absurdle.cornered(matrix, candidates, 2, absurdle.in_order(lists.length), 1)
