"""Hard mode: what the clues so far demand of a guess, and which guesses meet it.

A clue for a guess tells how many of each letter the secret holds, up to as many as the guess has, and where the two
agree. So what it demands follows from the guess and any answer that gives the clue: the letters that agree stay in
their places, and each letter occurs at least as often as in both of them.
"""

import numpy as np

from wordpl.solvers.search.compiled import kernel, step


@kernel
def learned(known, tools, guess, answer):
    """Return what is demanded after the guess has met the answer (rows of the clue matrix), uint8[length + 26]."""
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


@kernel
def allowed(known, board, tools):
    """Return the columns of the board's guesses that meet what is demanded, int32[n]."""
    length = tools.letters.shape[1]
    places = np.flatnonzero(known[:length])
    needed = np.flatnonzero(known[length:])
    columns, n_columns = np.empty(board.guesses.shape[0], np.int32), 0
    for column in range(board.guesses.shape[0]):
        columns[n_columns] = column
        n_columns += _is_allowed(known, places, needed, board.guesses[column], tools)
    return columns[:n_columns]


@step
def _is_allowed(known, places, needed, guess, tools):
    length = tools.letters.shape[1]
    for place in places:
        if tools.letters[guess, place] + 1 != known[place]:
            return False
    for letter in needed:  # noqa: SIM110, which would be slower to compile
        if tools.counts[guess, letter] < known[length + letter]:
            return False
    return True
