"""The transposition table (memo): the minimal total of each group, or a bound on it, and the best guess.

It is a hash table with open addressing, uint64[size, 4], with columns key, check, value, and row of the guess + 1. The
value consists of the bound and, in its lowest bits, how often a search for the total has failed, whether a tree within
the guesses left is known to exist, and whether the bound is the total. Key and check are independent hashes, so an
entry is mistaken for another group's with probability 2^-128: with 10^7 entries and 10^10 look-ups, less than once in
10^21 proofs. Entries are never evicted; a table that is almost full accepts no more.
"""

import numpy as np

from wordpl.kernels.compiled import Bool, Int, bound_kernel, inner
from wordpl.solvers.search.board import N_KEPT, Group, SearchTools

MAX_FILL = 0.75
KEY, CHECK, VALUE, GUESS = range(4)
N_FLAGS = 8
EXACT, SOLVABLE, FAILURE, FAILURES = 1, 2, 4, 252  # masks: two flags, then the unit and the field of a counter up to 63


def empty(n_bits: int) -> np.ndarray:
    """Return an empty memo for 2**n_bits entries; memory is allocated only as it fills."""
    return np.zeros((1 << n_bits, 4), np.uint64)


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
