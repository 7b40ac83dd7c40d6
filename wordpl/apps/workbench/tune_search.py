"""How parameters are searched: successive halving, bisection of a budget, and the saved games that both play."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, prod, sqrt
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from wordpl.apps.workbench.arena import Arena, ArenaGame
from wordpl.apps.workbench.goals import ANSWERED, GameValues, ValueReader, values_from_rows
from wordpl.apps.workbench.tune_question import HALF_WIDTH, Parameter, rounded
from wordpl.core.files import Appender, complete_lines, truncate_torn_tail
from wordpl.core.intervals import mean_of
from wordpl.core.moves import Verdict
from wordpl.run.info import EntryInfo

DIGITS = 9
"""Decimals of the saved numbers."""
CHUNK = 256


class TrialGames(msgspec.Struct, frozen=True):
    """A line of the file: some games of a trial.

    Attributes:
        make: Expression that creates the entry.
        first: Number of the first game.
        cpu_s: CPU time of the games and of reading their records.
        rows: Fields of each game, in the order of `GameValues`.
        fault: Message of the first game that ended by a fault, or "".
    """

    make: str
    first: int
    cpu_s: float
    rows: list[tuple[float, bool, float, float, int, bool]]
    fault: str = ""


@dataclass(frozen=True)
class Trial:
    """An entry with chosen parameters, and the results of its games."""

    make: str
    parameters: Mapping[str, Any]
    games: GameValues
    fault: str


class OutOfTimeError(Exception):
    """The CPU time or the number of trials of a search is used up."""


class Trials:
    """Plays the games of trials, unless they are saved.

    Attributes:
        cpu_s: CPU time of all games requested so far. Saved games count with the time that they took.
        progress: Called after each step.
    """

    def __init__(self, path: Path, arena: Arena, entry: EntryInfo, reader: ValueReader):
        """Load the saved games.

        Args:
            path: File of the games.
            entry: The entry whose parameters are varied.
            reader: Computes the results of its games.
        """
        self._arena, self._entry, self._reader = arena, entry, reader
        if path.exists():
            truncate_torn_tail(path)
        decode = msgspec.json.Decoder(TrialGames).decode
        self._known: dict[str, list[TrialGames]] = {}
        for line in complete_lines(path):
            part = decode(line)
            self._known.setdefault(part.make, []).append(part)
        self._log = Appender(path)
        self._requested: dict[str, list[TrialGames]] = {}
        self.cpu_s, self.cpu_limit_s, self.max_trials = 0.0, float("inf"), 10**9
        self.progress: Callable[[], object] = lambda: None

    @property
    def n_trials(self) -> int:
        """Number of sets of parameters requested so far."""
        return len(self._requested)

    @property
    def n_games(self) -> int:
        """Number of games requested so far."""
        return sum(len(part.rows) for parts in self._requested.values() for part in parts)

    def play(self, make: str, parameters: Mapping[str, Any], n_games: int) -> Trial:
        """Return a trial with its first `n_games` games. Games that are not saved are played.

        Raises:
            OutOfTimeError: The CPU time or the number of trials is used up.
        """
        parts = self._requested.get(make, [])
        if make not in self._requested and self.n_trials >= self.max_trials:
            raise OutOfTimeError
        while (done := sum(len(part.rows) for part in parts)) < n_games:
            if self.cpu_s >= self.cpu_limit_s:
                raise OutOfTimeError
            saved_parts = self._known.get(make, [])
            part = next((part for part in saved_parts if part.first == done), None)
            part = part or self._played(make, range(done, min(n_games, done + CHUNK)))
            parts = self._requested.setdefault(make, [])
            parts.append(part)
            self.cpu_s += part.cpu_s
            self.progress()
        fault = next((part.fault for part in parts if part.fault), "")
        rows = [row for part in parts for row in part.rows][:n_games]
        return Trial(make, parameters, values_from_rows(rows, self._reader.has_epsilon), fault)

    def _played(self, make: str, numbers: Sequence[int]) -> TrialGames:
        entry = msgspec.structs.replace(self._entry, make=make, name=make)
        started = time.process_time()
        (played,) = self._arena.play([(entry, numbers)])
        values = self._reader.read([record for record, _ in played])
        host_s = time.process_time() - started
        cpu_s = round(host_s + sum(duration.game_s for _, duration in played), 6)
        part = TrialGames(make, numbers[0], cpu_s, _rows(values), _fault(played))
        self._log.add(msgspec.json.encode(part) + b"\n")
        return part

    def close(self) -> None:
        """Close the file."""
        self._log.close()


def _rows(values: GameValues) -> list[tuple[float, bool, float, float, int, bool]]:
    columns = (
        [round(spent, DIGITS) for spent in values.spent.tolist()], values.won.tolist(),
        np.round(values.by_answer, DIGITS).tolist(),
        np.round(values.before_last, DIGITS).tolist(), values.n_moves.tolist(), values.is_likeliest.tolist(),
    )  # fmt: skip
    return list(zip(*columns, strict=True))


def _fault(played: Sequence[ArenaGame]) -> str:
    for record, _ in played:
        if record.verdict not in (*ANSWERED, Verdict.UNSOLVED):
            return f"{record.verdict}: {record.message}"
    return ""


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
class RankedChoice:
    """A set of parameters, the number of games that it has played, and its loss on them."""

    chosen: Chosen
    n_games: int
    loss: float


Loss = Callable[[Chosen, int], float]


def successive_halving(
    parameters: Sequence[Parameter], first: Chosen, early_loss: Loss, loss: Loss, rng: np.random.Generator
) -> list[RankedChoice]:
    """Return the sets that were tried, sorted by descending number of games, then by loss.

    Args:
        parameters: The parameters to vary.
        first: The author's own values, which are tried too.
        early_loss: Plays the first games of a set in a bracket and returns its loss, or raises `OutOfTimeError`.
        loss: The same with more time, for the best sets at the end.
        rng: Random generator for drawing sets.
    """
    results: dict[tuple[Any, ...], RankedChoice] = {}
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
            results[_key(finalist.chosen)] = RankedChoice(finalist.chosen, n_games, loss(finalist.chosen, n_games))
    except OutOfTimeError:
        pass
    return ranked(results.values())


def ranked(found: Sequence[RankedChoice] | Any) -> list[RankedChoice]:
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
    parameters: Sequence[Parameter], first: Chosen, bracket: int, best: Sequence[RankedChoice], rng: np.random.Generator
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


def _bracket(sets: Sequence[Chosen], loss: Loss, results: dict[tuple[Any, ...], RankedChoice]) -> None:
    """Play one bracket and add its sets to `results`."""
    remaining, n_games = list({_key(chosen): chosen for chosen in sets}.values()), FIRST_GAMES
    for _ in range(N_RUNGS):
        rung = []
        for chosen in remaining:
            rung.append(RankedChoice(chosen, n_games, loss(chosen, n_games)))
            earlier = results.get(_key(chosen))
            if earlier is None or earlier.n_games <= n_games:
                results[_key(chosen)] = rung[-1]
        remaining = [result.chosen for result in ranked(rung)[: max(1, len(rung) // FACTOR)]]
        n_games *= FACTOR


def _key(chosen: Chosen) -> tuple[Any, ...]:
    return tuple((name, repr(value)) for name, value in chosen.items())


FIRST_BUDGET_GAMES = 60
N_BUDGET_RUNGS = 5
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


def bisect_budget(
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
    arms, n_games = list(range(len(others))), FIRST_BUDGET_GAMES
    try:
        for rung in range(N_BUDGET_RUNGS):
            for index in arms:
                target = _Target(q, n_games, n_safety_errors(n_games, n_fresh))
                roots[index] = _root(parameter, others[index], target, roots.get(index), play)
            n_left = max(1, -(-len(arms) // FACTOR))
            arms = sorted(arms, key=lambda index: (roots[index].budget, roots[index].shortfall, index))[:n_left]
            n_games *= FACTOR if rung < N_BUDGET_RUNGS - 2 else 2
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
        return Root(others, value, mean_of(games.spent), target.n_games, slope, error)

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
