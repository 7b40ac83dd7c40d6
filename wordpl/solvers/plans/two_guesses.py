"""The guess before the last, chosen by what the best last guess makes of its clues, with the split of what is left."""

from typing import NamedTuple

import numpy as np

from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import information, lookahead
from wordpl.solvers.noisy.lookahead import Effort
from wordpl.solvers.plans.epsilons import shifted
from wordpl.solvers.plans.search import Search

SEEN_THROUGH = 4
THOROUGH = Effort(1500, 0.99)


class Choice(NamedTuple):
    """A guess: its row, the part of the last epsilon moved to it, and the chance to win if it was computed."""

    row: int
    moved: float
    value: float


def best_of_two(words: ClueTable, posterior: np.ndarray, epsilons: tuple[float, ...], search: Search) -> Choice:
    """Return the best guess found, with one more to come.

    Guesses are chosen by their values, then the best few of them again, with all splits and more last guesses. Last
    guesses come from the clues of the guesses in question: first of one, then of all that are left.

    Args:
        posterior: of each answer, float64[n_answers], with sum 1
        epsilons: of this guess and of the last, as planned
        search: how many guesses, clues and splits are tried
    """
    rows = information.best_guesses(words, posterior, epsilons[0], min(search.n_tried, len(words.guesses)))
    after = lookahead.last_guesses(words, posterior, int(rows[0]), epsilons, search.n_clues)
    found = lookahead.values(words, posterior, epsilons, (rows, in_order(after)), THOROUGH)
    rows = rows[np.argsort(-found, kind="stable")[:SEEN_THROUGH]]
    for row in rows:
        after |= lookahead.last_guesses(words, posterior, int(row), epsilons, search.n_clues)
    tables = [
        lookahead.values(words, posterior, shifted(epsilons, part), (rows, in_order(after)), THOROUGH)
        for part in search.splits
    ]
    split, which = np.unravel_index(np.argmax(tables), (len(tables), len(rows)))
    return Choice(int(rows[which]), search.splits[split], float(tables[split][which]))


def in_order(rows: set[int]) -> np.ndarray:
    """Return these rows as an array, in ascending order."""
    return np.array(sorted(rows))
