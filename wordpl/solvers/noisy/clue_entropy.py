"""The exact entropy of the noisy clue of every guess."""

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.kernels.clue_matrix import agreement_table, clue_counts, read_only
from wordpl.kernels.compiled import bound_kernel, inner, inner_float, twin_of


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


LANES = 16
"""Guesses processed at a time: four vectors of four numbers; a tile of five letters fits into the fastest cache."""
NEGLIGIBLE = 1e-9
ROUGH = 1e-3
TIE_BITS = 1e-7
TINY = 1e-300
"""In place of probabilities of 0, whose logarithm does not exist."""

_EXPONENT_SHIFT = np.uint64(52)
_ONE = np.uint64(0x3FF0000000000000)  # 1.0
_ROOT_TO_ONE = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)  # from sqrt(1/2) to 1.0
_TWO_52 = np.uint64(0x4330000000000000)  # the bits of 2.0^52; a small integer n in the low bits makes it 2.0^52 + n
_TWO_52_AND_BIAS = 2.0**52 + 1023
_TWO_OVER_LN_2 = 2 / np.log(2)


def channel(epsilon: float, length: int) -> np.ndarray:
    """Return the probability of each shown clue given each true clue, float64[shown, true], for up to 7 letters."""
    keep = keep_probability(epsilon, length)
    agreeing = np.arange(length + 1)
    by_agreement = keep**agreeing * ((1 - keep) / 2) ** (length - agreeing)
    chances: np.ndarray = by_agreement[agreement_table(length)]
    return chances


def clue_entropies(
    matrix: np.ndarray, probabilities: np.ndarray, epsilon: float, length: int, negligible: float = NEGLIGIBLE
) -> np.ndarray:
    """Return the entropy in bits of the noisy clue of each guess, float64[n_guesses].

    Args:
        matrix: Clue numbers, [n_guesses, n_answers], from `clue_matrix.matrix_of`.
        probabilities: The probability of each answer, float64[n_answers].
        epsilon: The budget spent on the guess.
        length: The number of letters of a word.
        negligible: Answers whose total probability is below this are left out. `entropy_error` bounds the effect, which
            is below 5e-8 bits for the default. Apart from that, the relative error is 1e-12.
    """
    if len(matrix) < LANES:
        few, matrix = len(matrix), np.resize(matrix, (LANES, matrix.shape[1]))
        return clue_entropies(matrix, probabilities, epsilon, length, negligible)[:few]
    likely = support(probabilities, negligible)
    weights = probabilities[likely] / probabilities[likely].sum()
    out = np.empty(len(matrix))
    scan_entropies(
        read_only(matrix), likely, weights, keep_probability(epsilon, length), np.empty((3**length, LANES)), out
    )
    return out


def best_guess(matrix: np.ndarray, probabilities: np.ndarray, epsilon: float, length: int) -> int:
    """Return the row of the guess with the largest entropy of its noisy clue.

    A rough scan, which leaves out more answers, finds the few guesses that may be the best; only those are computed
    exactly. Guesses that differ by less than the error of the exact scan are tied, and the lowest row wins, so that the
    choice does not depend on rounding.

    Args:
        matrix: As for `clue_entropies`.
        probabilities: As for `clue_entropies`.
        epsilon: As for `clue_entropies`.
        length: As for `clue_entropies`.
    """
    rough = clue_entropies(matrix, probabilities, epsilon, length, ROUGH)
    rows = np.flatnonzero(rough >= rough.max() - entropy_error(ROUGH, length) - TIE_BITS)
    exact = clue_entropies(matrix[rows], probabilities, epsilon, length)
    return int(rows[np.argmax(exact >= exact.max() - TIE_BITS)])


def entropy_error(negligible: float, length: int) -> float:
    """Return by how many bits leaving out answers can change the difference between the entropies of two guesses.

    Let delta be the total probability of the answers left out, H the entropy of a shown clue, H' the entropy without
    these answers, and h the binary entropy function. Since entropy is concave,
    (1 - delta) H' <= H <= (1 - delta) H' + h(delta) + delta * length * log2(3).
    """
    coin = -negligible * np.log2(negligible) - (1 - negligible) * np.log2(1 - negligible)
    return float((coin + negligible * length * np.log2(3)) / (1 - negligible))


@bound_kernel
def scan_entropies(
    matrix: np.ndarray, likely: np.ndarray, weights: np.ndarray, keep: float, tile: np.ndarray, out: np.ndarray
) -> None:
    """Fill out[guess] with the entropy of its shown clue.

    Args:
        matrix: Clue numbers, [n_guesses, n_answers], with at least LANES guesses.
        likely: The answers to use, uint32[m].
        weights: Their probabilities, float64[m], with sum 1.
        keep: The probability that a mark is shown unchanged.
        tile: Scratch space, float64[3**length, LANES].
        out: The result, float64[n_guesses].
    """
    n_guesses = matrix.shape[0]
    for block in range(0, n_guesses, LANES):
        start = min(block, n_guesses - LANES)
        _gather_sums(matrix[start : start + LANES], likely, weights, tile)
        _spread_sums(tile, keep, (1 - keep) / 2)
        _reduce_to_entropies(tile, out[start : start + LANES])


@twin_of(scan_entropies)
def _scan_plainly(
    matrix: np.ndarray, likely: np.ndarray, weights: np.ndarray, keep: float, tile: np.ndarray, out: np.ndarray
) -> None:
    """Do what `scan_entropies` does without kernels, within its relative error of 1e-12."""
    other, n_clues = (1 - keep) / 2, len(tile)
    for some, sums in clue_counts(matrix, likely, np.arange(len(matrix)), n_clues, weights):
        step = 1
        while step < n_clues:
            parts = sums.reshape(len(sums), -1, 3, step)
            sums = (keep - other) * parts + other * parts.sum(axis=2, keepdims=True)
            step *= 3
        shown = sums.reshape(-1, n_clues)
        out[some] = -(shown * np.log2(np.maximum(shown, TINY))).sum(axis=1)


@inner
def _gather_sums(matrix: np.ndarray, likely: np.ndarray, weights: np.ndarray, tile: np.ndarray) -> None:
    """Fill tile[clue, lane] with the total weight of the answers for which the lane's guess gets this true clue."""
    tile[:] = 0
    for j in range(likely.shape[0]):
        # Read here: the compiler cannot rule out that writes to the tile change these.
        answer, weight = likely[j], weights[j]
        for lane in range(LANES):
            tile[matrix[lane, answer], lane] += weight


@inner
def _spread_sums(tile: np.ndarray, keep: float, other: float) -> None:
    """Turn the weights of true clues into those of shown clues, in place.

    For each letter, the three clues that differ only in its mark exchange weight: a mark is shown unchanged with
    probability `keep`, and as each of the two others with probability `other`.
    """
    n_clues = tile.shape[0]
    stay = keep - other
    step = 1
    while step < n_clues:
        for first in range(0, n_clues, 3 * step):
            for clue in range(first, first + step):
                for lane in range(LANES):
                    a, b, c = tile[clue, lane], tile[clue + step, lane], tile[clue + 2 * step, lane]
                    shared = other * (a + b + c)
                    tile[clue, lane] = stay * a + shared
                    tile[clue + step, lane] = stay * b + shared
                    tile[clue + 2 * step, lane] = stay * c + shared
        step *= 3


@inner_float
def _reduce_to_entropies(tile: np.ndarray, out: np.ndarray) -> None:
    """Fill out[lane] with -sum p log2 p over the lane's clues, overwriting the tile."""
    flat = tile.reshape(-1)
    for i in range(flat.shape[0]):
        flat[i] *= _log2(flat[i])
    out[:] = 0
    for clue in range(tile.shape[0]):
        for lane in range(LANES):
            out[lane] -= tile[clue, lane]


@inner_float
def _log2(x: float) -> float:
    """Return log2 of x with an error of 1e-13, and a finite number for 0, so that 0 log2 0 is 0.

    x = 2^e m with m in [sqrt(1/2), sqrt(2)), and ln m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...), s = (m-1)/(m+1).
    As s^2 < 0.0295, the terms after s^15/15 are below 1e-14. The function uses only arithmetic, without branches,
    tables and checked divisions, so that the compiler can vectorize it.
    """
    bits = np.float64(x).view(np.uint64)
    exponent = (bits + _ROOT_TO_ONE) >> _EXPONENT_SHIFT
    m = np.uint64(bits - (exponent << _EXPONENT_SHIFT) + _ONE).view(np.float64)
    e = np.uint64(exponent | _TWO_52).view(np.float64) - _TWO_52_AND_BIAS
    s = (m - 1) / (m + 1)
    q = s * s
    q2 = q * q
    series = (
        (1 + q * (1 / 3))
        + q2 * (1 / 5 + q * (1 / 7))
        + q2 * q2 * ((1 / 9 + q * (1 / 11)) + q2 * (1 / 13 + q * (1 / 15)))
    )
    log: float = _TWO_OVER_LN_2 * s * series + e
    return log
