"""Two guesses ahead: the guess after which the last one wins most often.

The value of a guess with one more to come is sum_y P(y) max_g' W(g' | y), where W is the chance to win that
`last_guess` computes from the posterior after y. The sum runs over the likeliest clues; for the rest, the larger of
what a clue's posterior holds already, max_x p(x | y), stands for the inner maximum, which can only be too small.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from wordpl.clues import keep_probability
from wordpl.kernels import agreement
from wordpl.solvers.guess_words import GuessWords
from wordpl.solvers.information import best_guesses, most_promising, upper_bounds
from wordpl.solvers.last_guess import spread_largest, total
from wordpl.solvers.noisy import LANES
from wordpl.solvers.support import support

TIE = 1e-6


@dataclass(frozen=True)
class Effort:
    """How far a search goes.

    n_first, n_second: guesses tried now, and afterwards
    most_answers: how many answers are kept; coverage: the probability of the clues that are followed
    splits: parts of the last guess's epsilon that may be moved to the one before it
    """

    n_first: int = 12
    n_second: int = 128
    most_answers: int = 200
    coverage: float = 0.9
    splits: tuple[float, ...] = (0.0,)


def best_move(
    words: GuessWords, probabilities: np.ndarray, epsilons: tuple[float, float], effort: Effort
) -> tuple[int, tuple[float, float]]:
    """Return the row of the guess that promises most with one more to come, and how to split what is left.

    epsilons: as planned for the two. Tried are the guesses whose clues say most, with each of the effort's splits;
    among equals the first split and the lowest row are taken.
    """
    rows = candidates(words, probabilities, epsilons[0], effort)
    splits = [_moved(epsilons, part) for part in effort.splits]
    found = np.array([values(words, probabilities, split, rows, effort) for split in splits])
    best = int(np.argmax(found >= found.max() - TIE))
    return int(rows[0][best % len(rows[0])]), splits[best // len(rows[0])]


def _moved(epsilons: tuple[float, float], part: float) -> tuple[float, float]:
    """Return the epsilons with this part of the second moved to the first, a multiple of 2^-20: the sum is the same."""
    moved = round(part * epsilons[1] * 2**20) / 2**20
    return epsilons[0] + moved, epsilons[1] - moved


def candidates(
    words: GuessWords, probabilities: np.ndarray, epsilon: float, effort: Effort
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the guesses to try now and afterwards: those whose clues say, or may say, most."""
    bounds = upper_bounds(words, probabilities, epsilon)
    first = best_guesses(words, probabilities, epsilon, min(effort.n_first, len(bounds)), bounds)
    return np.sort(first), most_promising(bounds, min(effort.n_second, len(bounds)))


def values(
    words: GuessWords,
    probabilities: np.ndarray,
    epsilons: tuple[float, float],
    rows: tuple[np.ndarray, np.ndarray],
    effort: Effort,
) -> np.ndarray:
    """Return the chance to win with each guess of rows[0] now and the best of rows[1] after it, float64[n].

    epsilons: of the two guesses; rows: guesses for now, and those to choose from afterwards
    """
    kept = support(probabilities, 1e-3, effort.most_answers)
    order = kept[np.argsort(probabilities[kept], kind="stable")]
    first, second = (np.ascontiguousarray(words.columns[order][:, some]) for some in rows)
    if second.shape[1] % LANES:
        second = np.ascontiguousarray(np.pad(second, ((0, 0), (0, -second.shape[1] % LANES)), mode="edge"))
    keep = [keep_probability(epsilon, words.length) for epsilon in epsilons]
    shown = _channel(keep[0], words.length)[agreement(words.length)].astype(np.float32)
    out = np.empty(len(rows[0]))
    ratio, other = np.float32(2 * keep[1] / (1 - keep[1])), (1 - keep[1]) / 2
    _look_ahead(
        first, second, probabilities[order].astype(np.float32), shown,
        (ratio, np.float32(other**words.length), np.float32(effort.coverage)), out,
    )  # fmt: skip
    return out


def _channel(keep: float, length: int) -> np.ndarray:
    agreeing = np.arange(length + 1)
    return keep**agreeing * ((1 - keep) / 2) ** (length - agreeing)


@njit(cache=True)
def _look_ahead(first, second, weights, shown, channel, out):
    """Fill out[i] with the value of first[:, i], when the better of the guesses second[:, j] comes after it.

    first, second: clue numbers [m, n1], [m, n2] for m answers with ascending weights, float32[m]
    shown: float32[3**n, 3**n], the chance of a shown clue for a true one; channel: ratio, factor, coverage
    """
    ratio, factor, coverage = channel
    n_clues = shown.shape[0]
    true, chances = np.empty(n_clues, np.float32), np.empty(n_clues, np.float32)
    tile, here = np.empty((n_clues, LANES), np.float32), np.empty(LANES, np.float32)
    posterior, order = np.empty(len(weights), np.float32), np.empty(len(weights), np.uint32)
    for i in range(first.shape[1]):
        clues = first[:, i]
        true[:] = 0
        for j in range(len(weights)):
            true[clues[j]] += weights[j]
        for y in range(n_clues):
            chances[y] = 0
            for x in range(n_clues):
                chances[y] += true[x] * shown[y, x]
        value, left = np.float32(0), (1 - coverage) * chances.sum()
        for y in np.argsort(chances):
            left -= chances[y]
            largest = np.float32(0)
            for j in range(len(weights)):
                posterior[j] = weights[j] * shown[y, clues[j]]
                largest = max(largest, posterior[j])
            best = largest
            if left < 0:
                n = _leading(posterior, largest * np.float32(0.003), order)
                for block in range(0, second.shape[1], LANES):
                    _gather(second[:, block : block + LANES], posterior, order[:n], tile)
                    spread_largest(tile, ratio)
                    total(tile, factor, here)
                    best = max(best, here.max())
            value += best
        out[i] = value


@njit(cache=True)
def _leading(posterior, least, order):
    n = 0
    for j in range(len(posterior)):
        if posterior[j] > least:
            order[n] = j
            n += 1
    return n


@njit(cache=True)
def _gather(columns, posterior, likely, tile):
    tile[:] = 0
    for i in range(likely.shape[0]):
        clues, weight = columns[likely[i]], posterior[likely[i]]
        for lane in range(LANES):
            tile[clues[lane], lane] = max(tile[clues[lane], lane], weight)
