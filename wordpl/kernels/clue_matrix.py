"""Clue rules on arrays.

The clue of every guess for every answer, how many marks two clues share, and the table of clues and letters that
solvers share.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import N_LETTERS, WordLists, letters

MAX_CACHED_ROWS = 243
MAX_SINGLE_ROWS = 1000
"""The number of rows computed one by one before the whole matrix is, which takes as long."""
N_AT_ONCE = 1024
"""The number of guesses whose clues are computed at once, so that they fit into the processor's cache."""
MAX_COUNTED = 1 << 20
"""The number of clues that `clue_counts` counts at a time."""
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
    marks, placed = _marks_of(answers), np.ascontiguousarray(answers.T)
    supply = (placed == np.arange(N_LETTERS)[:, None, None]).sum(axis=1, dtype=np.int8)
    matrix = np.zeros((len(guesses), len(answers)), marks.dtype)
    for start in range(0, len(guesses), N_AT_ONCE):
        some, rows = guesses[start : start + N_AT_ONCE], matrix[start : start + N_AT_ONCE]
        for place in range(answers.shape[1]):
            added = marks[place, some[:, place]]
            repeated = np.flatnonzero((some == some[:, place, None]).sum(axis=1) > 1)
            if rule == "counted" and len(repeated):
                added[repeated] *= _has_spare(some[repeated], place, placed, supply)
            rows += added
    return matrix


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of an array. Shared matrices are read-only, and numba compiles a kernel once per type."""
    view = array.view()
    view.flags.writeable = False
    return view


def matrix_of(lists: WordLists, rule: str) -> np.ndarray:
    """Return the clue matrix of these lists; it is built once per process and shared. See `clue_matrix`."""
    matrix = _matrices.get((lists, rule))
    if matrix is None:
        matrix = read_only(clue_matrix(letters(lists.guesses), letters(lists.answers), rule))
        _matrices[lists, rule] = matrix
    return matrix


_matrices: dict[tuple[WordLists, str], np.ndarray] = {}


def clue_counts(
    matrix: np.ndarray, candidates: np.ndarray, guesses: np.ndarray, n_clues: int, weights: np.ndarray | None = None
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield how many candidates get each clue, for some guesses at a time.

    Args:
        matrix: Clue numbers, [n_guesses, n_answers].
        candidates: Columns of answers.
        guesses: Rows of guesses.
        n_clues: A number above all clue numbers.
        weights: What each candidate counts; None for 1.

    Yields:
        The place of these guesses in `guesses`, and the counts, [n_these, n_clues].
    """
    n_at_once = max(1, MAX_COUNTED // max(n_clues, len(candidates)))
    for start in range(0, len(guesses), n_at_once):
        some = slice(start, min(start + n_at_once, len(guesses)))
        clues = matrix[np.ix_(guesses[some], candidates)].astype(np.int64)
        clues += n_clues * np.arange(len(clues))[:, None]
        counted = None if weights is None else np.broadcast_to(weights, clues.shape).ravel()
        yield some, np.bincount(clues.ravel(), counted, len(clues) * n_clues).reshape(-1, n_clues)


def matrix_fits(lists: WordLists) -> bool:
    """Return whether the whole clue matrix of these lists is small enough to be kept in memory."""
    n_bytes = len(lists.guesses) * len(lists.answers) * clue_type(lists.length).itemsize
    return n_bytes <= MAX_MATRIX_BYTES


def clue_row(lists: WordLists, rule: str, guess: str) -> np.ndarray:
    """Return the clue number of a guess for each answer, [n_answers], read-only.

    The matrix is built after MAX_SINGLE_ROWS guesses.

    Raises:
        KeyError: The guess is not in the lists.
    """
    row = guess_rows(lists)[guess]
    pays = _single_row.cache_info().misses >= MAX_SINGLE_ROWS
    if (lists, rule) in _matrices or (pays and matrix_fits(lists)):
        clues: np.ndarray = matrix_of(lists, rule)[row]
        return clues
    return _single_row(lists, rule, row)


@lru_cache(maxsize=MAX_CACHED_ROWS)
def _single_row(lists: WordLists, rule: str, row: int) -> np.ndarray:
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
    return read_only(clues)


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
    return read_only(np.array([guess_rows(lists)[answer] for answer in lists.answers]))


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
    return read_only(table)


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
    return read_only(np.stack([agreements.__wrapped__(code, length) for code in range(3**length)]))


def _marks_of(answers: np.ndarray) -> np.ndarray:
    """Return what a letter at a place of a guess adds to the clue number, [length, 26, n_answers].

    It holds where each mark is independent of the others: under the rule "anywhere", and for letters that a guess does
    not repeat.
    """
    n_answers, length = answers.shape
    marks, every = np.zeros((length, N_LETTERS, n_answers), clue_type(length)), np.arange(n_answers)
    for place in range(length):
        worth = 3 ** (length - 1 - place)
        for letter in answers.T:
            marks[place, letter, every] = worth
        marks[place, answers[:, place], every] = 2 * worth
    return marks


def _has_spare(guesses: np.ndarray, place: int, placed: np.ndarray, supply: np.ndarray) -> np.ndarray:
    """Return whether each answer has the letter at a place of each guess more often than other places use it up.

    Other places are all earlier ones with this letter, and the later ones where it is right.

    Args:
        guesses: Letter codes, uint8[g, n].
        place: The place.
        placed: The answers transposed, uint8[n, a].
        supply: How often each answer has each letter, int8[26, a].

    Returns:
        A Boolean for each guess and answer, [g, a]; true also where the letter is in the right place.
    """
    letter = guesses[:, place]
    is_same = guesses == letter[:, None]
    spare = supply[letter] - is_same[:, :place].sum(axis=1, dtype=np.int8)[:, None]
    for later in range(place + 1, guesses.shape[1]):
        rows = np.flatnonzero(is_same[:, later])
        spare[rows] -= placed[later] == letter[rows, None]
    return np.asarray((spare > 0) | (placed[place] == letter[:, None]))


@dataclass(frozen=True, eq=False)
class ClueTable:
    """The clues and letters of all guesses and answers.

    Attributes:
        matrix: Clue numbers, [n_guesses, n_answers].
        columns: The transposed matrix, [n_answers, n_guesses], for access to few answers and many guesses.
        guesses: Letter codes of the guesses, uint8[n_guesses, length].
        answers: Letter codes of the answers, uint8[n_answers, length].
        independent: Whether each mark depends on its own letter only, as under the rule "anywhere".
    """

    matrix: np.ndarray
    columns: np.ndarray
    guesses: np.ndarray
    answers: np.ndarray
    independent: bool

    @property
    def length(self) -> int:
        """The number of letters of every word."""
        return int(self.answers.shape[1])

    @staticmethod
    @cache
    def of(lists: WordLists, rule: str) -> "ClueTable":
        """Return the table of these word lists for a clue rule, one of the keys of `clues.CLUE_RULES`."""
        matrix = matrix_of(lists, rule)
        columns = read_only(np.ascontiguousarray(matrix.T))
        guesses, answers = (letters(words).copy() for words in (lists.guesses, lists.answers))
        return ClueTable(matrix, columns, guesses, answers, rule == "anywhere")
