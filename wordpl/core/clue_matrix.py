"""The rules of clues compiled: every clue a word list can give, and how far two clues lie apart.

`wordpl.core.clues` holds the same rules in plain Python. The arrays returned are shared and read-only.
Compiled code stays on disk. No kernel reorders sums or takes another path for a constant argument, so a kernel gives
the same bits on every machine and has one compiled form for each type of array.
"""

from functools import cache, lru_cache

import numpy as np

from wordpl.core.clues import CLUE_RULES
from wordpl.core.compiled import kernel
from wordpl.core.words import N_LETTERS, WordLists, letters

ROWS_KEPT = 243
MAX_TABLE = 7
MAX_MATRIX = 1 << 28  # bytes: a player may use four times as much


def clue_type(length: int) -> np.dtype:
    """Return the smallest type that holds the number of every clue of `length` letters."""
    return np.dtype(np.uint8 if length <= 5 else np.uint16 if length <= 10 else np.uint32)


def clue_matrix(guesses: np.ndarray, answers: np.ndarray, rule: str) -> np.ndarray:
    """Return the number of the clue that each guess gets from each answer, [n_guesses, n_answers].

    Args:
        guesses, answers: letter codes, uint8[n, length] as `words.letters` gives them
        rule: a key of `clues.CLUE_RULES`; the numbers are those of `clues.encode`
    """
    if rule not in CLUE_RULES:
        raise ValueError(f"there is no rule of clues called {rule!r}; there are {', '.join(CLUE_RULES)}")
    if guesses.shape[1] != answers.shape[1]:
        raise ValueError(f"guesses have {guesses.shape[1]} letters and answers {answers.shape[1]}; both need as many")
    # Copies that can be written to: a read-only array is another type to numba, and would compile everything again.
    guesses, answers = np.array(guesses, np.uint8, order="C"), np.array(answers, np.uint8, order="C")
    length = answers.shape[1]
    marks = np.zeros((length, N_LETTERS, len(answers)), clue_type(length))
    _fill_marks(answers, marks)
    matrix = np.zeros((len(guesses), len(answers)), clue_type(length))
    if rule == "anywhere":
        _add_marks(guesses, marks, matrix)
    else:
        supply = np.zeros((N_LETTERS, len(answers)), np.int8)
        _fill_supply(answers, supply)
        _add_counted_marks(guesses, np.ascontiguousarray(answers.T), marks, supply, matrix)
    return matrix


@cache
def matrix_of(lists: WordLists, rule: str) -> np.ndarray:
    """Return the clue matrix of these lists, built once a process and shared; see `clue_matrix`."""
    matrix = clue_matrix(letters(lists.guesses), letters(lists.answers), rule)
    matrix.flags.writeable = False
    return matrix


def fits(lists: WordLists) -> bool:
    """Return whether the lists' clue matrix is small enough to be built whole and kept."""
    n_bytes = len(lists.guesses) * len(lists.answers) * clue_type(lists.length).itemsize
    return n_bytes <= MAX_MATRIX


def clue_row(lists: WordLists, rule: str, guess: str) -> np.ndarray:
    """Return the number of the clue that the guess gets from each answer, [n_answers], read-only.

    Raises:
        KeyError: for a guess that is not in the lists.
    """
    row = guess_rows(lists)[guess]
    return matrix_of(lists, rule)[row] if fits(lists) else _lone_row(lists, rule, row)


@lru_cache(maxsize=ROWS_KEPT)
def _lone_row(lists: WordLists, rule: str, row: int) -> np.ndarray:
    clues: np.ndarray = clue_matrix(letters([lists.guesses[row]]), letters(lists.answers), rule)[0]
    clues.flags.writeable = False
    return clues


@cache
def guess_rows(lists: WordLists) -> dict[str, int]:
    """Return the row of each guess in the clue matrix."""
    return {guess: row for row, guess in enumerate(lists.guesses)}


@cache
def answer_rows(lists: WordLists) -> np.ndarray:
    """Return the row of the clue matrix at which each answer stands as a guess, int64[n_answers]."""
    rows = np.array([guess_rows(lists)[answer] for answer in lists.answers])
    rows.flags.writeable = False
    return rows


@lru_cache(maxsize=ROWS_KEPT)
def agreements(code: int, length: int) -> np.ndarray:
    """Return at how many places each clue shows the same mark as clue number `code`, uint8[3**length].

    >>> agreements(0, 3)[[0, 1, 4, 26]]  # of '...' with '...', '..i', '.ii' and 'ccc'
    array([3, 2, 1, 0], dtype=uint8)
    """
    table = np.zeros(1, np.uint8)
    for place in range(length):
        mark = code // 3 ** (length - 1 - place) % 3
        table = (table[:, None] + (np.arange(3) == mark)).astype(np.uint8).ravel()
    table.flags.writeable = False
    return table


@cache
def agreement(length: int) -> np.ndarray:
    """Return at how many places any two clues show the same mark, uint8[3**length, 3**length]; up to 7 letters.

    The chance that clue y is shown for the true clue x is keep**a * ((1 - keep) / 2)**(length - a), where a is
    their agreement and keep is `clues.keep_probability`.
    """
    if length > MAX_TABLE:
        raise ValueError(f"the table for {length} letters would be too large; use agreements(code, length)")
    table = np.stack([agreements.__wrapped__(code, length) for code in range(3**length)])
    table.flags.writeable = False
    return table


@kernel
def _fill_marks(answers: np.ndarray, marks: np.ndarray) -> None:
    """Put into marks[place, letter, answer] what a guess's letter adds to the number of its clue.

    Args:
        answers: uint8[a, n]
        marks: zeros [n, 26, a] of the matrix's type
    """
    n_answers, length = answers.shape
    worth = 1
    for place in range(length - 1, -1, -1):
        for a in range(n_answers):
            for other in range(length):
                marks[place, answers[a, other], a] = worth
            marks[place, answers[a, place], a] = 2 * worth
        worth *= 3


@kernel
def _fill_supply(answers: np.ndarray, supply: np.ndarray) -> None:
    """Count into supply[letter, answer] how often each answer (uint8[a, n]) holds each letter; int8[26, a] zeros."""
    for a in range(answers.shape[0]):
        for place in range(answers.shape[1]):
            supply[answers[a, place], a] += 1


@kernel
def _add_marks(guesses: np.ndarray, marks: np.ndarray, matrix: np.ndarray) -> None:
    """Add up the marks of each guess's letters: where letters are not counted, they do not depend on each other.

    The inner loops run over the answers, side by side in memory, so that the compiler does 32 at a time.
    """
    for g in range(guesses.shape[0]):
        row = matrix[g]
        for place in range(guesses.shape[1]):
            mark = marks[place, guesses[g, place]]
            for a in range(row.shape[0]):
                row[a] += mark[a]


@kernel
def _add_counted_marks(
    guesses: np.ndarray, placed: np.ndarray, marks: np.ndarray, supply: np.ndarray, matrix: np.ndarray
) -> None:
    """Add up the marks as `_add_marks`, but strike those that repeat a letter more often than the answer holds it.

    A letter at `place` that is not in its right place is marked when the answer holds more of that letter than earlier
    places of the guess and right places after it use up.

    Args:
        guesses: uint8[g, n]
        placed: answers, uint8[n, a]
        marks, supply: from `_fill_marks`, `_fill_supply`
    """
    spare = np.empty(matrix.shape[1], np.int8)
    for g in range(guesses.shape[0]):
        guess, row = guesses[g], matrix[g]
        for place in range(guess.shape[0]):
            letter = guess[place]
            mark, here = marks[place, letter], placed[place]
            if (guess == letter).sum() == 1:
                for a in range(row.shape[0]):
                    row[a] += mark[a]
                continue
            _count_spare(guess, place, placed, supply[letter], spare)
            for a in range(row.shape[0]):
                # A product, not a condition: it is what the compiler turns into vector code.
                row[a] += mark[a] * np.uint8((spare[a] > 0) | (here[a] == letter))


@kernel
def _count_spare(guess: np.ndarray, place: int, placed: np.ndarray, supply: np.ndarray, spare: np.ndarray) -> None:
    """Put into spare[a] how many of the letter at `place` each answer holds that other places do not use up."""
    letter = guess[place]
    earlier = np.int8((guess[:place] == letter).sum())
    for a in range(spare.shape[0]):
        spare[a] = supply[a] - earlier
    for later in range(place + 1, guess.shape[0]):
        if guess[later] == letter:
            there = placed[later]
            for a in range(spare.shape[0]):
                spare[a] -= there[a] == letter
