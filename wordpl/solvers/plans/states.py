"""The states of a game after its first guess: every clue that can be shown, with its probability and posterior."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordpl.core.clues import decode, keep_probability
from wordpl.kernels.clue_matrix import agreements
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.clue_entropy import channel


@dataclass(frozen=True, eq=False)
class State:
    """The state of a game after its first clue.

    Attributes:
        clues: The shown clue.
        chance: Its probability.
        posterior: The probability of each answer after it, float64[n_answers].
    """

    clues: str
    chance: float
    posterior: np.ndarray


def after_first(words: ClueTable, row: int, epsilon: float) -> Iterator[State]:
    """Yield the states after the first guess, the likeliest first, given that all answers are equally likely before it.

    Args:
        row: The first guess.
        epsilon: The budget spent on it.
    """
    joint = channel(epsilon, words.length)[:, words.matrix[row]] / words.matrix.shape[1]
    chances = joint.sum(axis=1)
    for y in np.argsort(-chances, kind="stable"):
        yield State(decode(int(y), words.length), float(chances[y]), joint[y] / chances[y])


def updated(posterior: np.ndarray, clues: np.ndarray, shown: int, epsilon: float, length: int) -> np.ndarray:
    """Return the posterior after a shown clue.

    Args:
        posterior: The probability of each answer before it, float64[n_answers].
        clues: The number of the true clue for each answer, [n_answers].
        shown: The number of the shown clue.
        epsilon: The budget spent on the guess.
        length: The number of letters of a word.
    """
    keep = keep_probability(epsilon, length)
    by_agreement = keep ** np.arange(length + 1) * ((1 - keep) / 2) ** np.arange(length, -1, -1)
    weights: np.ndarray = posterior * by_agreement[agreements(shown, length)[clues]]
    weights /= weights.sum()
    return weights
