"""Games played in memory, to learn what a choice is worth: the chance to win just before the last clue."""

from collections.abc import Sequence

import numpy as np

from wordpl.clues import keep_probability
from wordpl.planning.states import State, updated
from wordpl.solvers.guess_words import GuessWords
from wordpl.solvers.last_guess import win_chances
from wordpl.solvers.lookahead import Effort
from wordpl.solvers.rounds import next_move


def value_of_playing_on(
    words: GuessWords, state: State, row: int, epsilons: Sequence[float], effort: Effort | None, seed: int
) -> float:
    """Return what one game is worth that goes on from the state with this guess, and then as a schedule does.

    epsilons: of this guess and of those after it. Games with the same seed have the same secret and the same noise, as
    far as their guesses allow, so that a difference between two guesses owes little to luck.
    """
    rng = np.random.Generator(np.random.PCG64(int(seed)))
    secret = int(np.searchsorted(np.cumsum(state.posterior), rng.random()).clip(0, len(state.posterior) - 1))
    noise = rng.random((len(epsilons), words.length))
    posterior, left = state.posterior, tuple(epsilons)
    while len(left) > 1:
        shown = noisy_clue(int(words.matrix[row, secret]), left[0], noise[-len(left)])
        posterior = updated(posterior, words.matrix[row], shown, left[0], words.length)
        row, left = next_move(words, posterior, left[1:], effort)
    return chance_to_win(words, posterior, row, left[0])


def chance_to_win(words: GuessWords, posterior: np.ndarray, row: int, epsilon: float) -> float:
    """Return the chance that the likeliest answer is right after this last guess, exact."""
    return float(win_chances(words.columns[:, row : row + 1], posterior, epsilon, words.length)[0])


def noisy_clue(true: int, epsilon: float, draws: np.ndarray) -> int:
    """Return the number of the clue that is shown for a true one; draws: from [0, 1), one a letter."""
    keep = keep_probability(epsilon, len(draws))
    shown, worth = 0, 1
    for place in range(len(draws) - 1, -1, -1):
        true, mark = divmod(true, 3)
        step = 0 if draws[place] < keep else 1 if draws[place] < (1 + keep) / 2 else 2
        shown += worth * ((mark + step) % 3)
        worth *= 3
    return shown
