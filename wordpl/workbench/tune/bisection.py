"""Finds the smallest budget of an entry that always spends the same, by bisection.

The score of such an entry is its budget if it wins the required share, and infinite otherwise, so the score itself is
not a useful objective. But the probability of winning is a smooth function of the budget, and its Rao-Blackwell
estimate on the same games for all budgets is nearly smooth. Its root is found by bisection, for each set of the other
parameters: first with few games, then with more games for the sets with the lowest budgets.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from wordpl.workbench.tune.halving import FACTOR
from wordpl.workbench.tune.objective import HALF_WIDTH
from wordpl.workbench.tune.parameters import Parameter, rounded
from wordpl.workbench.tune.trials import OutOfTimeError
from wordpl.workbench.values import GameValues

FIRST_GAMES = 60
N_RUNGS = 5
HALVINGS = 7
"""Bisection steps of the first search."""
N_SLOPE = 5
"""Number of values closest to a root from which the slope is estimated."""
MAX_STEPS = 3
"""Newton steps of a later search, from the previous root."""
OVERSHOOT = 1.1
CLOSE = 0.2
"""Tolerance of a root, in standard errors of the probability of winning."""
SAFETY_ERRORS = 1.5
"""Safety margin, in standard errors of the difference between the games of the search and the fresh games."""

Play = Callable[[Mapping[str, Any], int], GameValues]
Shortfall = Callable[[float], tuple[float, float]]
"""value -> (shortfall of the probability of winning, its standard error)"""


@dataclass(frozen=True)
class Root:
    """An estimate of the smallest value of the budget parameter that wins the required share.

    Attributes:
        value: The value, including the safety margin; infinite if no value of the range wins the share.
        budget: Cost of a game at this value.
        n_games: Number of games of the estimate.
        slope: Slope of the probability of winning as a function of the value, or 0 if unknown.
        error: Standard error of the probability of winning at this value.
        shortfall: If no value of the range wins the share: by how much the largest value falls short, including the
            safety margin.
    """

    others: Mapping[str, Any]
    value: float
    budget: float
    n_games: int
    slope: float = 0.0
    error: float = inf
    shortfall: float = 0.0


def search(
    parameter: Parameter, others: Sequence[Mapping[str, Any]], q: float, play: Play, n_fresh: float = inf
) -> list[Root]:
    """Return the roots for all sets of the other parameters, the best first.

    Args:
        parameter: The parameter that determines the cost of a game.
        others: The sets of the other parameters.
        q: The share of games to be won.
        play: Returns the results of the first games of an entry with these parameters. May raise `OutOfTimeError`.
        n_fresh: Number of fresh games that the result will play.
    """
    roots: dict[int, Root] = {}
    arms, n_games = list(range(len(others))), FIRST_GAMES
    try:
        for rung in range(N_RUNGS):
            for index in arms:
                target = _Target(q, n_games, n_safety_errors(n_games, n_fresh))
                roots[index] = _root(parameter, others[index], target, roots.get(index), play)
            n_left = max(1, -(-len(arms) // FACTOR))
            arms = sorted(arms, key=lambda index: (roots[index].budget, roots[index].shortfall, index))[:n_left]
            n_games *= FACTOR if rung < N_RUNGS - 2 else 2
    except OutOfTimeError:
        pass
    return sorted(roots.values(), key=lambda root: (-root.n_games, root.budget))


def n_safety_errors(n_games: int, n_fresh: float) -> float:
    """Return by how many standard errors the probability of winning must exceed the share.

    The share won in the fresh games should exceed the required share by the half width of its 95% interval, even if it
    is lower than in the games of the search by `SAFETY_ERRORS` standard errors of the difference.

    Args:
        n_games: Number of games of the search. The result is in standard errors of these games.
    """
    return SAFETY_ERRORS * sqrt(1 + n_games / n_fresh) + HALF_WIDTH * sqrt(n_games / n_fresh)


@dataclass(frozen=True)
class _Target:
    """The share `q` to be won on `n_games` games, plus a safety margin of `n_errors` standard errors."""

    q: float
    n_games: int
    n_errors: float


def _root(parameter: Parameter, others: Mapping[str, Any], target: _Target, last: Root | None, play: Play) -> Root:
    """Return the root for a target, starting from the previous root."""

    def shortfall(value: float) -> tuple[float, float]:
        """Return how far the wins at this value fall short of the share plus safety margin, and their error."""
        chances = play({**others, parameter.name: value}, target.n_games).chances()
        error = float(chances.std(ddof=1)) / len(chances) ** 0.5
        return target.q + target.n_errors * error - float(chances.mean()), error

    def root(value: float, slope: float, error: float) -> Root:
        games = play({**others, parameter.name: value}, target.n_games)
        return Root(others, value, float(games.spent.mean()), target.n_games, slope, error)

    if last is not None and last.slope > 0 and (near := _newton(parameter, last, shortfall)):
        return root(*near)
    if crossing := _bisect(parameter, shortfall):
        return root(*crossing)
    return Root(others, inf, inf, target.n_games, shortfall=shortfall(rounded(parameter.high))[0])


def _bisect(parameter: Parameter, shortfall: Shortfall) -> tuple[float, float, float] | None:
    """Return the smallest value of the range without a shortfall, with its slope and error, or None."""
    low, high = parameter.low, rounded(parameter.high)
    at_high, error = shortfall(high)
    if at_high > 0:
        return None
    points = [(high, at_high)]
    for _ in range(HALVINGS):
        middle = rounded((low + high) / 2)
        at_middle, error_here = shortfall(middle)
        points.append((middle, at_middle))
        if at_middle <= 0:
            high, error = middle, error_here
        else:
            low = middle
    return high, _slope(sorted(points, key=lambda point: abs(point[0] - high))[:N_SLOPE]), error


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Return by how much the shortfall decreases with the value, by least squares, or 0 if it increases."""
    values, shortfalls = np.array(points).T
    spread = values - values.mean()
    return max(0.0, -float((spread * shortfalls).sum() / (spread**2).sum()))


def _newton(parameter: Parameter, last: Root, shortfall: Shortfall) -> tuple[float, float, float] | None:
    """Return the smallest value without a shortfall found by Newton steps from the previous root, or None."""
    value, slope, best = last.value, last.slope, None
    for _ in range(MAX_STEPS):
        at_value, error = shortfall(value)
        if at_value <= 0 and (best is None or value < best[0]):
            best = value, slope, error
        step = at_value / slope
        if best is not None and abs(at_value) < CLOSE * error:
            break
        value = rounded(min(parameter.high, max(parameter.low, value + step * (OVERSHOOT if step > 0 else 1.0))))
    return best


def decides_budget(parameter: Parameter, others: Mapping[str, Any], play: Play, n_games: int = 8) -> bool:
    """Return whether an entry always spends the same, and spends more with larger values of this parameter."""
    ends = [play({**others, parameter.name: rounded(end)}, n_games) for end in (parameter.low, parameter.high)]
    return all(games.has_one_shape for games in ends) and ends[0].spent[0] < ends[1].spent[0]
