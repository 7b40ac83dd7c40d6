"""The next guess in a game with a fixed budget: the most informative one, or at the end the one most likely to win."""

from collections.abc import Sequence

import numpy as np

from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import final_guess, information


def next_guess(words: ClueTable, probabilities: np.ndarray, epsilons: Sequence[float]) -> int:
    """Return the row of the next guess.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilons: The budgets of this guess and of all later ones.
    """
    choose = final_guess.best_guess if len(epsilons) == 1 else information.best_guess
    return choose(words, probabilities, epsilons[0])
