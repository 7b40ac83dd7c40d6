"""What players share, made ready before they are forked: imports, tables, and kernels loaded by using each once."""

import gc
from itertools import product

from wordpl import words
from wordpl.clues import RULES
from wordpl.words import WordLists

LONGEST_PLANNED = 5
"""The length of words up to which schedules are played by tables over all clues."""


def preload() -> None:
    """Import, build and compile what players share, so that a fork finds it ready."""
    import numpy.random

    lists = words.here()
    _noisy(lists)
    _classic(lists)
    numpy.random.seed(0)
    gc.collect()
    gc.freeze()  # keeps the collector from touching, and so copying, the pages that players share


def _noisy(lists: WordLists) -> None:
    import numpy as np

    from wordpl.kernels import fits, matrix_of
    from wordpl.posterior import Posterior
    from wordpl.solvers import noisy
    from wordpl.solvers.guess_words import guess_words
    from wordpl.solvers.lookahead import Effort
    from wordpl.solvers.rounds import next_move

    for rule in RULES:
        posterior = Posterior.uniform(lists, rule)
        posterior.update(lists.guesses[0], 1.0, "." * lists.length)
        posterior.best()
        if fits(lists):
            few = matrix_of(lists, rule)[: noisy.LANES]
            noisy.best_guess(few, posterior.probabilities, 1.0, lists.length)
    if fits(lists) and lists.length <= LONGEST_PLANNED:
        planned, uniform = guess_words(lists, "anywhere"), np.full(len(lists.answers), 1 / len(lists.answers))
        for n_left in (1, 2):
            next_move(planned, uniform, (1.0,) * n_left, Effort(1, 1, 8, 0.01))


def _classic(lists: WordLists) -> None:
    import numpy as np

    from wordpl.kernels import fits, matrix_of
    from wordpl.solvers import absurdle, entropy, search

    if not fits(lists):
        return
    left = np.arange(min(5, len(lists.answers)))
    own = np.array([lists.guesses.index(word) for word in lists.answers[: len(left)]])
    for matrix, letters in product((matrix_of(lists, rule) for rule in RULES), (None, words.letters(lists.guesses))):
        entropy.best_guess(matrix, left, own)
        hard = None if letters is None else own
        search.best_guess(search.Position(matrix, left, own, guesses=hard, left=6, letters=letters), 2)
    absurdle.best_guess(matrix, left, own)
    absurdle.cornered(matrix, left, 2, absurdle.in_order(lists.length), 1)
