"""One-step information where some answers are likelier than others: `entropy` with a probability for each answer.

A clue that comes with probability p carries -p log2 p bits of the sum.
"""

import numpy as np

from wordpl.core.compiled import kernel
from wordpl.solvers.entropy import N_CLUES

TIE_BITS = 1e-9
"""Sums that differ less, differ by their rounding."""


def information(
    matrix: np.ndarray, candidates: np.ndarray, weights: np.ndarray, guesses: np.ndarray | None = None
) -> np.ndarray:
    """Return the expected information of each guess's clue in bits, float64[n_guesses].

    matrix: clue numbers [n_guesses, n_answers] from `kernels.matrix_of`
    candidates: columns of the answers still possible; weights: of each of them, in any unit
    guesses: rows to rate, all where None is given
    """
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    chances = np.asarray(weights, float) / np.sum(weights)
    sums, out = np.zeros(N_CLUES[matrix.itemsize]), np.empty(len(rows))
    _add_up(matrix, np.asarray(candidates, np.int64), chances, rows, sums, out)
    return out


def best_guess(
    matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, weights: np.ndarray, guesses: np.ndarray | None = None
) -> int:
    """Return the row of the guess with most information; among equals the likeliest candidate, then the lowest row.

    own: the row at which each candidate stands as a guess; the others are those of `information`. A candidate that is
    likelier than all others together is guessed at once.
    """
    if not len(candidates):
        raise ValueError("no answer gives these clues, so there is nothing to guess for")
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    chances = np.zeros(len(matrix))
    chances[own] = weights / np.sum(weights)
    if chances[rows].max() > 0.5:
        return int(rows[chances[rows].argmax()])
    rates = np.round(information(matrix, candidates, weights, rows) / TIE_BITS)
    return int(rows[np.lexsort((rows, -chances[rows], -rates))[0]])


@kernel
def _add_up(
    matrix: np.ndarray,
    candidates: np.ndarray,
    chances: np.ndarray,
    guesses: np.ndarray,
    sums: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill out[i] with the bits of guesses[i]; `sums`, float64[n_clues], is zeros before and after."""
    for i in range(guesses.shape[0]):
        clues = matrix[guesses[i]]
        for j in range(candidates.shape[0]):
            sums[clues[candidates[j]]] += chances[j]
        out[i] = 0.0
        for j in range(candidates.shape[0]):
            clue = clues[candidates[j]]
            if sums[clue] > 0.0:
                out[i] -= sums[clue] * np.log2(sums[clue])
            sums[clue] = 0.0
