"""Successive halving: many sets of parameters on few games, the best third of them on three times as many.

K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
One bracket follows another as long as there is time; from the second on, half of the sets are drawn around the best
ones so far, ever closer. All sets play the same games, so that luck is shared.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from wordpl.workbench.tune.parameters import Parameter
from wordpl.workbench.tune.trials import OutOfTimeError

FIRST_GAMES = 40
FACTOR = 3
N_RUNGS = 4
BRACKET = FACTOR ** (N_RUNGS - 1)
"""The sets of a bracket: one of them is left at its last rung, of FIRST_GAMES * BRACKET games."""
N_PARENTS = 3
N_FINALISTS = 4
"""The sets that play more games when the brackets have ended."""
SPREAD = 0.2
"""How far from a parent sets are drawn in the second bracket, as a share of each parameter's range."""
SHRINK = 0.75
MAX_BRACKETS = 30

Chosen = Mapping[str, Any]


@dataclass(frozen=True)
class Ranked:
    """A set of parameters, the games that it has played and its loss on them."""

    chosen: Chosen
    n_games: int
    loss: float


Loss = Callable[[Chosen, int], float]


def search(
    parameters: Sequence[Parameter], first: Chosen, losses: tuple[Loss, Loss], rng: np.random.Generator
) -> list[Ranked]:
    """Return the sets that were tried, the best first: by the games they have played, then by their loss.

    Args:
        parameters: What is varied.
        first: The author's own values, which are tried too.
        losses: Each plays a set's first games and returns what they count as, and raises OutOfTimeError when time is
            up: the first for the brackets, the second, with more time, for the best sets of all of them in the end.
        rng: Draws the sets.
    """
    found: dict[tuple[Any, ...], Ranked] = {}
    try:
        for bracket in range(MAX_BRACKETS):
            sets = list(_sets(parameters, first, bracket, ranked(found.values()), rng))
            _bracket(sets, losses[0], found)
            if len(found) >= n_sets(parameters):
                break
    except OutOfTimeError:
        pass
    finalists = ranked(found.values())[:N_FINALISTS]
    try:
        for one in finalists:
            n_games = FACTOR * finalists[0].n_games
            found[_key(one.chosen)] = Ranked(one.chosen, n_games, losses[1](one.chosen, n_games))
    except OutOfTimeError:
        pass
    return ranked(found.values())


def ranked(found: Sequence[Ranked] | Any) -> list[Ranked]:
    """Return these in their order: those with the most games first, the lower loss among them."""
    return sorted(found, key=lambda one: (-one.n_games, one.loss, _key(one.chosen)))


def n_sets(parameters: Sequence[Parameter]) -> float:
    """Return how many sets there are; infinitely many where one takes all numbers of a range."""
    if any(one.is_range for one in parameters):
        return float("inf")
    return prod(len(one.choices) or one.high - one.low + 1 for one in parameters)


def all_sets(parameters: Sequence[Parameter]) -> list[dict[str, Any]]:
    """Return all sets of parameters that take choices and whole numbers only."""
    values = [one.choices or range(int(one.low), int(one.high) + 1) for one in parameters]
    return [dict(zip([one.name for one in parameters], row, strict=True)) for row in product(*values)]


def spread(parameters: Sequence[Parameter], n: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return n sets that are spread evenly over all that there are (a scrambled Sobol sequence)."""
    from scipy.stats import qmc

    if not parameters:
        return [{}]
    points = qmc.Sobol(len(parameters), rng=rng).random(1 << max(0, n - 1).bit_length())[:n]
    return [{one.name: one.value(share) for one, share in zip(parameters, point, strict=True)} for point in points]


def _sets(
    parameters: Sequence[Parameter], first: Chosen, bracket: int, best: Sequence[Ranked], rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    if n_sets(parameters) <= BRACKET:
        yield from all_sets(parameters)
        return
    if bracket == 0:
        yield dict(first)
        yield from spread(parameters, BRACKET - 1, rng)
        return
    parents, width = best[:N_PARENTS], SPREAD * SHRINK ** (bracket - 1)
    for number in range(BRACKET // 2 + 1):
        chosen = parents[number % len(parents)].chosen
        shares = [np.clip(one.share(chosen[one.name]) + width * rng.standard_normal(), 0, 1) for one in parameters]
        yield {one.name: one.value(float(share)) for one, share in zip(parameters, shares, strict=True)}
    yield from spread(parameters, BRACKET // 2, rng)


def _bracket(sets: Sequence[Chosen], loss: Loss, found: dict[tuple[Any, ...], Ranked]) -> None:
    """Play one bracket; what it finds is added to `found`."""
    left, n_games = list({_key(chosen): chosen for chosen in sets}.values()), FIRST_GAMES
    for _ in range(N_RUNGS):
        rung = []
        for chosen in left:
            rung.append(Ranked(chosen, n_games, loss(chosen, n_games)))
            known = found.get(_key(chosen))
            if known is None or known.n_games <= n_games:
                found[_key(chosen)] = rung[-1]
        left = [one.chosen for one in ranked(rung)[: max(1, len(rung) // FACTOR)]]
        n_games *= FACTOR


def _key(chosen: Chosen) -> tuple[Any, ...]:
    return tuple((name, repr(value)) for name, value in chosen.items())
