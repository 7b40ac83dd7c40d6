"""The next guess of a game with a fixed budget: by information while there is time, by the chance to win at the end."""

from collections.abc import Sequence

import numpy as np

from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import final_guess, information


def next_guess(words: ClueTable, probabilities: np.ndarray, epsilons: Sequence[float]) -> int:
    """Return the row of the guess to make now.

    Args:
        epsilons: of this guess and of all after it
    """
    choose = final_guess.best_guess if len(epsilons) == 1 else information.best_guess
    return choose(words, probabilities, epsilons[0])
