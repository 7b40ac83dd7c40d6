"""Cornering the adversary that always keeps the largest group of words that a clue leaves possible.

It plays the same against everybody, so that a few words guessed one after the other win whenever they win once.
"""

import numpy as np

from wordpl.core.clues import decode
from wordpl.core.compiled import Int, kernel

MAX_CLUES = {1: 3**5, 2: 3**10, 4: 3**11}
"""By the bytes of a clue's number: enough for every length that uses them."""


def largest_groups(matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray | None = None) -> np.ndarray:
    """Return how many candidates the commonest clue of each guess leaves, int64[n_guesses].

    matrix: clue numbers [n_guesses, n_answers] from `kernels.matrix_of`
    candidates: columns of the answers still possible; guesses: rows to rate, all where None is given
    """
    rows = np.arange(len(matrix)) if guesses is None else np.asarray(guesses, np.int64)
    counts, out = np.zeros(MAX_CLUES[matrix.itemsize], np.int32), np.empty(len(rows), np.int64)
    _largest_groups(matrix, candidates.astype(np.uint32), rows, counts, out)
    return out


def best_guess(matrix: np.ndarray, candidates: np.ndarray, own: np.ndarray, guesses: np.ndarray | None = None) -> int:
    """Return the row of the guess that leaves the fewest words: a candidate among equals, then the lowest row.

    matrix, candidates, guesses: as for `largest_groups`
    own: the row at which each candidate stands as a guess
    """
    if not len(candidates):
        raise ValueError("no answer gives these clues, so there is nothing to guess for")
    rows = np.arange(len(matrix)) if guesses is None else np.sort(guesses)
    largest = largest_groups(matrix, candidates, rows)
    winners = rows[largest == largest.min()]
    mine = np.intersect1d(winners, own)
    return int(mine[0] if len(mine) else winners[0])


def in_order(length: int) -> np.ndarray:
    """Return the place of each clue among all, those that reveal less first, int64[3**length]: `games.absurdle`'s rule.

    Fewer `c` come first, then fewer `i`, then the smaller number.
    """
    clues = [decode(code, length) for code in range(3**length)]
    places = np.empty(len(clues), np.int64)
    places[sorted(range(len(clues)), key=lambda code: (clues[code].count("c"), clues[code].count("i"), code))] = (
        np.arange(len(clues))
    )
    return places


def kept(matrix: np.ndarray, guess: int, candidates: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the candidates that the adversary keeps after this guess; places: of clues, as `in_order` gives them."""
    clues = matrix[guess, candidates]
    found, counts = np.unique(clues, return_counts=True)
    largest = found[counts == counts.max()]
    return np.asarray(candidates[clues == largest[places[largest].argmin()]])


def cornered(
    matrix: np.ndarray, candidates: np.ndarray, n_guesses: int, places: np.ndarray, width: int
) -> tuple[int, ...] | None:
    """Return at most `n_guesses` rows that leave one candidate alone when guessed in turn; None where none are found.

    width: the guesses tried at each step but the last, those that leave the fewest words; with all, None is a proof
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
    """Fill out[i] with the largest count of a clue of guesses[i]; `counts`, int32[n_clues], is zeros before, after."""
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
    """Return the first guess whose clues are all different, or -1; `seen`, int32[n_clues], is zeros before."""
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
