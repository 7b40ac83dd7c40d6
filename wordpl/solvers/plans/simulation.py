"""Games played in memory, to learn what a choice is worth: the chance to win just before the last clue."""

from collections.abc import Sequence

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.final_guess import win_chances
from wordpl.solvers.noisy.fixed_budget import next_guess
from wordpl.solvers.plans.states import State, updated


def value_of_playing_on(words: ClueTable, state: State, row: int, epsilons: Sequence[float], seed: int) -> float:
    """Return what one game is worth that goes on from the state with this guess, and then as a schedule does.

    Args:
        epsilons: of this guess and of those after it. Games with the same seed have the same secret and the same noise,
            as far as their guesses allow, so that a difference between two guesses owes little to luck
    """
    rng = np.random.Generator(np.random.PCG64(int(seed)))
    secret = int(np.searchsorted(np.cumsum(state.posterior), rng.random()).clip(0, len(state.posterior) - 1))
    noise = rng.random((len(epsilons), words.length))
    posterior = state.posterior
    for number, epsilon in enumerate(epsilons[:-1]):
        shown = noisy_clue(int(words.matrix[row, secret]), epsilon, noise[number])
        posterior = updated(posterior, words.matrix[row], shown, epsilon, words.length)
        row = next_guess(words, posterior, epsilons[number + 1 :])
    return chance_to_win(words, posterior, row, epsilons[-1])


def chance_to_win(words: ClueTable, posterior: np.ndarray, row: int, epsilon: float) -> float:
    """Return the chance that the likeliest answer is right after this last guess, exact."""
    return float(win_chances(words.columns[:, row : row + 1], posterior, epsilon, words.length)[0])


def noisy_clue(true: int, epsilon: float, draws: np.ndarray) -> int:
    """Return the number of the clue that is shown for a true one.

    Args:
        draws: from [0, 1), one a letter
    """
    keep = keep_probability(epsilon, len(draws))
    shown, worth = 0, 1
    for place in range(len(draws) - 1, -1, -1):
        true, mark = divmod(true, 3)
        step = 0 if draws[place] < keep else 1 if draws[place] < (1 + keep) / 2 else 2
        shown += worth * ((mark + step) % 3)
        worth *= 3
    return shown
