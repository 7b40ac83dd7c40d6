"""Weighted sums over the games of resamples, which take most of the time of a board with many games."""

import numpy as np
from numpy.typing import NDArray

from wordpl.core.compiled import compiler

GAMES_PER_BLOCK = 1024
"""The number of games per block, so that the data of all entries and resamples fits into the processor's cache."""


def totals(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted sum of each entry's values in each resample, float[k, draws].

    This is `values @ weights` in a single thread: the threads of the latter are slow on busy machines. Equal rows of
    values give identical sums to the bit.

    Args:
        values: The value of each game, float[k, n].
        weights: The weight of each game in each resample, float[n, draws].
    """
    sums = np.zeros((values.shape[0], weights.shape[1]))
    _add_products(np.ascontiguousarray(values, float), np.ascontiguousarray(weights.T, float), sums)
    return sums


@compiler(cache=True, fastmath={"reassoc", "nsz", "contract"})
def _add_products(values: NDArray[np.float64], weights: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """Add the product of values, [k, n], and transposed weights, [draws, n], to sums, [k, draws]; tested with `@`."""
    n = values.shape[1]
    for first in range(0, n, GAMES_PER_BLOCK):
        last = min(n, first + GAMES_PER_BLOCK)
        for entry in range(values.shape[0]):
            for draw in range(weights.shape[0]):
                total = 0.0
                for game in range(first, last):
                    total += values[entry, game] * weights[draw, game]
                sums[entry, draw] += total
