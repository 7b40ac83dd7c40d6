"""Upper bounds on the entropy of each guess's noisy clue, computed from pairs of marks.

Under the rule "anywhere", a mark depends on its place, its letter and the secret, but not on the rest of the guess.
Therefore the joint entropy of two shown marks has to be computed only for each pair of (place, letter), that is 6,760
times for five letters, however many guesses there are. For any tree T over the places,

    H(y1..yn) <= sum_i H(yi) - sum_{(i,j) in T} I(yi; yj),

because the right side is the entropy of the tree's distribution (Chow and Liu, Approximating discrete probability
distributions with dependence trees, 1968), and a cross entropy is never smaller than the entropy. The trees used are
stars: one place is connected to all others, and the best of the n centres gives the bound. The bound holds only for the
rule "anywhere".
"""

import numpy as np

from wordpl.core.words import N_LETTERS
from wordpl.solvers.noisy.clue_entropy import _log2
from wordpl.solvers.noisy.compiled import float_kernel, inner, inner_float


@float_kernel
def entropy_bounds(
    guesses: np.ndarray, answers: np.ndarray, likely: np.ndarray, weights: np.ndarray, keep: float, out: np.ndarray
) -> None:
    """Fill out[guess] with an upper bound in bits on the entropy of the guess's shown clue.

    Args:
        guesses: Letter codes, uint8[n_guesses, length].
        answers: Letter codes, uint8[n_answers, length].
        likely: The answers to use, uint32[m].
        weights: Their probabilities, float64[m], with sum 1.
        keep: The probability that a mark is shown unchanged.
        out: The result, float64[n_guesses].
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
    scratch = np.empty(length)
    for g in range(guesses.shape[0]):
        out[g] = _best_star(guesses[g], own, shared, scratch)


@inner
def _add_marks(word: np.ndarray, weight: float, single: np.ndarray, joint: np.ndarray) -> None:
    """Add the weight of a word to single[place, letter, mark - 1] and joint[left, right, letter, letter, mark, mark].

    The arrays omit the mark '.', whose weight is the rest of each sum: only letters of the word get another mark.
    """
    length = word.shape[0]
    for i in range(length):
        if _occurs_before(word, i):
            continue
        for left in range(length):
            single[left, word[i], np.uint8(word[left] == word[i])] += weight
        for j in range(length):
            if _occurs_before(word, j):
                continue
            for left in range(length):
                mark = np.uint8(word[left] == word[i])
                for right in range(left):
                    joint[left, right, word[i], word[j], mark, np.uint8(word[right] == word[j])] += weight


@inner
def _occurs_before(word: np.ndarray, place: int) -> bool:
    """Return whether the letter at this place also occurs at an earlier place."""
    found = False
    for earlier in range(place):
        found |= word[earlier] == word[place]
    return found


@inner_float
def _mark_entropies(single: np.ndarray, keep: float) -> np.ndarray:
    """Return the entropy of the shown mark for each place and letter, float64[length, 26]."""
    other = (1 - keep) / 2
    own = np.empty(single.shape[:2])
    for place in range(single.shape[0]):
        for letter in range(N_LETTERS):
            a, b = single[place, letter]
            p, q = other + (keep - other) * a, other + (keep - other) * b
            r = 1 - p - q
            own[place, letter] = -(p * _log2(p) + q * _log2(q) + r * _log2(r))
    return own


@inner_float
def _shared_information(
    joint: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    keep: float,
    own: np.ndarray,
    places: tuple[int, int],
    shared: np.ndarray,
) -> None:
    """Fill shared[left, right] with the mutual information of the two shown marks for each pair of letters.

    A shown pair has probability d^2 P(a, b) + d o (P(a) + P(b)) + o^2, where o is the probability that a mark is shown
    as a certain other mark, and d = keep - o.
    """
    left, right = places
    other = (1 - keep) / 2
    d = keep - other
    values = np.empty((N_LETTERS, 3, 3))
    shared[left, right] = 0
    for x in range(N_LETTERS):
        if first[x, 0] + first[x, 1] == 0:  # a mark that is certain carries no information
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


@inner
def _best_star(guess: np.ndarray, own: np.ndarray, shared: np.ndarray, star: np.ndarray) -> float:
    """Return the sum of the marks' entropies minus the mutual information of the best star.

    Args:
        guess: Letter codes, uint8[length].
        own: The entropies from `_mark_entropies`.
        shared: The mutual information from `_shared_information`.
        star: Scratch space for the information of the star around each place, float64[length].
    """
    length = guess.shape[0]
    star[:] = 0
    total = 0.0
    for left in range(length):
        total += own[left, guess[left]]
        for right in range(left):
            common = shared[left, right, guess[left], guess[right]]
            star[left] += common
            star[right] += common
    bound: float = total - star.max()
    return bound
