"""Hard mode: what the clues so far demand of a guess, and which guesses meet it.

A clue for a guess tells how many of each letter the secret holds, up to as many as the guess has, and where the two
agree. So what it demands follows from the guess and any answer that gives the clue: the letters that agree stay in
their places, and each letter occurs at least as often as in both of them.
"""

import numpy as np

from wordpl.core.compiled import Int
from wordpl.solvers.search.board import SearchBoard, SearchTools
from wordpl.solvers.search.compiled import inner


@inner
def demands_after(known: np.ndarray, tools: SearchTools, guess: Int, answer: Int) -> np.ndarray:
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


@inner
def allowed_columns(known: np.ndarray, board: SearchBoard, tools: SearchTools) -> np.ndarray:
    """Return the columns of the board's guesses that meet what is demanded, int32[n]."""
    letters, counts, guesses = tools.letters, tools.counts, board.guesses
    length, n = letters.shape[1], guesses.shape[0]
    columns = np.arange(n).astype(np.int32)
    for i in range(known.shape[0]):
        if known[i] > 0:
            n_met = 0
            for j in range(n):
                guess = guesses[columns[j]]
                meets = letters[guess, i] + 1 == known[i] if i < length else counts[guess, i - length] >= known[i]
                columns[n_met] = columns[j]
                n_met += meets
            n = n_met
    return columns[:n]
