"""The last guess but one, chosen by two-step lookahead together with the split of the remaining budget."""

from typing import NamedTuple

import numpy as np

from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import information, lookahead
from wordpl.solvers.noisy.lookahead import Effort
from wordpl.solvers.plans.epsilons import shifted
from wordpl.solvers.plans.search import Search

N_FINALISTS = 4
THOROUGH = Effort(1500, 0.99)


class Choice(NamedTuple):
    """A chosen guess.

    Attributes:
        row: The row of the guess.
        moved: The part of the last epsilon that is moved to it.
        value: The estimated probability of winning; NaN if it was not estimated.
    """

    row: int
    moved: float
    value: float


def best_of_two(words: ClueTable, posterior: np.ndarray, epsilons: tuple[float, ...], search: Search) -> Choice:
    """Return the best guess found when exactly one more follows.

    The most informative guesses are rated by lookahead. The best few are then rated again with all splits and with more
    last guesses. These last guesses are the best ones after the likeliest clues, first of the most informative guess
    only, then of all finalists.

    Args:
        words: The clue table.
        posterior: The probability of each answer, float64[n_answers], with sum 1.
        epsilons: The planned epsilons of this guess and of the last.
        search: How many guesses, clues and splits to try.
    """
    rows = information.best_guesses(words, posterior, epsilons[0], min(search.n_tried, len(words.guesses)))
    after = lookahead.last_guesses(words, posterior, int(rows[0]), epsilons, search.n_clues)
    found = lookahead.values(words, posterior, epsilons, (rows, in_order(after)), THOROUGH)
    rows = rows[np.argsort(-found, kind="stable")[:N_FINALISTS]]
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
