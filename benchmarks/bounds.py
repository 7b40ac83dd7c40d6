"""Compute lower bounds on the budget of any strategy, next to the best budgets found: `python benchmarks/bounds.py`.

If all N answers are equally likely, no strategy that spends B, however it adapts, wins with a probability P for which

    d_alpha(P || 1/N) > kappa_alpha B        for any alpha >= 1.

This is the strong converse with feedback (Arimoto, On the converse to the coding theorem, 1973; Polyanskiy and Verdu,
Arimoto channel coding converse and Renyi divergence, 2010). d_alpha is the Renyi divergence between two Bernoulli
distributions, kappa_alpha the largest C_alpha(epsilon) / epsilon, and C_alpha the channel's capacity of order alpha
(Sibson's), in nats:

    C_alpha = max_p alpha/(alpha-1) log F,  F = sum_y A_y^(1/alpha),  A_y = sum_x p(x) K(y|x)^alpha.

`any questions` allows all clues of five ternary marks; the channel is symmetric, so a uniform p is optimal. `words`
allows each guess only the clues that it gets from some answer, so p is supported on these; the largest capacity of all
guesses counts.

The maximum over p is enclosed: with f_x = sum_y K(y|x)^alpha A_y^(1/alpha-1), Sibson's duality (any output distribution
gives an upper bound) implies C_alpha <= log F + max_x log f_x / (alpha-1) for every p. The maximum over epsilon is
enclosed too: a clue at a larger epsilon can be degraded to one at a smaller epsilon, so C_alpha is increasing, and
between a and b the ratio is at most C_alpha(b) / a. Intervals are halved and guesses are dropped until none can exceed
the best ratio found by more than TOLERANCE. The budgets are computed from these upper ends, so they are rigorous, and
at most TOLERANCE below the best that the method can give.
"""

import sys
from functools import cache
from itertools import pairwise
from math import exp, inf, log
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wordpl.core import words
from wordpl.kernels.clue_matrix import matrix_of
from wordpl.solvers.noisy.clue_entropy import channel

TOLERANCE = 5e-4
MIN_EPSILON, MAX_EPSILON = 0.25, 64.0
CASES = [(0.05, 14.32, 6.0, 5.0), (0.5, 36.25, 1.75, 1.75), (0.95, 69.0, 1.0, 1.0)]  # found: docs/records.md
LISTS = words.load()
LENGTH = LISTS.length


def divergence(p: float, q: float, alpha: float) -> float:
    """Return d_alpha(p || q) of two Bernoulli distributions in nats."""
    if alpha == 1:
        return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
    return log(p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)) / (alpha - 1)


def any_questions(epsilon: float, alpha: float) -> float:
    """Return the capacity of five ternary marks with uniform inputs."""
    other = 1 / (2 + exp(epsilon / LENGTH))
    marks = np.array([1 - 2 * other, other, other])
    if alpha == 1:
        return LENGTH * (log(3) + float((marks * np.log(marks)).sum()))
    return LENGTH * (log(3) + log((marks**alpha).sum()) / (alpha - 1))


class Capacities:
    """Enclosures of the capacity of every guess at one epsilon, narrowed step by step."""

    def __init__(self, sets: np.ndarray, epsilon: float, alpha: float):
        """Start with the first bounds.

        Args:
            sets: The clues that each guess can get, bool[n_guesses, 243].
            epsilon: The epsilon.
            alpha: The order.
        """
        self.channel, self.alpha = channel(epsilon, LENGTH).T, alpha
        self.powered, self.sets = self.channel**alpha, sets
        self.inputs = sets / sets.sum(axis=1, keepdims=True)

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper bounds for every guess, and improve the inputs."""
        if self.alpha == 1:
            outputs = self.inputs @ self.channel
            gains = (self.channel * np.log(self.channel)).sum(axis=1) - np.log(outputs) @ self.channel.T
            low = (self.inputs * gains).sum(axis=1)
            factors = np.exp(gains)
            high = np.where(self.sets, gains, -inf).max(axis=1)
        else:
            mixed = self.inputs @ self.powered
            factors = mixed ** (1 / self.alpha - 1) @ self.powered.T
            total = np.log((mixed ** (1 / self.alpha)).sum(axis=1))
            low = self.alpha / (self.alpha - 1) * total
            high = total + np.log(np.where(self.sets, factors, 0).max(axis=1)) / (self.alpha - 1)
        self.inputs *= factors
        self.inputs /= self.inputs.sum(axis=1, keepdims=True)
        return low, high

    def keep(self, subset: np.ndarray) -> None:
        """Continue with only some of the guesses."""
        self.inputs, self.sets = self.inputs[subset], self.sets[subset]


def clue_sets() -> np.ndarray:
    """Return the distinct sets of clues that guesses can get, bool[n, 243], the largest first."""
    sets = np.zeros((len(LISTS.guesses), 3**LENGTH), bool)
    for has_clue, clues in zip(sets, matrix_of(LISTS, "anywhere"), strict=True):
        has_clue[clues] = True
    sets = np.unique(sets, axis=0)
    return sets[np.argsort(-sets.sum(axis=1), kind="stable")]


def ratio_found(sets: np.ndarray, alpha: float) -> float:
    """Return a ratio that some guess reaches, the best of the guesses with most clues."""

    def negative(epsilon: float) -> float:
        capacities = Capacities(sets[:48], epsilon, alpha)
        for _ in range(60):
            low, _ = capacities.step()
        return -low.max() / epsilon

    return -minimize_scalar(negative, bounds=(3, 30), method="bounded", options={"xatol": 0.02}).fun


def certified_ratio(sets: np.ndarray, alpha: float) -> float:
    """Return an upper bound on the ratio over all guesses and epsilons, at most TOLERANCE above a reached ratio."""
    target = ratio_found(sets, alpha) * (1 + TOLERANCE)

    def close(a: float, b: float, active: np.ndarray) -> None:
        if any_questions(b, alpha) / a <= target or log(3**LENGTH) / a <= target:
            return
        capacities, left, open_ = Capacities(sets[active], b, alpha), active, [active[:0]]
        for _ in range(400):
            low, high = capacities.step()
            above = low / a > target  # no further step can bring such a guess below: halve its interval
            open_.append(left[above])
            doubtful = (high / a > target) & ~above
            if not doubtful.any():
                break
            capacities.keep(doubtful)
            left = left[doubtful]
        else:
            open_.append(left)
        still = np.sort(np.concatenate(open_))
        if not len(still):
            return
        assert b / a > 1 + TOLERANCE / 8, "the ratio found was not the largest"
        middle = (a * b) ** 0.5
        close(a, middle, still)
        close(middle, b, still)

    grid = np.geomspace(MIN_EPSILON, MAX_EPSILON, 65)
    for a, b in pairwise(grid):
        close(a, b, np.arange(len(sets)))
    assert any_questions(MIN_EPSILON, alpha) / MIN_EPSILON < target, "a smaller epsilon might be worth more"
    assert log(3**LENGTH) / MAX_EPSILON < target, "a larger epsilon might be worth more"
    return target


@cache
def generic_ratio(alpha: float) -> float:
    """Return the largest ratio of any questions, enclosed as above on a fine grid of its single variable."""
    grid = np.geomspace(MIN_EPSILON, MAX_EPSILON, 60_000)
    capacities = np.array([any_questions(epsilon, alpha) for epsilon in grid])
    return float((capacities[1:] / grid[:-1]).max())


def main() -> None:
    sets, n_answers = clue_sets(), len(LISTS.answers)
    print(f"{len(sets):,} different sets of clues, of {sets.sum(axis=1).min()} to {sets.sum(axis=1).max()} clues")
    print(f"{'quantile':>8}  {'any questions':>18}  {'clues of words':>18}  {'best found':>10}  {'ratio':>5}")
    for p, best, alpha_any, alpha_words in CASES:
        generic = divergence(p, 1 / n_answers, alpha_any) / generic_ratio(alpha_any)
        limited = divergence(p, 1 / n_answers, alpha_words) / certified_ratio(sets, alpha_words)
        cells = [f"{bound:.2f} (α = {alpha:g})" for bound, alpha in ((generic, alpha_any), (limited, alpha_words))]
        print(f"{p:8.0%}  {cells[0]:>18}  {cells[1]:>18}  {best:10.2f}  {best / limited:5.2f}", flush=True)


if __name__ == "__main__":
    main()
