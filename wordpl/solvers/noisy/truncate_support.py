"""Truncation of a posterior to the answers with non-negligible probability.

The effect of leaving out answers is bounded. For the entropy of a clue, see `clue_entropy.entropy_error`. The
probability of winning, sum_y max_x p(x) K(y|x), changes by at most the total probability of the answers left out,
whatever the guess: for each y, the maximum over all answers is at most the maximum over the kept answers plus the sum
over the others, and K(y|x) summed over y is 1.
"""

import numpy as np


def support(probabilities: np.ndarray, negligible: float, most: int | None = None) -> np.ndarray:
    """Return the answers without the least likely ones, uint32[n] in ascending order.

    Args:
        probabilities: The probability of each answer, float64[n_answers].
        negligible: Total probability, relative to the sum, of the answers that may be left out.
        most: Keep at most this many answers, even if this leaves out more than `negligible`.
    """
    order = np.argsort(probabilities, kind="stable")
    n_dropped = int(np.searchsorted(np.cumsum(probabilities[order]), negligible * probabilities.sum()))
    if most is not None:
        n_dropped = max(n_dropped, len(order) - most)
    return np.sort(order[n_dropped:]).astype(np.uint32)
