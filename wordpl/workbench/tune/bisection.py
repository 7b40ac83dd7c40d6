"""The least budget of an entry that always spends the same: bisection on estimates with little luck.

Whether such an entry scores its budget or infinity turns on whether it wins the share by a hair, so searching by the
score itself is hopeless. But its chance to win is a smooth function of what it spends, and Rao and Blackwell's estimate
of it on the same games for all budgets is nearly so: its root is found by bisection, for each set of the other
parameters, with few games at first and with more for those whose budgets are lowest.
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
"""Steps of the first search."""
N_SLOPE = 5
"""The values closest to a root that tell how fast the chance to win grows there."""
MAX_STEPS = 3
"""Newton's steps of a later search around the root found before."""
OVERSHOOT = 1.1
CLOSE = 0.2
"""Standard errors of the chance to win within which a root is close enough."""
GUARD = 1.5
"""Standard errors of the difference between the games of the search and the fresh ones that may turn out against it."""

Play = Callable[[Mapping[str, Any], int], GameValues]
Missing = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class Root:
    """The least value of the budget's parameter that wins the share, as far as some games tell.

    Attributes:
        others: The other parameters.
        value: The value, with the guard; infinite where the whole range does not win the share.
        budget: What a game costs there.
        n_games: The games that told it.
        slope: How fast the chance to win grows with the value, where it is known.
        error: The standard error of the chance to win there.
        missing: What the largest value lacks to the share with its guard, where the whole range does not win it.
    """

    others: Mapping[str, Any]
    value: float
    budget: float
    n_games: int
    slope: float = 0.0
    error: float = inf
    missing: float = 0.0


def search(
    parameter: Parameter, others: Sequence[Mapping[str, Any]], q: float, play: Play, n_fresh: float = inf
) -> list[Root]:
    """Return the roots of all sets of the other parameters, the best first.

    Args:
        parameter: The one that decides what a game costs.
        others: The sets of the other parameters.
        q: The share of games to be won.
        play: Returns what the first games of an entry with these parameters say; raises OutOfTimeError.
        n_fresh: The fresh games that the result will play.
    """
    found: dict[int, Root] = {}
    left, n_games = list(range(len(others))), FIRST_GAMES
    try:
        for rung in range(N_RUNGS):
            for at in left:
                guard = guard_errors(n_games, n_fresh)
                found[at] = _root(parameter, others[at], (q, guard, n_games, found.get(at)), play)
            n_left = max(1, -(-len(left) // FACTOR))
            left = sorted(left, key=lambda at: (found[at].budget, found[at].missing, at))[:n_left]
            n_games *= FACTOR if rung < N_RUNGS - 2 else 2
    except OutOfTimeError:
        pass
    return sorted(found.values(), key=lambda root: (-root.n_games, root.budget))


def guard_errors(n_games: int, n_fresh: float) -> float:
    """Return by how many standard errors the chance to win has to be above the share, so that fresh games show it too.

    What the fresh games say should be above the share by the half width of its 95% interval, even if it is lower than
    what the games of the search say by GUARD standard errors of the difference.

    Args:
        n_games: The games of the search, whose standard error is meant.
        n_fresh: The fresh games.
    """
    return GUARD * sqrt(1 + n_games / n_fresh) + HALF_WIDTH * sqrt(n_games / n_fresh)


def _root(
    parameter: Parameter, others: Mapping[str, Any], task: tuple[float, float, int, Root | None], play: Play
) -> Root:
    """Return the root for a share, a guard and so many games, near the one that fewer games have told."""
    q, guard, n_games, last = task

    def missing(value: float) -> tuple[float, float]:
        """Return how much is missing at this value to the share with its guard, and the standard error."""
        chances = play({**others, parameter.name: value}, n_games).chances()
        error = float(chances.std(ddof=1)) / len(chances) ** 0.5
        return q + guard * error - float(chances.mean()), error

    def root(value: float, slope: float, error: float) -> Root:
        games = play({**others, parameter.name: value}, n_games)
        return Root(others, value, float(games.spent.mean()), n_games, slope, error)

    if last is not None and last.slope > 0 and (near := _by_steps(parameter, last, missing)):
        return root(*near)
    if found := _by_halving(parameter, missing):
        return root(*found)
    return Root(others, inf, inf, n_games, missing=missing(rounded(parameter.high))[0])


def _by_halving(parameter: Parameter, missing: Missing) -> tuple[float, float, float] | None:
    """Return the least value of the whole range at which nothing is missing, with the slope there and the error."""
    low, high = parameter.low, rounded(parameter.high)
    at_high, error = missing(high)
    if at_high > 0:
        return None
    seen = [(high, at_high)]
    for _ in range(HALVINGS):
        middle = rounded((low + high) / 2)
        here, error_here = missing(middle)
        seen.append((middle, here))
        if here <= 0:
            high, error = middle, error_here
        else:
            low = middle
    return high, _slope(sorted(seen, key=lambda one: abs(one[0] - high))[:N_SLOPE]), error


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Return how fast what is missing falls with the value, by least squares; at least 0."""
    values, missing = np.array(points).T
    spread = values - values.mean()
    return max(0.0, -float((spread * missing).sum() / (spread**2).sum()))


def _by_steps(parameter: Parameter, last: Root, missing: Missing) -> tuple[float, float, float] | None:
    """Return the same from where fewer games have put it, by Newton's steps; None where these lead nowhere."""
    value, slope, best = last.value, last.slope, None
    for _ in range(MAX_STEPS):
        here, error = missing(value)
        if here <= 0 and (best is None or value < best[0]):
            best = value, slope, error
        step = here / slope
        if best is not None and abs(here) < CLOSE * error:
            break
        value = rounded(min(parameter.high, max(parameter.low, value + step * (OVERSHOOT if step > 0 else 1.0))))
    return best


def decides_budget(parameter: Parameter, others: Mapping[str, Any], play: Play, n_games: int = 8) -> bool:
    """Return whether entries always spend the same, and more the larger this parameter is."""
    ends = [play({**others, parameter.name: rounded(end)}, n_games) for end in (parameter.low, parameter.high)]
    return all(games.has_one_shape for games in ends) and ends[0].spent[0] < ends[1].spent[0]
