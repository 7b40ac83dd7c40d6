"""Greedy information gain for answers with different probabilities.

The expected information of a guess's clue is -sum p log2 p bits, with p the probability of each clue.
"""

import numpy as np

from wordpl.kernels.compiled import kernel
from wordpl.solvers.entropy import N_CLUES

TIE_BITS = 1e-9
"""Smaller differences are due to rounding."""


def information(
    matrix: np.ndarray, candidates: np.ndarray, weights: np.ndarray, guesses: np.ndarray | None = None
) -> np.ndarray:
    """Return the expected information of each guess's clue in bits, float64[n_guesses].

    Args:
        matrix: Clue numbers, [n_guesses, n_answers], from `clue_matrix.matrix_of`.
        candidates: Columns of the answers that are still possible.
        weights: The relative probability of each candidate.
        guesses: Rows of the guesses to rate; None for all.
    """
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    chances = np.asarray(weights, float) / np.sum(weights)
    sums, out = np.zeros(N_CLUES[matrix.itemsize]), np.empty(len(rows))
    _sum_information(matrix, np.asarray(candidates, np.int64), chances, rows, sums, out)
    return out


def best_guess(
    matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, weights: np.ndarray, guesses: np.ndarray | None = None
) -> int:
    """Return the row of the guess with the most information; ties prefer likelier candidates, then lower rows.

    A candidate with a probability above one half is guessed at once.

    Args:
        matrix: As for `information`.
        candidates: As for `information`.
        own: The row of each candidate as a guess.
        weights: As for `information`.
        guesses: As for `information`.

    Raises:
        ValueError: There are no candidates.
    """
    if not len(candidates):
        raise ValueError("no answer gives these clues, so there is nothing left to guess")
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    chances = np.zeros(len(matrix))
    chances[own] = weights / np.sum(weights)
    if chances[rows].max() > 0.5:
        return int(rows[chances[rows].argmax()])
    rates = np.round(information(matrix, candidates, weights, rows) / TIE_BITS)
    return int(rows[np.lexsort((rows, -chances[rows], -rates))[0]])


@kernel
def _sum_information(
    matrix: np.ndarray,
    candidates: np.ndarray,
    chances: np.ndarray,
    guesses: np.ndarray,
    sums: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill out[i] with the information of guesses[i] in bits.

    The scratch array `sums`, float64[n_clues], must be all zeros, and is all zeros again afterwards.
    """
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
