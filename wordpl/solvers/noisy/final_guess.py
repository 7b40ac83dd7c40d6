"""The guess that maximizes the probability of winning with the last clue.

Also the next guess of a game with a fixed budget.
"""

from collections.abc import Sequence

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.kernels.clue_matrix import ClueTable, read_only
from wordpl.kernels.compiled import bound_kernel, inner
from wordpl.solvers.noisy import information
from wordpl.solvers.noisy.clue_entropy import LANES, support
from wordpl.solvers.noisy.information import most_promising, upper_bounds

NEGLIGIBLE = 1e-3
MAX_ANSWERS = 256
SHORTLIST = 64 * LANES
TIE = 1e-9
MIN_OTHER = 2.0**-60
"""The least probability of a false mark; at larger epsilons it is rounded to 0, by which nothing can be divided."""


def win_chances(
    columns: np.ndarray, probabilities: np.ndarray, epsilon: float, length: int, negligible: float = 0.0
) -> np.ndarray:
    """Return the probability of winning with each guess as the last one before the answer, float64[n_guesses].

    Args:
        columns: Clue numbers, [n_answers, n_guesses].
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilon: The budget spent on the guess.
        length: The number of letters of a word.
        negligible: Answers whose total probability is below this are left out; results are too small by at most this.
    """
    return _chances(columns, probabilities, support(probabilities, negligible), epsilon, length)


def best_guess(words: ClueTable, probabilities: np.ndarray, epsilon: float) -> int:
    """Return the row of the last guess with the largest probability of winning; ties prefer lower rows.

    The search leaves out negligible answers, and all guesses outside the SHORTLIST of those with the largest bounds on
    the information of their clues. On 100 posteriors from played games this reduced the probability of winning by at
    most 5.4e-4.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilon: The budget spent on the guess.
    """
    likely = support(probabilities, NEGLIGIBLE, MAX_ANSWERS)
    if not words.independent:
        return _first_best(_chances(words.columns, probabilities, likely, epsilon, words.length))
    bounds = upper_bounds(words, probabilities, epsilon)
    rows = most_promising(bounds, min(SHORTLIST, len(bounds)))
    few = np.ascontiguousarray(words.columns[likely][:, rows])
    return int(rows[_first_best(_chances(few, probabilities[likely], np.arange(len(likely)), epsilon, words.length))])


def _first_best(chances: np.ndarray) -> int:
    return int(np.argmax(chances >= chances.max() - TIE))


def _chances(
    columns: np.ndarray, probabilities: np.ndarray, likely: np.ndarray, epsilon: float, length: int
) -> np.ndarray:
    if columns.shape[1] < LANES:
        few, columns = columns.shape[1], np.resize(columns.T, (LANES, len(columns))).T
        return _chances(np.ascontiguousarray(columns), probabilities, likely, epsilon, length)[:few]
    order = likely[np.argsort(probabilities[likely], kind="stable")].astype(np.uint32)
    keep, out = keep_probability(epsilon, length), np.empty(columns.shape[1])
    channel = keep, max((1 - keep) / 2, MIN_OTHER)
    _scan_chances(read_only(columns), order, probabilities[order], channel, np.empty((3**length, LANES)), out)
    return out


@bound_kernel
def _scan_chances(
    columns: np.ndarray,
    likely: np.ndarray,
    weights: np.ndarray,
    channel: tuple[float, float],
    tile: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill out[guess] with the probability of winning.

    Args:
        columns: Clue numbers, [n_answers, n_guesses], with at least LANES guesses.
        likely: The answers to use, uint32[m].
        weights: Their probabilities, float64[m], in ascending order.
        channel: The probabilities that a mark is shown unchanged, and as a certain other mark.
        tile: Scratch space, float64[3**length, LANES].
        out: The result, float64[n_guesses].
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


@inner
def gather_largest(columns: np.ndarray, likely: np.ndarray, weights: np.ndarray, tile: np.ndarray) -> None:
    """Fill tile[clue, lane] with the largest weight of an answer with this true clue; weights are ascending."""
    tile[:] = 0
    for j in range(likely.shape[0]):
        clues, weight = columns[likely[j]], weights[j]
        for lane in range(LANES):
            tile[clues[lane], lane] = weight


@inner
def spread_largest(tile: np.ndarray, ratio: float | np.float32) -> None:
    """Turn the largest weights of true clues into those of shown clues in place, up to the factor other**length."""
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


@inner
def total(tile: np.ndarray, factor: float | np.float32, out: np.ndarray) -> None:
    """Fill out[lane] with `factor` times the sum over clues."""
    out[:] = 0
    for clue in range(tile.shape[0]):
        for lane in range(LANES):
            out[lane] += tile[clue, lane]
    for lane in range(LANES):
        out[lane] *= factor


def next_guess(words: ClueTable, probabilities: np.ndarray, epsilons: Sequence[float]) -> int:
    """Return the row of the next guess.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilons: The budgets of this guess and of all later ones.
    """
    choose = best_guess if len(epsilons) == 1 else information.best_guess
    return choose(words, probabilities, epsilons[0])
