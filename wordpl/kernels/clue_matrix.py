"""Compiled clue rules: the clue of every guess for every answer, and how many marks two clues share.

`wordpl.core.clues` implements the same rules in plain Python. The arrays returned are shared and read-only.
Compiled code is cached on disk. No kernel reorders sums or specializes on a constant argument, so results are identical
to the bit on all machines, and each combination of array types is compiled once.
"""

from functools import cache, lru_cache

import numpy as np

from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import N_LETTERS, WordLists, letters
from wordpl.kernels.compiled import is_loaded, kernel

MAX_CACHED_ROWS = 243
MAX_SINGLE_ROWS = 3000
"""The number of rows computed one by one before the whole matrix is, whose kernels may have to be compiled."""
MAX_TABLE_LENGTH = 7
MAX_MATRIX_BYTES = 1 << 28  # a quarter of the memory that a player may use by default


def clue_type(length: int) -> np.dtype:
    """Return the smallest unsigned integer type that can hold every clue number for words of this length."""
    return np.dtype(np.uint8 if length <= 5 else np.uint16 if length <= 10 else np.uint32)


def clue_matrix(guesses: np.ndarray, answers: np.ndarray, rule: str) -> np.ndarray:
    """Return the clue number of each guess for each answer, [n_guesses, n_answers].

    Args:
        guesses, answers: Letter codes, uint8[n, length], as returned by `words.letters`.
        rule: A key of `clues.CLUE_RULES`.

    Returns:
        Clue numbers as returned by `clues.encode`, in the type that `clue_type` returns.
    """
    if rule not in CLUE_RULES:
        raise ValueError(f"unknown clue rule {rule!r}; choose one of {', '.join(CLUE_RULES)}")
    if guesses.shape[1] != answers.shape[1]:
        raise ValueError(
            f"guesses have {guesses.shape[1]} letters, but answers have {answers.shape[1]}; use words of one length"
        )
    # Make writable copies: numba treats read-only arrays as another type and would compile everything again.
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


def matrix_of(lists: WordLists, rule: str) -> np.ndarray:
    """Return the clue matrix of these lists; it is built once per process and shared. See `clue_matrix`."""
    matrix = _matrices.get((lists, rule))
    if matrix is None:
        matrix = clue_matrix(letters(lists.guesses), letters(lists.answers), rule)
        matrix.flags.writeable = False
        _matrices[lists, rule] = matrix
    return matrix


_matrices: dict[tuple[WordLists, str], np.ndarray] = {}


def matrix_fits(lists: WordLists) -> bool:
    """Return whether the whole clue matrix of these lists is small enough to be kept in memory."""
    n_bytes = len(lists.guesses) * len(lists.answers) * clue_type(lists.length).itemsize
    return n_bytes <= MAX_MATRIX_BYTES


def clue_row(lists: WordLists, rule: str, guess: str) -> np.ndarray:
    """Return the clue number of a guess for each answer, [n_answers], read-only.

    The matrix is built after MAX_SINGLE_ROWS guesses, or for the first one if its kernels are loaded already.

    Raises:
        KeyError: The guess is not in the lists.
    """
    row = guess_rows(lists)[guess]
    pays = is_loaded(_fill_marks) or _single_row.cache_info().misses >= MAX_SINGLE_ROWS
    if (lists, rule) in _matrices or (pays and matrix_fits(lists)):
        clues: np.ndarray = matrix_of(lists, rule)[row]
        return clues
    return _single_row(lists, rule, row)


@lru_cache(maxsize=MAX_CACHED_ROWS)
def _single_row(lists: WordLists, rule: str, row: int) -> np.ndarray:
    """Return a row of the matrix, without kernels."""
    guess, answers = letters([lists.guesses[row]])[0], _answer_letters(lists)
    clues = np.zeros(len(answers), clue_type(lists.length))
    for place, letter in enumerate(guess):
        has_letter = answers == letter
        is_marked = has_letter.any(axis=1)
        if rule == "counted":
            same = np.flatnonzero(guess == letter)
            n_used = (same < place).sum() + has_letter[:, same[same > place]].sum(axis=1)
            is_marked = has_letter.sum(axis=1) > n_used
        clues = 3 * clues + np.where(has_letter[:, place], 2, is_marked).astype(clues.dtype)
    clues.flags.writeable = False
    return clues


@cache
def _answer_letters(lists: WordLists) -> np.ndarray:
    return letters(lists.answers)


@cache
def guess_rows(lists: WordLists) -> dict[str, int]:
    """Return the row of each guess in the clue matrix."""
    return {guess: row for row, guess in enumerate(lists.guesses)}


@cache
def answer_rows(lists: WordLists) -> np.ndarray:
    """Return the row of each answer in the clue matrix, int64[n_answers]; every answer is also a guess."""
    rows = np.array([guess_rows(lists)[answer] for answer in lists.answers])
    rows.flags.writeable = False
    return rows


@lru_cache(maxsize=MAX_CACHED_ROWS)
def agreements(code: int, length: int) -> np.ndarray:
    """Return in how many positions each clue shows the same mark as clue number `code`, uint8[3**length].

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
def agreement_table(length: int) -> np.ndarray:
    """Return in how many positions each pair of clues shows the same mark, uint8[3**length, 3**length].

    The probability that clue y is shown for the true clue x is keep**a * ((1 - keep) / 2)**(length - a), where a is
    the table's entry for x and y, and keep is `clues.keep_probability`.

    Raises:
        ValueError: The words have more than MAX_TABLE_LENGTH letters.
    """
    if length > MAX_TABLE_LENGTH:
        raise ValueError(f"the table for {length} letters would be too large; use agreements(code, length)")
    table = np.stack([agreements.__wrapped__(code, length) for code in range(3**length)])
    table.flags.writeable = False
    return table


@kernel
def _fill_marks(answers: np.ndarray, marks: np.ndarray) -> None:
    """Write into marks[place, letter, answer] what this letter at this place of a guess adds to the clue number.

    Args:
        answers: uint8[a, n].
        marks: The output, zeros of shape [n, 26, a] and of the matrix's type.
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
    """Count the letters of each answer.

    Args:
        answers: uint8[a, n].
        supply: The output, zeros int8[26, a]; supply[letter, answer] is the count of the letter in the answer.
    """
    for a in range(answers.shape[0]):
        for place in range(answers.shape[1]):
            supply[answers[a, place], a] += 1


@kernel
def _add_marks(guesses: np.ndarray, marks: np.ndarray, matrix: np.ndarray) -> None:
    """Sum the marks of each guess's letters under the rule "anywhere", where marks are independent of each other.

    The inner loops run over answers, which are contiguous in memory, so that the compiler can vectorize them.
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
    """Sum the marks under the rule "counted", where a repeated letter is marked only as often as the answer has it.

    A letter that is not in the right place is marked "i" if the answer has it more often than other places of the guess
    use it up: all earlier places, and the later places where it is right.

    Args:
        guesses: uint8[g, n].
        placed: The answers transposed, uint8[n, a].
        marks, supply: The outputs of `_fill_marks` and `_fill_supply`.
        matrix: The output, [g, a].
    """
    spare = np.empty(matrix.shape[1], np.int8)
    for g in range(guesses.shape[0]):
        guess, row = guesses[g], matrix[g]
        for place in range(guess.shape[0]):
            letter = guess[place]
            mark, here = marks[place, letter], placed[place]
            n_same = 0  # a loop, which compiles faster than a comparison of arrays
            for other in guess:
                n_same += other == letter
            if n_same == 1:
                for a in range(row.shape[0]):
                    row[a] += mark[a]
                continue
            _count_spare(guess, place, placed, supply[letter], spare)
            for a in range(row.shape[0]):
                # A product rather than a branch, so that the compiler can vectorize the loop.
                row[a] += mark[a] * np.uint8((spare[a] > 0) | (here[a] == letter))


@kernel
def _count_spare(guess: np.ndarray, place: int, placed: np.ndarray, supply: np.ndarray, spare: np.ndarray) -> None:
    """Write into spare[a] how often answer a has the letter at `place` beyond what other places of the guess use up."""
    letter = guess[place]
    earlier = np.int8(0)
    for before in range(place):
        earlier += np.int8(guess[before] == letter)
    for a in range(spare.shape[0]):
        spare[a] = supply[a] - earlier
    for later in range(place + 1, guess.shape[0]):
        if guess[later] == letter:
            there = placed[later]
            for a in range(spare.shape[0]):
                spare[a] -= there[a] == letter
