"""The last guess before the answer: the chance to win with it, and the guess with which that is largest.

After the last clue y the likeliest word is proposed, so a guess wins with probability

    sum_y max_x p(x) K(y | clue(guess, x)),

the expected largest posterior. The channel K is a product over the letters, and so is the maximum: for each letter the
weights of three clues that differ in its mark become max(keep a, other b, other c), and so on round (a convolution in
which max takes the place of the sum; compare `noisy._spread_sums`). With r = keep/other >= 1 and m = max(a, b, c) this
is other * max(r a, m), which leaves one product a clue.
"""

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.clue_entropy import LANES
from wordpl.solvers.noisy.compiled import kernel
from wordpl.solvers.noisy.information import most_promising, upper_bounds
from wordpl.solvers.noisy.truncate_support import support

NEGLIGIBLE = 1e-3
MAX_ANSWERS = 256
SHORTLIST = 64 * LANES
TIE = 1e-9


def win_chances(
    columns: np.ndarray, probabilities: np.ndarray, epsilon: float, length: int, negligible: float = 0.0
) -> np.ndarray:
    """Return for each guess the chance to win with it as the last one before the answer, float64[n_guesses].

    Args:
        columns: clue numbers [n_answers, n_guesses] of words of `length` letters
        probabilities: of each answer, float64[n_answers], with sum 1
        negligible: answers that together are less probable are left out; a chance is then too small by at most that
    """
    return _chances(columns, probabilities, support(probabilities, negligible), epsilon, length)


def best_guess(words: ClueTable, probabilities: np.ndarray, epsilon: float) -> int:
    """Return the row of the guess that wins most often as the last one, the lowest row among equals.

    The answers outside the support are left out, and so are guesses outside the `SHORTLIST` of those whose clues may
    say most: over 100 posteriors of played games that cost at most 5.4e-4 of the chance to win.
    """
    kept = support(probabilities, NEGLIGIBLE, MAX_ANSWERS)
    if not words.independent:
        return _first_best(_chances(words.columns, probabilities, kept, epsilon, words.length))
    bounds = upper_bounds(words, probabilities, epsilon)
    rows = most_promising(bounds, min(SHORTLIST, len(bounds)))
    few = np.ascontiguousarray(words.columns[kept][:, rows])
    return int(rows[_first_best(_chances(few, probabilities[kept], np.arange(len(kept)), epsilon, words.length))])


def _first_best(chances: np.ndarray) -> int:
    return int(np.argmax(chances >= chances.max() - TIE))


def _chances(
    columns: np.ndarray, probabilities: np.ndarray, kept: np.ndarray, epsilon: float, length: int
) -> np.ndarray:
    if columns.shape[1] < LANES:
        few, columns = columns.shape[1], np.resize(columns.T, (LANES, len(columns))).T
        return _chances(np.ascontiguousarray(columns), probabilities, kept, epsilon, length)[:few]
    columns = columns.view()
    columns.flags.writeable = False
    order = kept[np.argsort(probabilities[kept], kind="stable")].astype(np.uint32)
    keep, out = keep_probability(epsilon, length), np.empty(columns.shape[1])
    _scan_chances(columns, order, probabilities[order], (keep, (1 - keep) / 2), np.empty((3**length, LANES)), out)
    return out


@kernel
def _scan_chances(
    columns: np.ndarray,
    likely: np.ndarray,
    weights: np.ndarray,
    channel: tuple[float, float],
    tile: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill out[guess] with the chance to win.

    Args:
        columns: [a, g], at least LANES guesses
        likely: uint32[m] answers, weights: float64[m], ascending
        channel: the chances of a mark to stay and to become a certain other one
    """
    keep, other = channel
    length = 0
    while 3**length < tile.shape[0]:
        length += 1
    for block in range(0, columns.shape[1], LANES):
        start = min(block, columns.shape[1] - LANES)
        gather_largest(columns[:, start : start + LANES], likely, weights, tile)
        spread_largest(tile, keep / other)
        total(tile, other**length, out[start : start + LANES])


@kernel
def gather_largest(columns: np.ndarray, likely: np.ndarray, weights: np.ndarray, tile: np.ndarray) -> None:
    """Fill tile[clue, lane] with the largest weight that gives this true clue; weights are ascending."""
    tile[:] = 0
    for j in range(likely.shape[0]):
        clues, weight = columns[likely[j]], weights[j]
        for lane in range(LANES):
            tile[clues[lane], lane] = weight


@kernel
def spread_largest(tile: np.ndarray, ratio: float | np.float32) -> None:
    """Turn the largest weights of true clues into those of shown clues, but for a factor other a letter, in place."""
    step = 1
    while step < tile.shape[0]:
        for first in range(0, tile.shape[0], 3 * step):
            for clue in range(first, first + step):
                for lane in range(LANES):
                    a, b, c = tile[clue, lane], tile[clue + step, lane], tile[clue + 2 * step, lane]
                    largest = max(a, max(b, c))
                    tile[clue, lane] = max(ratio * a, largest)
                    tile[clue + step, lane] = max(ratio * b, largest)
                    tile[clue + 2 * step, lane] = max(ratio * c, largest)
        step *= 3


@kernel
def total(tile: np.ndarray, factor: float | np.float32, out: np.ndarray) -> None:
    """Fill out[lane] with factor times the sum over clues."""
    out[:] = 0
    for clue in range(tile.shape[0]):
        for lane in range(LANES):
            out[lane] += tile[clue, lane]
    for lane in range(LANES):
        out[lane] *= factor
