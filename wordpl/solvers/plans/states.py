"""Where a game may stand after its first guess: every clue that can be shown, how likely it is, what it leaves."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordpl.core.clue_matrix import agreements
from wordpl.core.clues import decode, keep_probability
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.clue_entropy import channel


@dataclass(frozen=True, eq=False)
class State:
    """A shown clue, its probability, and that of each answer after it."""

    clues: str
    chance: float
    posterior: np.ndarray


def after_first(words: ClueTable, row: int, epsilon: float) -> Iterator[State]:
    """Yield the states after the first guess, the likeliest first; all answers are as likely before it."""
    joint = channel(epsilon, words.length)[:, words.matrix[row]] / words.matrix.shape[1]
    chances = joint.sum(axis=1)
    for y in np.argsort(-chances, kind="stable"):
        yield State(decode(int(y), words.length), float(chances[y]), joint[y] / chances[y])


def updated(posterior: np.ndarray, clues: np.ndarray, shown: int, epsilon: float, length: int) -> np.ndarray:
    """Return the probabilities of the answers after clue number `shown`.

    Args:
        clues: each answer's own clue number
    """
    keep = keep_probability(epsilon, length)
    by_agreement = keep ** np.arange(length + 1) * ((1 - keep) / 2) ** np.arange(length, -1, -1)
    weights: np.ndarray = posterior * by_agreement[agreements(shown, length)[clues]]
    weights /= weights.sum()
    return weights
