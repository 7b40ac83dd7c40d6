"""Two-step lookahead: the value of a guess when the best last guess follows each of its clues.

The value of a guess with one more to come is sum_y P(y) max_g' W(g' | y), where W is the probability of winning that
`final_guess` computes from the posterior after clue y. The maximum is taken over some guesses only, so values are lower
bounds. How tight they are depends on the choice of guesses: those that are most informative before y is known are poor
afterwards (a value of .36 instead of .40), while the guesses that are best after the clues of a few similar guesses are
nearly sufficient (.400). For clues that are not followed, max_x p(x | y) replaces the inner maximum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.kernels.clue_matrix import ClueTable
from wordpl.solvers.noisy import final_guess
from wordpl.solvers.noisy.clue_entropy import LANES, channel, support
from wordpl.solvers.noisy.compiled import inner, kernel
from wordpl.solvers.noisy.final_guess import spread_largest, total

MIN_POWER = 1e-36
"""The least probability that all marks of a clue are false; single precision ends at 1e-38."""


@dataclass(frozen=True)
class Effort:
    """How much work a lookahead does.

    Attributes:
        most_answers: How many answers are used at most.
        coverage: The total probability of the clues that are followed.
    """

    most_answers: int = 1500
    coverage: float = 0.99


def after_clues(
    words: ClueTable, probabilities: np.ndarray, row: int, epsilon: float, n_clues: int
) -> list[tuple[float, np.ndarray]]:
    """Return the probability and the posterior of each of the `n_clues` likeliest clues of a guess.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        row: The guess.
        epsilon: The budget spent on it.
        n_clues: How many clues to return.
    """
    joint = channel(epsilon, words.length)[:, words.matrix[row]] * probabilities
    chances = joint.sum(axis=1)
    likeliest = np.argsort(-chances, kind="stable")[:n_clues]
    return [(float(chances[y]), joint[y] / chances[y]) for y in likeliest if chances[y] > 0]


def last_guesses(
    words: ClueTable, probabilities: np.ndarray, row: int, epsilons: Sequence[float], n_clues: int
) -> set[int]:
    """Return the rows of the last guesses that are best after the likeliest clues of a guess.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        row: The guess.
        epsilons: The budgets of the guess and of the last guess.
        n_clues: How many clues to follow.
    """
    states = after_clues(words, probabilities, row, epsilons[0], n_clues)
    return {final_guess.best_guess(words, posterior, epsilons[1]) for _, posterior in states}


def values(
    words: ClueTable,
    probabilities: np.ndarray,
    epsilons: Sequence[float],
    rows: tuple[np.ndarray, np.ndarray],
    effort: Effort,
) -> np.ndarray:
    """Return the probability of winning with each guess now and the best last guess after it, float64[n].

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        epsilons: The budgets of the two guesses.
        rows: The guesses to rate, and the last guesses to choose from.
        effort: How much work to do.
    """
    likely = support(probabilities, 1e-3, effort.most_answers)
    order = likely[np.argsort(probabilities[likely], kind="stable")]
    first, second = (np.ascontiguousarray(words.columns[order[:, None], some]) for some in rows)
    if second.shape[1] % LANES:
        second = np.ascontiguousarray(np.pad(second, ((0, 0), (0, -second.shape[1] % LANES)), mode="edge"))
    keep, out = keep_probability(epsilons[1], words.length), np.empty(len(rows[0]))
    # The powers of both, to the length of a word, are numbers of single precision.
    other = max((1 - keep) / 2, MIN_POWER ** (1 / words.length))
    ratio = np.float32(min(keep, 1 - 2 * other) / other) if other > (1 - keep) / 2 else np.float32(keep / other)
    _look_ahead(
        first, second, probabilities[order].astype(np.float32), channel(epsilons[0], words.length).astype(np.float32),
        (ratio, np.float32(other**words.length), np.float32(effort.coverage)), out,
    )  # fmt: skip
    return out


@kernel
def _look_ahead(
    first: np.ndarray,
    second: np.ndarray,
    weights: np.ndarray,
    shown: np.ndarray,
    channel: tuple[np.float32, np.float32, np.float32],
    out: np.ndarray,
) -> None:
    """Fill out[i] with the value of first[:, i] when the best of the guesses second[:, j] follows.

    Args:
        first: Clue numbers of the guesses to rate, [m, n1], for m answers.
        second: Clue numbers of the last guesses, [m, n2].
        weights: The probabilities of the answers, float32[m], in ascending order.
        shown: The probability of each shown clue given each true clue, float32[3**length, 3**length].
        channel: The ratio and the factor of `final_guess`, and the total probability of the clues to follow.
        out: The result, float64[n1].
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


@inner
def _leading(posterior: np.ndarray, least: np.float32, order: np.ndarray) -> int:
    n = 0
    for j in range(len(posterior)):
        if posterior[j] > least:
            order[n] = j
            n += 1
    return n


@inner
def _gather(columns: np.ndarray, posterior: np.ndarray, likely: np.ndarray, tile: np.ndarray) -> None:
    tile[:] = 0
    for i in range(likely.shape[0]):
        clues, weight = columns[likely[i]], posterior[likely[i]]
        for lane in range(LANES):
            tile[clues[lane], lane] = max(tile[clues[lane], lane], weight)
