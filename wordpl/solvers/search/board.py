"""The data structures of the search: a board with answers as rows, guesses as columns and clues as labels.

All kernels take these tuples of arrays. A group of answers is an array of rows, the most probable first, with two
Zobrist hashes: each is the exclusive or of the random 64-bit numbers of its answers. The first hash is the key of the
group in the memo (the transposition table), the second verifies an entry.
"""

from typing import NamedTuple

import numpy as np

from wordpl.kernels.compiled import Int, inner, twin_of

INFEASIBLE = 1 << 40
"""The total of a group that cannot be solved with the guesses left; greater than any feasible total."""

EVERY_GUESS = -1
"""The value of `Group.only` if any guess may be tried first."""


class SearchBoard(NamedTuple):
    """Answers and the guesses worth trying on them.

    Attributes:
        labels: Labels of clues, [n_answers, n_guesses]. Answers with the same label in a column give that guess the
            same clue.
        own: The column of each answer as a guess, int32[n_answers].
        answer: The row of each guess as an answer, -1 if it is not an answer, int32[n_guesses].
        guesses: The row of each guess in the clue matrix, int32[n_guesses].
        most: The largest number of parts into which each guess can split any group, in descending order,
            int16[n_guesses].
        weights: The weight of each answer in totals, in descending order, int64[n_answers]; 1 for a plain sum of
            guesses.
        keys: Two random numbers for each answer, uint64[n_answers, 2].
        known: What hard mode demands of a guess, uint8[length + 26]: the letter (from 1) at each place, then the
            smallest count of each letter; all zeros in the normal game.
        is_raw: Whether guesses with equal splits have not been removed yet.
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
    """Answers that are still possible, and the number of guesses left.

    Attributes:
        rows: The answers as rows of a board.
        key: The key in the memo, a hash of the answers, the guesses left and the demands of hard mode.
        check: A second, independent hash of the same.
        left: The number of guesses left; at least as many as there are answers means no limit.
        only: The column of the only guess to try first, or EVERY_GUESS.
    """

    rows: np.ndarray
    key: Int
    check: Int
    left: Int
    only: Int


class SearchTerms(NamedTuple):
    """Settings of the search. Each of its five ideas can be switched off in order to measure its effect.

    Attributes:
        width: How many of the most promising guesses to try on a group; FULL_WIDTH makes the result exact.
        is_hard: Whether guesses must use revealed hints.
        uses_memo: Whether to use the memo.
        checks_members: Whether to check first if an answer of the group distinguishes all others.
        counts_first: Whether to rule out guesses by their number of parts.
        raises: Whether to raise the bounds of parts in small steps.
        thins_out: Whether to remove guesses with equal splits.
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
    """What the kernels of one search share.

    Attributes:
        terms: The settings.
        memo: The transposition table, uint64[size, 4]; see `transposition_table`.
        letters: Letter codes of all guesses for hard mode, uint8[n_guesses, length].
        counts: How often each letter occurs in each guess, uint8[n_guesses, 26].
        mixers: Random odd numbers for hashes, uint64[3, m].
        seen: Scratch space, int32[n_labels]; all zeros before and after each use.
        tally: Groups searched, groups in the memo, and work done, int64[3].
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
"""The largest number of guesses left; larger limits are treated like this one."""


@inner
def total_weight(weights: np.ndarray, rows: np.ndarray) -> Int:
    """Return the total weight of these answers."""
    total = np.int64(0)
    for row in rows:
        total += weights[row]
    return total


@twin_of(total_weight)
def _total_weight_plainly(weights: np.ndarray, rows: np.ndarray) -> Int:
    return weights[rows].sum()
