"""The least mean number of guesses of games with exact clues, whoever plays: proved for some lists, a bound for all."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

import numpy as np

from wordpl.core.words import WordLists, as_text, letters
from wordpl.kernels.clue_matrix import N_AT_ONCE, clue_matrix

ORIGINAL, OF_2023, OF_2022 = "f40e47975cf360ff", "3e443482b78dee0f", "c495f6cbc3647535"
ORIGINAL_GUESSES, MODERN_GUESSES = "feacc549249b5dcb", "ba86911aea83d038"
PROVED = {
    (ORIGINAL, ORIGINAL_GUESSES, False): 7_920,
    (ORIGINAL, ORIGINAL_GUESSES, True): 8_122,
    (OF_2023, MODERN_GUESSES, False): 11_219,
    (OF_2022, MODERN_GUESSES, False): 7_883,
    (OF_2022, MODERN_GUESSES, True): 8_097,
}
"""The least sum of guesses over all answers with Wordle's clue rule, as docs/solver.md states it.

The keys are the digests of the answers and of the guesses, both in alphabetical order, and whether in hard mode.
"""

MAX_COUNTED_MEAN = 3.0
"""A bound of `counted_mean`, which takes a second for long lists."""


@lru_cache(maxsize=8)
def proved_mean(lists: WordLists, clue_rule: str, *, is_hard: bool) -> float | None:
    """Return the proved minimum of the mean number of guesses, if all answers are equally likely; None: not known.

    Args:
        lists: The word lists, in any order.
        clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
        is_hard: Whether guesses must use all hints.
    """
    answers, guesses = (digest_of(words) for words in (lists.answers, lists.guesses))
    for mode in (is_hard, False):  # whoever may play in hard mode may play without
        if clue_rule == "counted" and (total := PROVED.get((answers, guesses, mode))):
            return total / len(lists.answers)
    return None


def digest_of(words: Sequence[str]) -> str:
    """Return the start of the SHA-256 of a word list in alphabetical order."""
    return sha256(as_text(sorted(words)).encode()).hexdigest()[:16]


@lru_cache(maxsize=4)
def counted_mean(lists: WordLists, clue_rule: str) -> float:
    """Return a bound below 3 of the mean number of guesses of all players.

    With two guesses at most, as many answers are found as a first guess can get different clues; all others take three.
    """
    answers, most = letters(lists.answers), 0
    for start in range(0, len(lists.guesses), N_AT_ONCE):
        rows = np.sort(clue_matrix(letters(lists.guesses[start : start + N_AT_ONCE]), answers, clue_rule), axis=1)
        wins = rows[:, -1] == 3**lists.length - 1  # an answer that takes a single guess
        most = max(most, int(((np.diff(rows) > 0).sum(axis=1) + 1 + wins).max()))
    return 3 - most / len(lists.answers)
