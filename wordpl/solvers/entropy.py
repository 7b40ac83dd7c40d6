"""One-step information: the guess whose true clue says most about the secret.

With N candidates as likely as each other, of which n give a clue, the clue carries log2 N - (1/N) sum n log2 n bits.
"""

from functools import cache

import numpy as np

from wordpl.core.clue_matrix import answer_rows, matrix_of
from wordpl.core.compiled import kernel
from wordpl.core.words import WordLists

FRACTION_BITS = 32
N_CLUES = {1: 3**5, 2: 3**10, 4: 3**11}  # by the bytes of a clue's number: enough for every length that uses them


def information(matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray | None = None) -> np.ndarray:
    """Return the expected information of each guess's clue in bits, float64[n_guesses].

    matrix: clue numbers [n_guesses, n_answers] from `kernels.matrix_of`
    candidates: columns of the answers still possible; guesses: rows to rate, all where None is given
    """
    n_candidates = len(candidates)
    spread = _rate(matrix, candidates, guesses) / (n_candidates * 2.0**FRACTION_BITS)
    return np.asarray(np.log2(n_candidates) - spread)


def best_guess(matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, guesses: np.ndarray | None = None) -> int:
    """Return the row of the guess with most information: a candidate among equals, then the lowest row.

    matrix, candidates, guesses: as for `information`
    own: the row at which each candidate stands as a guess
    """
    if not len(candidates):
        raise ValueError("no answer gives these clues, so there is nothing to guess for")
    own = np.sort(own if guesses is None else own[np.isin(own, guesses)])
    if len(own) and len(candidates) <= N_CLUES[matrix.itemsize]:
        rates = _rate(matrix, candidates, own)
        if not rates.min():  # this candidate tells all the others apart: no guess does more
            return int(own[rates.argmin()])
    rates = _rate(matrix, candidates, guesses)
    rows = np.flatnonzero(rates == rates.min()) if guesses is None else guesses[rates == rates.min()]
    winners = own[np.isin(own, rows)]
    return int(winners[0] if len(winners) else rows.min())


@cache
def opening(lists: WordLists, rule: str) -> int:
    """Return the best guess while every answer is possible, found once a process and shared: the games all begin so.

    rule: a key of `clues.CLUE_RULES`
    """
    return best_guess(matrix_of(lists, rule), np.arange(len(lists.answers)), answer_rows(lists))


def _rate(matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray | None) -> np.ndarray:
    """Return sum n log2 n over the clues of each guess, fixed-point int64: small is good, 0 tells all apart."""
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    counts, out = np.zeros(N_CLUES[matrix.itemsize], np.int32), np.empty(len(rows), np.int64)
    # Unsigned columns spare the kernel the question whether an index counts from the end.
    _add_up(matrix, candidates.astype(np.uint32), rows, _n_log_n(len(candidates)), counts, out)
    return out


def _n_log_n(largest: int) -> np.ndarray:
    """Return n log2 n for n = 0..largest in units of 2**-32 bits, int64: sums of it do not depend on their order."""
    n = np.arange(largest + 1.0)
    return np.asarray(np.rint(n * np.log2(np.maximum(n, 1)) * 2.0**FRACTION_BITS).astype(np.int64))


@kernel
def _add_up(
    matrix: np.ndarray,
    candidates: np.ndarray,
    guesses: np.ndarray,
    n_log_n: np.ndarray,
    counts: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill out[i] with sum n log2 n of guesses[i]; `counts`, int32[n_clues], is zeros before and after."""
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
