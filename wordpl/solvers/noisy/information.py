"""The guess with the most informative noisy clue, found by branch and bound.

Upper bounds from pairs of marks leave most guesses unrated.
"""

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.core.words import N_LETTERS
from wordpl.kernels.clue_matrix import ClueTable
from wordpl.kernels.compiled import bound_float_kernel, inner, inner_float
from wordpl.solvers.noisy import clue_entropy
from wordpl.solvers.noisy.clue_entropy import _log2, support


@bound_float_kernel
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
    most = star[0]
    for place in range(1, length):
        most = max(most, star[place])
    bound: float = total - most
    return bound


BOUND_NEGLIGIBLE = 1e-4
BATCH = 4 * clue_entropy.LANES


def best_guess(words: ClueTable, probabilities: np.ndarray, epsilon: float) -> int:
    """Return the row of the guess with the largest entropy of its noisy clue; ties prefer lower rows.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilon: The budget spent on the guess.
    """
    return int(best_guesses(words, probabilities, epsilon, 1)[0])


def best_guesses(
    words: ClueTable, probabilities: np.ndarray, epsilon: float, n_guesses: int, bounds: np.ndarray | None = None
) -> np.ndarray:
    """Return the rows of the guesses with the largest entropies of their noisy clues, int64[n_guesses], best first.

    Guesses are rated in descending order of their bounds until no remaining bound reaches the worst of the best
    `n_guesses`. Guesses within `clue_entropy.TIE_BITS` of each other are sorted by row.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilon: The budget spent on the guess.
        n_guesses: How many guesses to return.
        bounds: The result of `upper_bounds`, if already known.
    """
    if bounds is None:
        bounds = upper_bounds(words, probabilities, epsilon)
    rated = np.full(len(bounds), -np.inf)
    unrated, worst = np.arange(len(bounds)), -np.inf
    while len(unrated):
        size = min(BATCH, len(unrated))
        first = np.argpartition(-bounds[unrated], size - 1)[:size]
        rows = unrated[first]
        rated[rows] = clue_entropy.clue_entropies(words.matrix[rows], probabilities, epsilon, words.length)
        unrated = np.delete(unrated, first)
        entropies = rated[rated > -np.inf]
        if len(entropies) >= n_guesses:
            worst = np.partition(entropies, -n_guesses)[-n_guesses]
            unrated = unrated[bounds[unrated] >= worst - clue_entropy.TIE_BITS]
    return _ranked(rated)[:n_guesses]


def most_promising(bounds: np.ndarray, n_guesses: int) -> np.ndarray:
    """Return the rows of the guesses with the largest bounds, int64[n_guesses] in ascending order."""
    return np.sort(np.argpartition(-bounds, n_guesses - 1)[:n_guesses])


def upper_bounds(words: ClueTable, probabilities: np.ndarray, epsilon: float) -> np.ndarray:
    """Return an upper bound on the entropy of each guess's noisy clue, float64[n_guesses].

    If marks depend on other letters (see `ClueTable.independent`), the entropies themselves are returned.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilon: The budget spent on the guess.
    """
    if not words.independent:
        return clue_entropy.clue_entropies(words.matrix, probabilities, epsilon, words.length)
    likely = support(probabilities, BOUND_NEGLIGIBLE)
    weights = probabilities[likely] / probabilities[likely].sum()
    out = np.empty(len(words.guesses))
    entropy_bounds(words.guesses, words.answers, likely, weights, keep_probability(epsilon, words.length), out)
    return out + clue_entropy.entropy_error(BOUND_NEGLIGIBLE, words.length)


def _ranked(entropies: np.ndarray) -> np.ndarray:
    """Return the rated rows in descending order of entropy; ties are sorted by row."""
    rows = np.flatnonzero(entropies > -np.inf)
    return rows[np.argsort(-np.floor(entropies[rows] / clue_entropy.TIE_BITS + 0.5), kind="stable")]
