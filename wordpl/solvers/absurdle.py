"""Solver for Absurdle, whose adversary always gives the clue that leaves the most words possible.

The adversary is deterministic, so a sequence of guesses that wins once always wins.
"""

import numpy as np

from wordpl.core.clues import decode
from wordpl.kernels.clue_matrix import clue_counts
from wordpl.kernels.compiled import Int, kernel, twin_of

MAX_CLUES = {1: 3**5, 2: 3**10, 4: 3**11}
"""Number of clues by the size of a clue number in bytes; enough for every word length with that size."""


def largest_groups(matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray | None = None) -> np.ndarray:
    """Return how many candidates remain after the most frequent clue of each guess, int64[n_guesses].

    Args:
        matrix: Clue numbers, [n_guesses, n_answers], from `clue_matrix.matrix_of`.
        candidates: Columns of the answers that are still possible.
        guesses: Rows of the guesses to rate; None for all.
    """
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    counts, out = np.zeros(MAX_CLUES[matrix.itemsize], np.int32), np.empty(len(rows), np.int64)
    _largest_groups(matrix, candidates.astype(np.uint32), rows, counts, out)
    return out


def best_guess(matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, guesses: np.ndarray | None = None) -> int:
    """Return the row of the guess that leaves the fewest words; ties prefer candidates, then lower rows.

    Args:
        matrix: As for `largest_groups`.
        candidates: As for `largest_groups`.
        own: The row of each candidate as a guess.
        guesses: As for `largest_groups`.

    Raises:
        ValueError: There are no candidates.
    """
    if not len(candidates):
        raise ValueError("no answer gives these clues, so there is nothing left to guess")
    rows = np.arange(len(matrix)) if guesses is None else np.sort(guesses)
    largest = largest_groups(matrix, candidates, rows)
    winners = rows[largest == largest.min()]
    mine = np.intersect1d(winners, own)
    return int(mine[0] if len(mine) else winners[0])


def in_order(length: int) -> np.ndarray:
    """Return the rank of each clue in the adversary's order of preference, int64[3**length]; see `games.absurdle`.

    Clues that reveal less come first: those with fewer `c`, then those with fewer `i`, then those with smaller numbers.
    """
    clues = [decode(code, length) for code in range(3**length)]
    places = np.empty(len(clues), np.int64)
    places[sorted(range(len(clues)), key=lambda code: (clues[code].count("c"), clues[code].count("i"), code))] = (
        np.arange(len(clues))
    )
    return places


def kept(matrix: np.ndarray, guess: int, candidates: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the candidates that the adversary keeps after a guess.

    Args:
        matrix: As for `largest_groups`.
        guess: The row of the guess.
        candidates: Columns of the answers that are still possible.
        places: The ranks of clues from `in_order`.
    """
    clues = matrix[guess, candidates]
    codes, counts = np.unique(clues, return_counts=True)
    largest = codes[counts == counts.max()]
    return np.asarray(candidates[clues == largest[places[largest].argmin()]])


def cornered(
    matrix: np.ndarray, candidates: np.ndarray, n_guesses: int, places: np.ndarray, width: int
) -> tuple[int, ...] | None:
    """Return a sequence of at most `n_guesses` guesses after which one candidate is left, or None if none was found.

    Args:
        matrix: As for `largest_groups`.
        candidates: Columns of the answers that are still possible.
        n_guesses: The longest sequence.
        places: The ranks of clues from `in_order`.
        width: How many guesses to try at each step except the last, those that leave the fewest words first. If it
            includes all guesses, None proves that there is no such sequence.
    """
    if len(candidates) == 1:
        return ()
    if n_guesses == 0:
        return None
    if n_guesses == 1:
        row = int(_first_apart(matrix, candidates.astype(np.uint32), np.zeros(MAX_CLUES[matrix.itemsize], np.int32)))
        return None if row < 0 else (row,)
    for guess in np.argsort(largest_groups(matrix, candidates), kind="stable")[:width]:
        later_guesses = cornered(matrix, kept(matrix, guess, candidates, places), n_guesses - 1, places, width)
        if later_guesses is not None:
            return (int(guess), *later_guesses)
    return None


@kernel
def _largest_groups(
    matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray, counts: np.ndarray, out: np.ndarray
) -> None:
    """Fill out[i] with the count of the most frequent clue of guesses[i].

    The scratch array `counts`, int32[n_clues], must be all zeros, and is all zeros again afterwards.
    """
    for i in range(guesses.shape[0]):
        clues = matrix[guesses[i]]
        for j in range(candidates.shape[0]):
            counts[clues[candidates[j]]] += np.int32(1)
        largest = np.int32(0)
        if candidates.shape[0] > counts.shape[0]:
            for clue in range(counts.shape[0]):
                largest = max(largest, counts[clue])
                counts[clue] = 0
        else:
            for j in range(candidates.shape[0]):
                largest = max(largest, counts[clues[candidates[j]]])
            for j in range(candidates.shape[0]):
                counts[clues[candidates[j]]] = 0
        out[i] = largest


@twin_of(_largest_groups)
def _largest_plainly(
    matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray, counts: np.ndarray, out: np.ndarray
) -> None:
    for some, found in clue_counts(matrix, candidates, guesses, int(matrix.max()) + 1):
        out[some] = found.max(axis=1)


@kernel
def _first_apart(matrix: np.ndarray, candidates: np.ndarray, seen: np.ndarray) -> Int:
    """Return the first guess whose clues are all different, or -1. The scratch array `seen` must be all zeros."""
    for guess in range(matrix.shape[0]):
        clues = matrix[guess]
        stamp = np.int32(guess + 1)
        n_apart = 0
        while n_apart < candidates.shape[0] and seen[clues[candidates[n_apart]]] != stamp:
            seen[clues[candidates[n_apart]]] = stamp
            n_apart += 1
        if n_apart == candidates.shape[0]:
            return guess
    return -1
