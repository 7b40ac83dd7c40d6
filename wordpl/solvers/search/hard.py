"""Hard mode: what the clues so far demand of a guess, and which guesses satisfy it.

A clue shows where guess and secret agree, and how often each letter of the guess occurs in the secret, up to its count
in the guess. The demands therefore follow from the guess and any answer that gives the clue: letters on which they
agree must stay in place, and each letter must occur at least as often as in both words.
"""

import numpy as np

from wordpl.kernels.compiled import Bool, Int, twin_of
from wordpl.solvers.search.board import MAX_LEFT, SearchBoard, SearchTools
from wordpl.solvers.search.compiled import inner


@inner
def demands_after(known: np.ndarray, tools: SearchTools, guess: Int, answer: Int) -> np.ndarray:
    """Return the demands after a guess, uint8[length + 26].

    Args:
        known: The demands before.
        guess: The row of the guess in the clue matrix.
        answer: The row of any answer that gives the clue.
    """
    letters, counts = tools.letters, tools.counts
    length = letters.shape[1]
    after = known.copy()
    for place in range(length):
        letter = letters[guess, place]
        if letter == letters[answer, place]:
            after[place] = letter + 1
        at_least = min(counts[guess, letter], counts[answer, letter])
        after[length + letter] = max(after[length + letter], at_least)
    return after


@inner
def new_demands(known: np.ndarray, tools: SearchTools, guess: Int, answer: Int) -> tuple[Int, Int]:
    """Return what the demands after a guess add to the two hashes of a group; (0, 0) if there are no new ones."""
    letters, counts, mixers = tools.letters, tools.counts, tools.mixers
    length = letters.shape[1]
    key, check = np.uint64(0), np.uint64(0)
    for place in range(length):
        letter = np.int64(letters[guess, place])
        if letters[answer, place] == letter and known[place] == 0:
            key += np.uint64(letter + 1) * mixers[0, MAX_LEFT + place]
            check += np.uint64(letter + 1) * mixers[1, MAX_LEFT + place]
        at_least = np.int64(min(counts[guess, letter], counts[answer, letter]))
        more = at_least - np.int64(known[length + letter])
        if more > 0 and _is_first(letters, guess, place):
            key += np.uint64(more) * mixers[0, MAX_LEFT + length + letter]
            check += np.uint64(more) * mixers[1, MAX_LEFT + length + letter]
    return key, check


@twin_of(new_demands)
def _new_demands_plainly(known: np.ndarray, tools: SearchTools, guess: Int, answer: Int) -> tuple[Int, Int]:
    more = demands_after(known, tools, guess, answer).astype(np.uint64) - known
    sums = (more * tools.mixers[:2, MAX_LEFT : MAX_LEFT + len(known)]).sum(axis=1)
    return sums[0], sums[1]


@inner
def _is_first(letters: np.ndarray, guess: Int, place: Int) -> Bool:
    """Return whether the letter at this place occurs at none before it."""
    for before in range(place):
        if letters[guess, before] == letters[guess, place]:
            return False
    return True


@inner
def allowed_columns(known: np.ndarray, board: SearchBoard, tools: SearchTools) -> np.ndarray:
    """Return the columns of the board's guesses that satisfy the demands, which include those of the board, int32[n]."""
    letters, counts, guesses = tools.letters, tools.counts, board.guesses
    length, n = letters.shape[1], guesses.shape[0]
    columns = np.arange(n).astype(np.int32)
    for i in range(known.shape[0]):
        if known[i] != board.known[i]:
            n_met = 0
            for j in range(n):
                guess = guesses[columns[j]]
                meets = letters[guess, i] + 1 == known[i] if i < length else counts[guess, i - length] >= known[i]
                columns[n_met] = columns[j]
                n_met += meets
            n = n_met
    return columns[:n]


@twin_of(allowed_columns)
def _allowed_columns_plainly(known: np.ndarray, board: SearchBoard, tools: SearchTools) -> np.ndarray:
    letters, counts = tools.letters[board.guesses], tools.counts[board.guesses]
    fixed, demanded = known[: letters.shape[1]], known[letters.shape[1] :]
    has_place = ((letters + 1 == fixed) | (fixed == 0)).all(axis=1)
    return np.flatnonzero(has_place & (counts >= demanded).all(axis=1)).astype(np.int32)
