"""The guess with the most informative noisy clue, found by branch and bound without rating most guesses."""

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import clue_entropy
from wordpl.solvers.noisy.pair_bounds import entropy_bounds
from wordpl.solvers.noisy.truncate_support import support

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
