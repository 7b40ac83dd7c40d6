"""What the search sees of a position: its answers as rows, the guesses worth trying as columns, clues as labels.

All kernels take these tuples of arrays. A group of answers is a list of row numbers, the most probable first, and two
64-bit numbers that are the exclusive or of its answers' random ones (Zobrist): one looks the group up in the memo, the
other checks what was found.
"""

from typing import NamedTuple

import numpy as np

from wordpl.core.compiled import Int
from wordpl.solvers.search.compiled import inner

INFEASIBLE = 1 << 40
"""The total of a group that the guesses left can't solve; any total that is feasible is smaller."""

EVERY_GUESS = -1


class SearchBoard(NamedTuple):
    """Answers and the guesses worth trying on them.

    labels: [n_answers, n_guesses]; answers with the same label in a column give that guess the same clue
    own: int32[n_answers], the column at which each answer stands as a guess
    answer: int32[n_guesses], the row of the answer that a guess is, -1 where it is none
    guesses: int32[n_guesses], the row of each guess in the clue matrix
    most: int16[n_guesses], in how many parts the guess can split any group at most, in descending order
    weights: int64[n_answers], how much an answer counts, in descending order; 1 each for the plain sum of guesses
    keys: uint64[n_answers, 2], random numbers of each answer
    known: uint8[length + 26], what hard mode demands of a guess: a letter (from 1) at each place, then how often
        each letter must occur; only zeros in the normal game
    is_raw: whether the guesses have not been thinned out for these answers yet
    """

    labels: np.ndarray
    own: np.ndarray
    answer: np.ndarray
    guesses: np.ndarray
    most: np.ndarray
    weights: np.ndarray
    keys: np.ndarray
    known: np.ndarray
    is_raw: Int


class Group(NamedTuple):
    """Answers that are still possible, as rows of a board, and how many guesses are left.

    key, check: identify the group, the guesses left and what hard mode demands
    left: guesses left; as many as there are answers, or more, are no limit
    only: the column of the one guess to try first, or EVERY_GUESS
    """

    rows: np.ndarray
    key: Int
    check: Int
    left: Int
    only: Int


class SearchTerms(NamedTuple):
    """How to search. The five ideas can be switched off, to measure what each is worth.

    width: how many of the most promising guesses are tried on a group; FULL_WIDTH makes the result exact
    is_hard: whether a guess must use what was revealed
    """

    width: int
    is_hard: bool
    uses_memo: bool = True
    checks_members: bool = True
    counts_first: bool = True
    raises: bool = True
    thins_out: bool = True


FULL_WIDTH = 1 << 30


class SearchTools(NamedTuple):
    """What the kernels share: the terms, the memo, letters for hard mode, scratch space and a tally of work.

    memo: uint64[size, 4], see `memo`
    letters: uint8[n_guesses, length] of the clue matrix's guesses; counts: uint8[n_guesses, 26] how often each occurs
    mixers: uint64[3, m], random odd numbers, as many as any hash takes
    seen: int32[n_labels], zeros before and after each use
    tally: int64[3]: groups searched, groups in the memo, work done
    """

    terms: SearchTerms
    memo: np.ndarray
    letters: np.ndarray
    counts: np.ndarray
    mixers: np.ndarray
    seen: np.ndarray
    tally: np.ndarray


N_SEARCHED, N_KEPT, WORK = range(3)
MAX_LEFT = 64
"""Guesses left that are told apart; a limit that is larger is treated as this one."""


@inner
def total_weight(weights: np.ndarray, rows: np.ndarray) -> Int:
    """Return the weight of all these answers together."""
    total = np.int64(0)
    for row in rows:
        total += weights[row]
    return total
