"""What players share, made ready before they are forked: imports, tables, and kernels loaded by using each once.

It takes a second, so only entries whose files ask for the harness's library wait for it, the first of them.
"""

import gc
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path

from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import WordLists
from wordpl.players import numba_cache

MAX_PLANNED = 5
"""The length of words up to which schedules are played by tables over all clues."""


USERS = (b"wordpl", b"strategies")  # a file that mentions neither imports none of what is shared
NEEDS = {  # what a file that mentions a library finds loaded; the generator, so that each game can seed it
    b"numpy": ("numpy.random",),
    b"pandas": ("numpy.random", "pandas"),
    b"numba": ("numpy.random", "numba"),
}
KERNELS = (
    "wordpl.core.posterior",
    "wordpl.solvers.absurdle",
    "wordpl.solvers.entropy",
    "wordpl.solvers.noisy",
    "wordpl.solvers.search",
)
SHARED = ("numpy.random", "numba", "wordpl.core.posterior", "wordpl.solvers.search")


def prepare(file: Path, *, plays: bool) -> None:
    """Make ready what the entry of this file may use; plays: whether it will play, or only be asked what it declares.

    Of the file, which is an untrusted author's, no more is done than to look for names in it.
    """
    try:
        text = file.read_bytes()
    except OSError:  # the player will say so
        return
    uses_shared = any(name in text for name in USERS)
    for name, needed in [*NEEDS.items(), (b"", SHARED if uses_shared else ())]:
        if name in text:
            for module in needed:
                _load(module)
    if uses_shared and plays:
        preload()


@cache
def _load(module: str) -> None:
    import_module(module)
    if module == "numba":
        numba_cache.use_read_only()
    _keep()


def import_kernels() -> None:
    """Import every module whose kernels `preload` compiles."""
    for module in KERNELS:
        import_module(module)


@cache
def preload() -> None:
    """Import, build and compile all that players share, so that a fork finds it ready."""
    lists = words.here()
    _asked_of_strategies(lists)
    _noisy(lists)
    _classic(lists)
    _keep()


def _keep() -> None:
    gc.collect()
    gc.freeze()  # keeps the collector from touching, and so copying, the pages that players share


def _asked_of_strategies(lists: WordLists) -> None:
    """Have ready what a player built in its first game else, touching each word and so copying the pages it is on."""
    from wordpl.core.clue_matrix import answer_rows
    from wordpl.strategy import Strategy

    for name in ("guesses", "answers", "clue_rule"):
        getattr(Strategy(), name)
    answer_rows(lists)


def _noisy(lists: WordLists) -> None:
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
            few = matrix_of(lists, rule)[: clue_entropy.LANES]
            clue_entropy.best_guess(few, posterior.probabilities, 1.0, lists.length)
    if matrix_fits(lists) and lists.length <= MAX_PLANNED:
        planned, uniform = ClueTable.of(lists, "anywhere"), np.full(len(lists.answers), 1 / len(lists.answers))
        for n_left in (1, 2):
            next_guess(planned, uniform, (1.0,) * n_left)


def _classic(lists: WordLists) -> None:
    import numpy as np

    from wordpl.core.clue_matrix import matrix_fits, matrix_of
    from wordpl.solvers import absurdle, entropy, search

    if not matrix_fits(lists):
        return
    left = np.arange(min(5, len(lists.answers)))
    own = np.array([lists.guesses.index(word) for word in lists.answers[: len(left)]])
    for rule in CLUE_RULES:
        entropy.opening(lists, rule)
    for matrix, letters in product(
        (matrix_of(lists, rule) for rule in CLUE_RULES), (None, words.letters(lists.guesses))
    ):
        entropy.best_guess(matrix, left, own)
        hard = None if letters is None else own
        search.best_guess(search.Position(matrix, left, own, guesses=hard, left=6, letters=letters), 2)
    absurdle.best_guess(matrix, left, own)
    absurdle.cornered(matrix, left, 2, absurdle.in_order(lists.length), 1)
