"""The next guess of a game with a fixed budget: by information while there is time, by the chance to win at the end."""

from collections.abc import Sequence

import numpy as np

from wordpl.solvers import information, last_guess, lookahead
from wordpl.solvers.guess_words import GuessWords
from wordpl.solvers.lookahead import Effort


def next_move(
    words: GuessWords, probabilities: np.ndarray, epsilons: Sequence[float], effort: Effort | None = None
) -> tuple[int, tuple[float, ...]]:
    """Return the row of the guess to make now, and the epsilons of this guess and of all after it.

    epsilons: as planned; the last guess is chosen by the chance to win, the others by the information of their clue
    effort: where given, the last guess but one is chosen by looking ahead to the last, and with it how what is left
        is split between the two; otherwise the epsilons stay as they are
    """
    if len(epsilons) == 1:
        return last_guess.best_guess(words, probabilities, epsilons[0]), tuple(epsilons)
    if len(epsilons) == 2 and effort is not None:
        return lookahead.best_move(words, probabilities, (epsilons[0], epsilons[1]), effort)
    return information.best_guess(words, probabilities, epsilons[0]), tuple(epsilons)
