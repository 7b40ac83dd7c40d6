"""Two-step lookahead: the value of a guess when the best last guess follows each of its clues.

The value of a guess with one more to come is sum_y P(y) max_g' W(g' | y), where W is the probability of winning that
`final_guess` computes from the posterior after clue y. The maximum is taken over some guesses only, so values are lower
bounds. How tight they are depends on the choice of guesses: those that are most informative before y is known are poor
afterwards (a value of .36 instead of .40), while the guesses that are best after the clues of a few similar guesses are
nearly sufficient (.400). For clues that are not followed, max_x p(x | y) replaces the inner maximum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np

from wordpl.core.clues import keep_probability
from wordpl.kernels.clue_matrix import ClueTable, agreement_table
from wordpl.kernels.compiled import bound_kernel, inner
from wordpl.solvers.noisy import final_guess
from wordpl.solvers.noisy.clue_entropy import LANES, channel, support
from wordpl.solvers.noisy.final_guess import spread_largest, total

MIN_POWER = 1e-36
"""The least probability that all marks of a clue are false; single precision ends at 1e-38."""


QUICK_NEGLIGIBLE, QUICK_ANSWERS = 1e-4, 300
"""The total probability of the answers that a quick search leaves out, and how many it uses at most."""
N_RIVALS = 8
NEGLIGIBLE_RIVAL = 0.05
"""How likely, relative to the second likeliest answer, an answer must be to count among the rivals."""


@dataclass(frozen=True)
class Effort:
    """How much work a lookahead does.

    Attributes:
        most_answers: How many answers are used at most.
        coverage: The total probability of the clues that are followed.
        extrapolates: Whether the last guess is taken to help after the other clues as much as after these, so that few
            clues have to be followed; values are then no lower bounds.
    """

    most_answers: int = 1500
    coverage: float = 0.99
    extrapolates: bool = False


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


def quick_last_guesses(
    words: ClueTable,
    probabilities: np.ndarray,
    rows: np.ndarray,
    epsilons: Sequence[float],
    n_clues: int,
    pool: np.ndarray,
) -> set[int]:
    """Return the rows of good last guesses after the likeliest clues of some guesses, in a fiftieth of the time.

    After each clue, only the `LANES` last guesses are rated that best tell apart the few likeliest answers, two at a
    time: for these, the sum over all pairs of the probability of taking one of the two for the other is smallest.

    Args:
        probabilities: The probability of each answer, float64[n_answers], with sum 1.
        rows: The guesses.
        epsilons: The budgets of the guesses and of the last guess.
        n_clues: How many clues of each guess to follow.
        pool: The last guesses to choose from; of equally good ones, the first are rated.
    """
    likely = support(probabilities, QUICK_NEGLIGIBLE, QUICK_ANSWERS)
    keep, other = _single(epsilons[1], words.length)
    choices = np.empty((len(rows), min(n_clues, 3**words.length)), np.int64)
    pool = np.resize(pool, max(LANES, len(pool)))
    last = LastClue(
        words.columns, likely, pool, agreement_table(words.length), np.float32(keep / other),
        _mistakes(keep, other, words.length), np.empty((len(likely), len(pool)), words.columns.dtype),
        np.zeros(len(likely), np.bool_),
    )  # fmt: skip
    shown = channel(epsilons[0], words.length).astype(np.float32)
    _choose_last(last, words.matrix[rows[:, None], likely], probabilities[likely].astype(np.float32), shown, choices)
    return set(choices.ravel().tolist())


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
    keep, other = _single(epsilons[1], words.length)
    out = np.empty(len(rows[0]))
    _look_ahead(
        first, second, probabilities[order].astype(np.float32), channel(epsilons[0], words.length).astype(np.float32),
        (np.float32(keep / other), np.float32(other**words.length), np.float32(effort.coverage)),
        effort.extrapolates, out,
    )  # fmt: skip
    return out


@lru_cache(maxsize=64)
def _mistakes(keep: float, other: float, length: int) -> np.ndarray:
    """Return terms from which the probability of taking one word for another is computed, float64[n, 3].

    If the clues of two words with the probabilities p and q agree in `row[0]` marks, it is the sum of
    min(p * row[1], q * row[2]) over all rows with this number: over the shown clues that have a marks of the one word
    and b of the other where the two differ.
    """
    return np.array([
        (length - d, ways * keep**a * other ** (d - a), ways * keep**b * other ** (d - b))
        for d in range(length + 1) for a in range(d + 1) for b in range(d + 1 - a)
        for ways in (comb(d, a) * comb(d - a, b),)
    ])  # fmt: skip


def _single(epsilon: float, length: int) -> tuple[float, float]:
    """Return the probabilities of a true and of a certain false mark; their powers fit into single precision."""
    keep = keep_probability(epsilon, length)
    other = max((1 - keep) / 2, MIN_POWER ** (1 / length))
    return (min(keep, 1 - 2 * other) if other > (1 - keep) / 2 else keep), other


@bound_kernel
def _look_ahead(
    first: np.ndarray,
    second: np.ndarray,
    weights: np.ndarray,
    shown: np.ndarray,
    channel: tuple[np.float32, np.float32, np.float32],
    extrapolates: bool,
    out: np.ndarray,
) -> None:
    """Fill out[i] with the value of first[:, i] when the best of the guesses second[:, j] follows.

    Args:
        first: Clue numbers of the guesses to rate, [m, n1], for m answers.
        second: Clue numbers of the last guesses, [m, n2].
        weights: The probabilities of the answers, float32[m], in ascending order.
        shown: The probability of each shown clue given each true clue, float32[3**length, 3**length].
        channel: The ratio and the factor of `final_guess`, and the total probability of the clues to follow.
        extrapolates: As in `Effort`.
        out: The result, float64[n1].
    """
    ratio, factor, coverage = channel
    n_clues = shown.shape[0]
    true, chances = np.empty(n_clues, np.float32), np.empty(n_clues, np.float32)
    tile, here = np.empty((n_clues, LANES), np.float32), np.empty(LANES, np.float32)
    posterior, order = np.empty(len(weights), np.float32), np.empty(len(weights), np.uint32)
    for i in range(first.shape[1]):
        clues = first[:, i]
        _clue_chances(clues, weights, shown, true, chances)
        value, left = np.float32(0), (1 - coverage) * chances.sum()
        plain = without = lost = np.float32(0)
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
                without += chances[y] - largest
                lost += chances[y] - best
            else:
                plain += chances[y] - largest
            value += best
        out[i] = value + plain * (1 - lost / without) if extrapolates and without > 0 else value


class LastClue(NamedTuple):
    """What the choice of a last guess depends on besides the posterior.

    Attributes:
        columns: Clue numbers, [n_answers, n_guesses].
        answers: The answers to use, uint32[m].
        pool: The last guesses, int64[n], at least LANES.
        agreement: In how many marks two clues agree, [3**length, 3**length].
        ratio: The probability of a true mark of the last clue, divided by that of a certain false one.
        terms: The result of `_mistakes`.
        clues: Scratch space for the clues of the answers to the last guesses, [m, n]; valid where `is_copied`.
        is_copied: Which answers have their clues there, bool[m].
    """

    columns: np.ndarray
    answers: np.ndarray
    pool: np.ndarray
    agreement: np.ndarray
    ratio: np.float32
    terms: np.ndarray
    clues: np.ndarray
    is_copied: np.ndarray


@bound_kernel
def _choose_last(last: LastClue, first: np.ndarray, weights: np.ndarray, shown: np.ndarray, out: np.ndarray) -> None:
    """Fill out[i, k] with the last guess after the k-th likeliest clue of each guess.

    Args:
        last: What is known of the last clue.
        first: The clues of the guesses for the answers, [n1, m].
        weights: The probabilities of the answers, float32[m].
        shown: The probability of each shown clue given each true clue, float32[3**length, 3**length].
        out: The result, int64[n1, n_clues].
    """
    m, n_clues = len(last.answers), shown.shape[0]
    posterior, order, mistakes = np.empty(m, np.float32), np.empty(m, np.uint32), np.empty(len(last.pool), np.float32)
    best, tile, here = np.empty(LANES, np.int64), np.empty((n_clues, LANES), np.float32), np.empty(LANES, np.float32)
    few, (true, chances) = np.empty((m, LANES), last.columns.dtype), np.empty((2, n_clues), np.float32)
    everything = np.arange(len(last.pool), dtype=np.uint32)
    for i in range(len(first)):
        _clue_chances(first[i], weights, shown, true, chances)
        for place, y in enumerate(np.argsort(-chances)[: out.shape[1]]):
            for j in range(m):
                posterior[j] = weights[j] * shown[y, first[i, j]]
            n = _leading(posterior, posterior.max() * np.float32(0.003), order)
            _add_mistakes(last, posterior, order[:n], mistakes)
            _smallest(mistakes, everything, best)
            for j in order[:n]:
                for lane in range(LANES):
                    few[j, lane] = last.columns[last.answers[j], last.pool[best[lane]]]
            _gather(few, posterior, order[:n], tile)
            spread_largest(tile, last.ratio)
            total(tile, np.float32(1), here)
            out[i, place] = last.pool[best[np.argmax(here)]]


@inner
def _add_mistakes(last: LastClue, posterior: np.ndarray, leading: np.ndarray, out: np.ndarray) -> None:
    """Fill out[guess] with the probability of taking one of the likeliest answers for another, summed over pairs."""
    rivals, errors = np.empty(N_RIVALS, np.int64), np.empty(last.agreement[0, 0] + 1, np.float32)
    n_rivals = _smallest(-posterior, leading, rivals)
    out[:] = 0
    for a in range(1, n_rivals):
        if posterior[rivals[a]] < NEGLIGIBLE_RIVAL * posterior[rivals[1]]:
            break
        for b in range(a):
            for word in (rivals[a], rivals[b]):
                if not last.is_copied[word]:
                    last.is_copied[word] = True
                    for g in range(len(last.pool)):
                        last.clues[word, g] = last.columns[last.answers[word], last.pool[g]]
            errors[:] = 0
            for n_agreeing, p, q in last.terms:
                errors[int(n_agreeing)] += min(p * posterior[rivals[a]], q * posterior[rivals[b]])
            _add_errors(last.clues[rivals[a]], last.clues[rivals[b]], last.agreement, errors, out)


@inner
def _clue_chances(
    clues: np.ndarray, weights: np.ndarray, shown: np.ndarray, true: np.ndarray, chances: np.ndarray
) -> None:
    """Fill true[x] and chances[y] with the probabilities of the true and of the shown clues of a guess."""
    true[:] = 0
    for j in range(len(weights)):
        true[clues[j]] += weights[j]
    chances[:] = 0
    for x in range(len(true)):
        if true[x] > 0:
            for y in range(len(chances)):
                chances[y] += true[x] * shown[x, y]  # the channel is symmetric


@inner
def _smallest(numbers: np.ndarray, among: np.ndarray, out: np.ndarray) -> int:
    """Fill `out` with the places of the smallest numbers, in ascending order, and return how many it found.

    Args:
        numbers: The numbers.
        among: The places to look at; of equal numbers, the first is preferred.
        out: The result, int64[n].
    """
    n = 0
    for j in among:
        if n == len(out) and numbers[j] >= numbers[out[n - 1]]:
            continue
        n = min(n + 1, len(out))
        place = n - 1
        while place > 0 and numbers[out[place - 1]] > numbers[j]:
            out[place] = out[place - 1]
            place -= 1
        out[place] = j
    return n


@inner
def _add_errors(
    first: np.ndarray, second: np.ndarray, agreement: np.ndarray, errors: np.ndarray, out: np.ndarray
) -> None:
    for g in range(len(out)):
        out[g] += errors[agreement[first[g], second[g]]]


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
