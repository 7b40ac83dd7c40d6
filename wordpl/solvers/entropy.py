"""Greedy information gain: the guess whose clue has the largest expected information about the secret.

If all N candidates are equally likely and n of them give a certain clue, the expected information of a guess's clue is
log2 N - (1/N) sum n log2 n bits, summed over its clues.
"""

from functools import cache

import numpy as np

from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import answer_rows, clue_counts, matrix_of
from wordpl.kernels.compiled import kernel, twin_of

FRACTION_BITS = 32
N_CLUES = {1: 3**5, 2: 3**10, 4: 3**11}
"""Number of clues by the size of a clue number in bytes; enough for every word length with that size."""


def information(matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray | None = None) -> np.ndarray:
    """Return the expected information of each guess's clue in bits, float64[n_guesses].

    Args:
        matrix: Clue numbers, [n_guesses, n_answers], from `clue_matrix.matrix_of`.
        candidates: Columns of the answers that are still possible.
        guesses: Rows of the guesses to rate; None for all.
    """
    n_candidates = len(candidates)
    spread = _rate(matrix, candidates, guesses) / (n_candidates * 2.0**FRACTION_BITS)
    return np.asarray(np.log2(n_candidates) - spread)


def best_guess(matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, guesses: np.ndarray | None = None) -> int:
    """Return the row of the guess with the most information; ties prefer candidates, then lower rows.

    Args:
        matrix: As for `information`.
        candidates: As for `information`.
        own: The row of each candidate as a guess.
        guesses: As for `information`.

    Raises:
        ValueError: There are no candidates.
    """
    if not len(candidates):
        raise ValueError("no answer gives these clues, so there is nothing left to guess")
    own = np.sort(own if guesses is None else own[np.isin(own, guesses)])
    if len(own) and len(candidates) <= N_CLUES[matrix.itemsize]:
        rates = _rate(matrix, candidates, own)
        if not rates.min():  # this candidate distinguishes all others: no guess is better
            return int(own[rates.argmin()])
    rates = _rate(matrix, candidates, guesses)
    rows = np.flatnonzero(rates == rates.min()) if guesses is None else guesses[rates == rates.min()]
    winners = own[np.isin(own, rows)]
    return int(winners[0] if len(winners) else rows.min())


@cache
def opening(lists: WordLists, rule: str) -> int:
    """Return the best first guess, which is cached because every game needs it.

    Args:
        rule: The clue rule, a key of `clues.CLUE_RULES`.
    """
    return best_guess(matrix_of(lists, rule), np.arange(len(lists.answers)), answer_rows(lists))


def _rate(matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray | None) -> np.ndarray:
    """Return sum n log2 n over the clues of each guess, fixed-point int64; 0 if all clues are different."""
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    counts, out = np.zeros(N_CLUES[matrix.itemsize], np.int32), np.empty(len(rows), np.int64)
    # With unsigned columns, the compiled code does not check for negative indices.
    _sum_n_log_n(matrix, candidates.astype(np.uint32), rows, _n_log_n(len(candidates)), counts, out)
    return out


def _n_log_n(largest: int) -> np.ndarray:
    """Return n log2 n for n = 0..largest in units of 2**-32 bits, int64, so that sums do not depend on their order."""
    n = np.arange(largest + 1.0)
    return np.asarray(np.rint(n * np.log2(np.maximum(n, 1)) * 2.0**FRACTION_BITS).astype(np.int64))


@kernel
def _sum_n_log_n(
    matrix: np.ndarray,
    candidates: np.ndarray,
    guesses: np.ndarray,
    n_log_n: np.ndarray,
    counts: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill out[i] with sum n log2 n of guesses[i].

    The scratch array `counts`, int32[n_clues], must be all zeros, and is all zeros again afterwards.
    """
    for i in range(guesses.shape[0]):
        clues = matrix[guesses[i]]
        for j in range(candidates.shape[0]):
            counts[clues[candidates[j]]] += np.int32(1)
        out[i] = 0
        if candidates.shape[0] > counts.shape[0]:
            for clue in range(counts.shape[0]):
                out[i] += n_log_n[counts[clue]]
                counts[clue] = 0
        else:
            for j in range(candidates.shape[0]):
                clue = clues[candidates[j]]
                out[i] += n_log_n[counts[clue]]
                counts[clue] = 0


@twin_of(_sum_n_log_n)
def _sum_plainly(
    matrix: np.ndarray,
    candidates: np.ndarray,
    guesses: np.ndarray,
    n_log_n: np.ndarray,
    counts: np.ndarray,
    out: np.ndarray,
) -> None:
    for some, found in clue_counts(matrix, candidates, guesses, int(matrix.max()) + 1):
        out[some] = n_log_n[found].sum(axis=1)
