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
def add_demands(
    known: np.ndarray, tools: SearchTools, guess: Int, answers: np.ndarray, hashes: tuple[np.ndarray, np.ndarray]
) -> None:
    """Add the demands after a guess to the two hashes of each part; `answers` has the row of one answer of each."""
    letters, counts, mixers = tools.letters, tools.counts, tools.mixers
    keys, checks = hashes
    length = letters.shape[1]
    key, check = np.uint64(0), np.uint64(0)
    for i in range(known.shape[0]):
        key += known[i] * mixers[0, MAX_LEFT + i]
        check += known[i] * mixers[1, MAX_LEFT + i]
    for part in range(answers.shape[0]):
        keys[part] += key
        checks[part] += check
    for place in range(length):
        letter = np.int64(letters[guess, place])
        in_place, in_word = MAX_LEFT + place, MAX_LEFT + length + letter
        mixer, other = np.uint64(letter + 1) * mixers[0, in_place], np.uint64(letter + 1) * mixers[1, in_place]
        before = np.int64(known[length + letter])
        in_guess: Int = np.int64(counts[guess, letter])
        for earlier in range(place):
            if letters[guess, earlier] == letter:
                in_guess = 0  # this letter is done
        for part in range(answers.shape[0]):
            if known[place] == 0 and letters[answers[part], place] == letter:
                keys[part] += mixer
                checks[part] += other
            more = min(in_guess, np.int64(counts[answers[part], letter])) - before
            if more > 0:
                keys[part] += np.uint64(more) * mixers[0, in_word]
                checks[part] += np.uint64(more) * mixers[1, in_word]


@twin_of(add_demands)
def _add_demands_plainly(
    known: np.ndarray, tools: SearchTools, guess: Int, answers: np.ndarray, hashes: tuple[np.ndarray, np.ndarray]
) -> None:
    after = np.array([demands_after(known, tools, guess, answer) for answer in answers], np.uint64)
    for i in range(2):
        hashes[i][: len(answers)] += (after * tools.mixers[i, MAX_LEFT : MAX_LEFT + len(known)]).sum(axis=1)


@inner
def adds_demands(known: np.ndarray, tools: SearchTools, guess: Int, answer: Int) -> Bool:
    """Return whether there are demands after a guess that were not known before; `answer` gives the clue."""
    letters, counts = tools.letters, tools.counts
    length = letters.shape[1]
    for place in range(length):
        letter = letters[guess, place]
        if known[place] == 0 and letters[answer, place] == letter:
            return True
        if min(counts[guess, letter], counts[answer, letter]) > known[length + letter]:
            return True
    return False


@inner
def allowed_columns(known: np.ndarray, board: SearchBoard, tools: SearchTools) -> np.ndarray:
    """Return the columns of the guesses that satisfy the demands, which include those of the board, int32[n]."""
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
