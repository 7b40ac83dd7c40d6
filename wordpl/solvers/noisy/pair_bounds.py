"""An upper bound on the entropy of each guess's noisy clue, from pairs of marks alone: what makes most scans needless.

Where letters are not counted, a mark hangs on its place, its letter and the secret, not on the rest of the guess. So
the joint entropy of two shown marks is one number for each pair of (place, letter), 6,760 for five letters, whatever
the number of guesses. For any tree T over the places

    H(y1..yn) <= sum_i H(yi) - sum_{(i,j) in T} I(yi; yj)

since the tree's own distribution has that entropy (Chow and Liu, Approximating discrete probability distributions with
dependence trees, 1968) and the cross entropy to any other is at least as large. Stars are used: one place tells of all
others, and the best of the n centres counts. The bound holds for the rule "anywhere" only.
"""

import numpy as np

from wordpl.core.words import N_LETTERS
from wordpl.solvers.noisy.clue_entropy import _log2
from wordpl.solvers.noisy.compiled import float_kernel, kernel


@float_kernel
def entropy_bounds(
    guesses: np.ndarray, answers: np.ndarray, likely: np.ndarray, weights: np.ndarray, keep: float, out: np.ndarray
) -> None:
    """Fill out[guess] with an upper bound in bits on the entropy of the guess's shown clue.

    Args:
        guesses, answers: letter codes, uint8[g, n] and uint8[a, n]
        likely: uint32[m] answers
        weights: float64[m], theirs, with sum 1
        keep: the chance that a mark is shown as it is
    """
    length = guesses.shape[1]
    single = np.zeros((length, N_LETTERS, 2))
    joint = np.zeros((length, length, N_LETTERS, N_LETTERS, 2, 2))
    for j in range(likely.shape[0]):
        _add_marks(answers[likely[j]], weights[j], single, joint)
    own = _mark_entropies(single, keep)
    shared = np.empty((length, length, N_LETTERS, N_LETTERS))
    for left in range(length):
        for right in range(left):
            _shared_information(joint[left, right], single[left], single[right], keep, own, (left, right), shared)
    told = np.empty(length)
    for g in range(guesses.shape[0]):
        out[g] = _best_star(guesses[g], own, shared, told)


@kernel
def _add_marks(word: np.ndarray, weight: float, single: np.ndarray, joint: np.ndarray) -> None:
    """Add the weight of a word to single[place, letter, mark - 1] and joint[left, right, letter, letter, mark, mark].

    Only the word's own letters have a mark other than '.', which is what is left of the sums.
    """
    length = word.shape[0]
    for i in range(length):
        if _stands_before(word, i):
            continue
        for left in range(length):
            single[left, word[i], np.uint8(word[left] == word[i])] += weight
        for j in range(length):
            if _stands_before(word, j):
                continue
            for left in range(length):
                mark = np.uint8(word[left] == word[i])
                for right in range(left):
                    joint[left, right, word[i], word[j], mark, np.uint8(word[right] == word[j])] += weight


@kernel
def _stands_before(word: np.ndarray, place: int) -> bool:
    """Return whether the letter at this place stands at an earlier one too."""
    found = False
    for earlier in range(place):
        found |= word[earlier] == word[place]
    return found


@float_kernel
def _mark_entropies(single: np.ndarray, keep: float) -> np.ndarray:
    """Return the entropy of the shown mark of each place and letter, float64[n, 26]."""
    other = (1 - keep) / 2
    own = np.empty(single.shape[:2])
    for place in range(single.shape[0]):
        for letter in range(N_LETTERS):
            a, b = single[place, letter]
            p, q = other + (keep - other) * a, other + (keep - other) * b
            r = 1 - p - q
            own[place, letter] = -(p * _log2(p) + q * _log2(q) + r * _log2(r))
    return own


@float_kernel
def _shared_information(
    joint: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    keep: float,
    own: np.ndarray,
    places: tuple[int, int],
    shared: np.ndarray,
) -> None:
    """Fill shared[left, right] with the mutual information of the two shown marks, for each pair of letters.

    A shown pair has probability d^2 P(a, b) + d o (P(a) + P(b)) + o^2, with o the chance of a certain other mark and
    d = keep - o.
    """
    left, right = places
    other = (1 - keep) / 2
    d = keep - other
    values = np.empty((N_LETTERS, 3, 3))
    shared[left, right] = 0
    for x in range(N_LETTERS):
        if first[x, 0] + first[x, 1] == 0:  # a mark that is certain tells nothing
            continue
        rows = (1 - first[x, 0] - first[x, 1], first[x, 0], first[x, 1])
        for y in range(N_LETTERS):
            both = joint[x, y]
            for a in range(2):
                values[y, a + 1, 0] = rows[a + 1] - both[a, 0] - both[a, 1]
                for b in range(2):
                    values[y, a + 1, b + 1] = both[a, b]
            values[y, 0, 1] = second[y, 0] - both[0, 0] - both[1, 0]
            values[y, 0, 2] = second[y, 1] - both[0, 1] - both[1, 1]
            values[y, 0, 0] = rows[0] - values[y, 0, 1] - values[y, 0, 2]
            columns = (1 - second[y, 0] - second[y, 1], second[y, 0], second[y, 1])
            for a in range(3):
                for b in range(3):
                    values[y, a, b] = d * (d * values[y, a, b] + other * (rows[a] + columns[b])) + other * other
        flat = values.reshape(-1)
        for i in range(flat.shape[0]):
            flat[i] *= _log2(flat[i])
        for y in range(N_LETTERS):
            shared[left, right, x, y] = own[left, x] + own[right, y] + values[y].sum()


@kernel
def _best_star(guess: np.ndarray, own: np.ndarray, shared: np.ndarray, told: np.ndarray) -> float:
    """Return the sum of the marks' entropies, less what the most telling place shares with the others.

    Args:
        told: float64[n], space for what each place tells
    """
    length = guess.shape[0]
    told[:] = 0
    total = 0.0
    for left in range(length):
        total += own[left, guess[left]]
        for right in range(left):
            common = shared[left, right, guess[left], guess[right]]
            told[left] += common
            told[right] += common
    bound: float = total - told.max()
    return bound
