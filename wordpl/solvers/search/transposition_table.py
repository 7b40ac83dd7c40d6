"""What the search remembers: the least total of each group met before, or a bound on it, and the best guess.

An open hash table, uint64[size, 4]: key, check, 2 * bound + is_exact, row of the guess + 1. Key and check are
independent, so an entry is taken for another group's with probability 2^-128: with 10^7 entries and 10^10 look-ups,
less than once in 10^21 proofs. An entry is never thrown out; a table that is almost full takes no more.
"""

import numpy as np

from wordpl.solvers.search.board import N_KEPT
from wordpl.solvers.search.compiled import inner, kernel

FULLEST = 0.75
KEY, CHECK, BOUND, GUESS = range(4)


def empty(n_bits: int) -> np.ndarray:
    """Return a memo with room for 2**n_bits entries; its memory is taken only as it fills."""
    return np.zeros((1 << n_bits, 4), np.uint64)


@inner
def place_of(memo, key, check):
    """Return the entry of the group, or the free one where it would be put."""
    mask = np.uint64(memo.shape[0] - 1)
    place = (key >> np.uint64(8)) & mask
    while memo[place, KEY] != 0 and (memo[place, KEY] != key or memo[place, CHECK] != check):
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@inner
def recall(memo, key, check):
    """Return (bound, whether it is exact) of the group; (0, False) where nothing is known."""
    place = place_of(memo, key, check)
    value = np.int64(memo[place, BOUND])
    return value >> 1, (value & 1) == 1


@inner
def remember(tools, group, bound, is_exact, guess):
    """Keep the bound, unless a better one is known; guess: row of the clue matrix, -1 where none is best."""
    memo, tally = tools.memo, tools.tally
    if not tools.terms.uses_memo:
        return
    place = place_of(memo, group.key, group.check)
    if memo[place, KEY] == 0:
        if tally[N_KEPT] > FULLEST * memo.shape[0]:
            return
        tally[N_KEPT] += 1
        memo[place, KEY], memo[place, CHECK] = group.key, group.check
    value = np.int64(memo[place, BOUND])
    if is_exact or ((value & 1) == 0 and bound > value >> 1):
        memo[place, BOUND] = np.uint64(2 * bound + np.int64(is_exact))
        memo[place, GUESS] = np.uint64(guess + 1)


@kernel
def best_known(memo, key, check):
    """Return the row of the best guess for the group, -1 where it is not known."""
    place = place_of(memo, key, check)
    return np.int64(memo[place, GUESS]) - 1


@kernel
def copy_entries(old, new):
    """Put all entries of `old` into `new`, which is empty and larger."""
    for i in range(old.shape[0]):
        if old[i, KEY] != 0:
            place = place_of(new, old[i, KEY], old[i, CHECK])
            for field in range(4):
                new[place, field] = old[i, field]
