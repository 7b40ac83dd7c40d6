"""Successive halving: many sets of parameters play few games, and the best third plays three times as many.

K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
Brackets are repeated until the time is up. From the second bracket on, half of the sets are drawn around the best ones
so far, at decreasing distances. All sets play the same games, which reduces the variance of comparisons.
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
"""Number of sets in a bracket. One of them reaches the last rung, of FIRST_GAMES * BRACKET games."""
N_PARENTS = 3
N_FINALISTS = 4
"""Number of sets that play more games after the last bracket."""
SPREAD = 0.2
"""Standard deviation of sets around their parent in the second bracket, as a share of each parameter's range."""
SHRINK = 0.75
MAX_BRACKETS = 30

Chosen = Mapping[str, Any]


@dataclass(frozen=True)
class Ranked:
    """A set of parameters, the number of games that it has played, and its loss on them."""

    chosen: Chosen
    n_games: int
    loss: float


Loss = Callable[[Chosen, int], float]


def search(
    parameters: Sequence[Parameter], first: Chosen, early_loss: Loss, loss: Loss, rng: np.random.Generator
) -> list[Ranked]:
    """Return the sets that were tried, sorted by descending number of games, then by loss.

    Args:
        parameters: The parameters to vary.
        first: The author's own values, which are tried too.
        early_loss: Plays the first games of a set in a bracket and returns its loss, or raises `OutOfTimeError`.
        loss: The same with more time, for the best sets at the end.
        rng: Random generator for drawing sets.
    """
    results: dict[tuple[Any, ...], Ranked] = {}
    try:
        for bracket in range(MAX_BRACKETS):
            sets = list(_sets(parameters, first, bracket, ranked(results.values()), rng))
            _bracket(sets, early_loss, results)
            if len(results) >= n_sets(parameters):
                break
    except OutOfTimeError:
        pass
    finalists = ranked(results.values())[:N_FINALISTS]
    try:
        for finalist in finalists:
            n_games = FACTOR * finalists[0].n_games
            results[_key(finalist.chosen)] = Ranked(finalist.chosen, n_games, loss(finalist.chosen, n_games))
    except OutOfTimeError:
        pass
    return ranked(results.values())


def ranked(found: Sequence[Ranked] | Any) -> list[Ranked]:
    """Sort sets by descending number of games, then by loss."""
    return sorted(found, key=lambda result: (-result.n_games, result.loss, _key(result.chosen)))


def n_sets(parameters: Sequence[Parameter]) -> float:
    """Return the number of sets, infinite if a parameter is continuous."""
    if any(parameter.is_range for parameter in parameters):
        return float("inf")
    return prod(len(parameter.choices) or parameter.high - parameter.low + 1 for parameter in parameters)


def all_sets(parameters: Sequence[Parameter]) -> list[dict[str, Any]]:
    """Return all sets of parameters, none of which is continuous."""
    values = [parameter.choices or range(int(parameter.low), int(parameter.high) + 1) for parameter in parameters]
    return [dict(zip([parameter.name for parameter in parameters], row, strict=True)) for row in product(*values)]


def sobol_sets(parameters: Sequence[Parameter], n: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return n evenly spread sets (a scrambled Sobol sequence)."""
    from scipy.stats import qmc

    if not parameters:
        return [{}]
    points = qmc.Sobol(len(parameters), rng=rng).random(1 << max(0, n - 1).bit_length())[:n]
    return [
        {parameter.name: parameter.value(share) for parameter, share in zip(parameters, point, strict=True)}
        for point in points
    ]


def _sets(
    parameters: Sequence[Parameter], first: Chosen, bracket: int, best: Sequence[Ranked], rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    if n_sets(parameters) <= BRACKET:
        yield from all_sets(parameters)
        return
    if bracket == 0:
        yield dict(first)
        yield from sobol_sets(parameters, BRACKET - 1, rng)
        return
    parents, width = best[:N_PARENTS], SPREAD * SHRINK ** (bracket - 1)
    for number in range(BRACKET // 2 + 1):
        chosen = parents[number % len(parents)].chosen
        shares = [
            np.clip(parameter.share(chosen[parameter.name]) + width * rng.standard_normal(), 0, 1)
            for parameter in parameters
        ]
        yield {
            parameter.name: parameter.value(float(share)) for parameter, share in zip(parameters, shares, strict=True)
        }
    yield from sobol_sets(parameters, BRACKET // 2, rng)


def _bracket(sets: Sequence[Chosen], loss: Loss, results: dict[tuple[Any, ...], Ranked]) -> None:
    """Play one bracket and add its sets to `results`."""
    remaining, n_games = list({_key(chosen): chosen for chosen in sets}.values()), FIRST_GAMES
    for _ in range(N_RUNGS):
        rung = []
        for chosen in remaining:
            rung.append(Ranked(chosen, n_games, loss(chosen, n_games)))
            earlier = results.get(_key(chosen))
            if earlier is None or earlier.n_games <= n_games:
                results[_key(chosen)] = rung[-1]
        remaining = [result.chosen for result in ranked(rung)[: max(1, len(rung) // FACTOR)]]
        n_games *= FACTOR


def _key(chosen: Chosen) -> tuple[Any, ...]:
    return tuple((name, repr(value)) for name, value in chosen.items())
