"""The data structures of the search: a board with answers as rows, guesses as columns and clues as labels; the memo.

All kernels take these tuples of arrays. A group of answers is an array of rows, the most probable first, with two
Zobrist hashes: each is the exclusive or of the random 64-bit numbers of its answers.

The memo (the transposition table) has the minimal total of each group, or a bound on it, and the best guess. It is a
hash table with open addressing, uint64[size, 4], with columns key, check, value, and row of the guess + 1. The value
consists of the bound and, in its lowest bits, how often a search for the total has failed, whether a tree within the
guesses left is known to exist, and whether the bound is the total. Key and check are the hashes of the group, so an
entry is mistaken for another group's with probability 2^-128: with 10^7 entries and 10^10 look-ups, less than once in
10^21 proofs. Entries are never evicted; a table that is almost full accepts no more.
"""

from typing import NamedTuple

import numpy as np

from wordpl.kernels.compiled import Bool, Int, bound_kernel, inner, twin_of

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
        memo: The transposition table, uint64[size, 4].
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


MAX_FILL = 0.75
KEY, CHECK, VALUE, GUESS = range(4)
N_FLAGS = 8
EXACT, SOLVABLE, FAILURE, FAILURES = 1, 2, 4, 252  # masks: two flags, then the unit and the field of a counter up to 63


@inner
def place_of(memo: np.ndarray, key: Int, check: Int) -> Int:
    """Return the index of the group's entry, or of the free entry for it."""
    mask = np.uint64(memo.shape[0] - 1)
    place = (key >> np.uint64(8)) & mask
    while memo[place, KEY] != 0 and (memo[place, KEY] != key or memo[place, CHECK] != check):
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@inner
def recall(memo: np.ndarray, key: Int, check: Int) -> tuple[Int, Bool]:
    """Return the group's bound and whether it is exact; (0, False) if nothing is known."""
    place = place_of(memo, key, check)
    value = np.int64(memo[place, VALUE])
    return value >> N_FLAGS, (value & EXACT) != 0


@inner
def is_known_solvable(memo: np.ndarray, key: Int, check: Int) -> Bool:
    """Return whether a tree for the group is known to exist."""
    return (np.int64(memo[place_of(memo, key, check), VALUE]) & SOLVABLE) != 0


@inner
def remember(tools: SearchTools, group: Group, bound: Int, is_exact: Bool, guess: Int) -> None:
    """Store a bound unless a better one is known.

    Args:
        bound: The bound.
        is_exact: Whether it is the total.
        guess: The row of the best guess in the clue matrix; -1 if it is not known.
    """
    memo = tools.memo
    place = _entry(tools, group)
    if place < 0:
        return
    value = np.int64(memo[place, VALUE])
    if is_exact or ((value & EXACT) == 0 and bound > value >> N_FLAGS):
        memo[place, VALUE] = np.uint64(bound << N_FLAGS | (value & (SOLVABLE | FAILURES)) | np.int64(is_exact))
        memo[place, GUESS] = np.uint64(guess + 1)


@inner
def note_solvable(tools: SearchTools, group: Group) -> None:
    """Store that a tree for the group exists."""
    place = _entry(tools, group)
    if place >= 0:
        tools.memo[place, VALUE] |= np.uint64(SOLVABLE)


@inner
def note_failure(tools: SearchTools, group: Group) -> None:
    """Count a search that found no total below its beta."""
    place = _entry(tools, group)
    if place >= 0:
        value = np.int64(tools.memo[place, VALUE])
        if value & FAILURES != FAILURES:
            tools.memo[place, VALUE] = np.uint64(value + FAILURE)


@inner
def n_failures(memo: np.ndarray, key: Int, check: Int) -> Int:
    """Return how many searches for the group's total have failed, up to 63."""
    return (np.int64(memo[place_of(memo, key, check), VALUE]) & FAILURES) // FAILURE


@inner
def _entry(tools: SearchTools, group: Group) -> Int:
    """Return the index of the group's entry after creating it if necessary; -1 if nothing more is stored."""
    memo, tally = tools.memo, tools.tally
    if not tools.terms.uses_memo:
        return np.int64(-1)
    place = place_of(memo, group.key, group.check)
    if memo[place, KEY] == 0:
        if tally[N_KEPT] > MAX_FILL * memo.shape[0]:
            return np.int64(-1)
        tally[N_KEPT] += 1
        memo[place, KEY], memo[place, CHECK] = group.key, group.check
    return place


@bound_kernel
def best_known(memo: np.ndarray, key: Int, check: Int) -> Int:
    """Return the row of the best guess for the group, or -1 if it is not known."""
    place = place_of(memo, key, check)
    return np.int64(memo[place, GUESS]) - 1


@bound_kernel
def copy_entries(old: np.ndarray, new: np.ndarray) -> None:
    """Copy all entries of `old` to `new`, which must be empty and larger."""
    for i in range(old.shape[0]):
        if old[i, KEY] != 0:
            place = place_of(new, old[i, KEY], old[i, CHECK])
            for field in range(4):
                new[place, field] = old[i, field]
