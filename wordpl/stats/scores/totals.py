"""Sums of the numbers of games over resamples, where most of the time of a board of many games goes."""

import numpy as np
from numpy.typing import NDArray

from wordpl.core.compiled import compiler

BLOCK = 1024
"""The games that are summed up at a time: those of all entries and resamples stay in a processor's cache."""


def totals(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each entry's numbers over each resample, float[k, draws].

    This is values @ weights, without the threads of that, which wait for each other where processors are busy. Equal
    rows of values have equal sums, to the last bit.

    Args:
        values: float[k, n].
        weights: float[n, draws].
    """
    sums = np.zeros((values.shape[0], weights.shape[1]))
    _add_products(np.ascontiguousarray(values, float), np.ascontiguousarray(weights.T, float), sums)
    return sums


@compiler(cache=True, fastmath={"reassoc", "nsz", "contract"})
def _add_products(values: NDArray[np.float64], weights: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """Add to sums, [k, draws], the products of values, [k, n], and weights, [draws, n]; its plain twin is `@`."""
    n = values.shape[1]
    for first in range(0, n, BLOCK):
        last = min(n, first + BLOCK)
        for entry in range(values.shape[0]):
            for draw in range(weights.shape[0]):
                total = 0.0
                for game in range(first, last):
                    total += values[entry, game] * weights[draw, game]
                sums[entry, draw] += total
