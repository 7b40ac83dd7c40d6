"""One-step entropy search with a probability for each answer; see `entropy` for equally likely answers.

The expected information of a guess is the sum of -p log2 p over the probabilities p of its clues.
"""

import numpy as np

from wordpl.core.compiled import kernel
from wordpl.solvers.entropy import N_CLUES

TIE_BITS = 1e-9
"""The difference in bits up to which sums count as equal, because of rounding errors."""


def information(
    matrix: np.ndarray, candidates: np.ndarray, weights: np.ndarray, guesses: np.ndarray | None = None
) -> np.ndarray:
    """Return the expected information of each guess's clue in bits, float64[n_guesses].

    Args:
        matrix: clue numbers, [n_guesses, n_answers], see `matrix_of`
        candidates: the columns of the answers that are still possible
        weights: the weight of each candidate, proportional to its probability
        guesses: the rows of the guesses to rate; None: all
    """
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    chances = np.asarray(weights, float) / np.sum(weights)
    sums, out = np.zeros(N_CLUES[matrix.itemsize]), np.empty(len(rows))
    _add_up(matrix, np.asarray(candidates, np.int64), chances, rows, sums, out)
    return out


def best_guess(
    matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, weights: np.ndarray, guesses: np.ndarray | None = None
) -> int:
    """Return the row of the guess with the most information; ties go to the likeliest candidate, then the lowest row.

    A candidate that is likelier than all others together is returned at once.

    Args:
        matrix, candidates, weights, guesses: as for `information`
        own: the row of each candidate as a guess
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
    """Write the information of guesses[i] in bits into out[i]; `sums`, float64[n_clues], is zero-filled scratch."""
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
