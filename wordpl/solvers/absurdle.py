"""Solving Absurdle, whose adversary always keeps the largest group of words.

As the adversary is deterministic, a sequence of guesses that wins once always wins.
"""

import numpy as np

from wordpl.core.clues import decode
from wordpl.core.compiled import Int, kernel

MAX_CLUES = {1: 3**5, 2: 3**10, 4: 3**11}
"""The maximum number of clues by the size of a clue number in bytes."""


def largest_groups(matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray | None = None) -> np.ndarray:
    """Return the number of candidates that the most frequent clue of each guess leaves, int64[n_guesses].

    Args:
        matrix: clue numbers, [n_guesses, n_answers], see `matrix_of`
        candidates: the columns of the answers that are still possible
        guesses: the rows of the guesses to rate; None: all
    """
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    counts, out = np.zeros(MAX_CLUES[matrix.itemsize], np.int32), np.empty(len(rows), np.int64)
    _largest_groups(matrix, candidates.astype(np.uint32), rows, counts, out)
    return out


def best_guess(matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, guesses: np.ndarray | None = None) -> int:
    """Return the row of the guess that leaves the fewest words; ties go to a candidate, then to the lowest row.

    Args:
        matrix, candidates, guesses: as for `largest_groups`
        own: the row of each candidate as a guess
    """
    if not len(candidates):
        raise ValueError("no answer gives these clues, so there is nothing to guess for")
    rows = np.arange(len(matrix)) if guesses is None else np.sort(guesses)
    largest = largest_groups(matrix, candidates, rows)
    winners = rows[largest == largest.min()]
    mine = np.intersect1d(winners, own)
    return int(mine[0] if len(mine) else winners[0])


def in_order(length: int) -> np.ndarray:
    """Return the rank of each clue when sorted by how little it reveals, int64[3**length], as in `games.absurdle`.

    Clues with fewer `c` come first, then those with fewer `i`, then those with a smaller number.
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
        matrix: clue numbers, [n_guesses, n_answers]
        guess: the row of the guess
        candidates: the columns of the answers that are still possible
        places: the ranks of clues, see `in_order`
    """
    clues = matrix[guess, candidates]
    found, counts = np.unique(clues, return_counts=True)
    largest = found[counts == counts.max()]
    return np.asarray(candidates[clues == largest[places[largest].argmin()]])


def cornered(
    matrix: np.ndarray, candidates: np.ndarray, n_guesses: int, places: np.ndarray, width: int
) -> tuple[int, ...] | None:
    """Return a sequence of guesses after which only one candidate is left, or None if none was found.

    Args:
        matrix: clue numbers, [n_guesses, n_answers]
        candidates: the columns of the answers that are still possible
        n_guesses: the maximum length of the sequence
        places: the ranks of clues, see `in_order`
        width: the number of guesses to try at each step except the last one, those that leave the fewest words first;
            if it includes all guesses, None is a proof that there is no such sequence
    """
    if len(candidates) == 1:
        return ()
    if n_guesses == 0:
        return None
    if n_guesses == 1:
        row = int(_first_apart(matrix, candidates.astype(np.uint32), np.zeros(MAX_CLUES[matrix.itemsize], np.int32)))
        return None if row < 0 else (row,)
    for guess in np.argsort(largest_groups(matrix, candidates), kind="stable")[:width]:
        rest = cornered(matrix, kept(matrix, guess, candidates, places), n_guesses - 1, places, width)
        if rest is not None:
            return (int(guess), *rest)
    return None


@kernel
def _largest_groups(
    matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray, counts: np.ndarray, out: np.ndarray
) -> None:
    """Write the largest group size of guesses[i] into out[i]; `counts`, int32[n_clues], is zero-filled scratch."""
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


@kernel
def _first_apart(matrix: np.ndarray, candidates: np.ndarray, seen: np.ndarray) -> Int:
    """Return the first guess whose clues are all different, or -1; `seen`, int32[n_clues], must be zeros."""
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
