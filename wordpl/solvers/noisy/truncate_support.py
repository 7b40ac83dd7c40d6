"""Which answers are worth computing with: a posterior is spread over all, and most of them hold next to nothing.

What leaving answers out can change is bounded where it is used: `noisy.entropy_error` bounds the entropy of a clue. The
chance to win, sum_y max_x p(x) K(y|x), changes by at most the probability of what is left out, whatever the guess: for
each y a maximum over all answers is at most the maximum over those kept plus the sum over those left out, and the sum
over y of K(y|x) is 1.
"""

import numpy as np


def support(probabilities: np.ndarray, negligible: float, most: int | None = None) -> np.ndarray:
    """Return the answers but for those that together have a negligible probability, uint32[n] in ascending order.

    Args:
        most: keeps the likeliest `most` answers at most, so that more than `negligible` may be left out
    """
    order = np.argsort(probabilities, kind="stable")
    n_dropped = int(np.searchsorted(np.cumsum(probabilities[order]), negligible * probabilities.sum()))
    if most is not None:
        n_dropped = max(n_dropped, len(order) - most)
    return np.sort(order[n_dropped:]).astype(np.uint32)
