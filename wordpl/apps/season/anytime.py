"""Anytime-valid bounds of means and quantiles, and the order of players that follows from them.

They hold at all times at once, whatever decides about the next games.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordpl.stats.scores.score import CONFIDENCE, Floats

N_POWERS = 5
"""Sums of the powers 0 to 4; the power 0 counts the values."""
BETS = np.array([0.8, 0.45, 0.25, 0.14, 0.08, 0.045, 0.025, 0.014, 0.008, 0.0045])
"""The shares of the capital that are bet, equally weighted.

About sqrt(2 log(1 / alpha) / n) / (the standard deviation in units of m - low) is best; a share that is 1.3 times too
large or too small costs 9 % of the evidence.
"""
BISECTIONS = 26
"""They find a bound to 1.5e-8 of the range of values."""


def powers(values: Floats) -> Floats:
    """Return the sums of the powers 0 to 4 of values, float[..., 5], given values float[..., n]."""
    values = np.asarray(values, float)
    sums = [np.full(values.shape[:-1], float(values.shape[-1])), values.sum(axis=-1)]
    power = values
    for _ in range(2, N_POWERS):
        power = power * values
        sums.append(power.sum(axis=-1))
    return np.stack(sums, axis=-1)


def pair_powers(values: Floats) -> Floats:
    """Return the power sums of the differences x_i - x_j of each pair, float[k, k, 5], given values float[k, n]."""
    raised = [np.ones_like(values), values, values**2, values**3, values**4]
    products = {(a, b): raised[a] @ raised[b].T for a in range(N_POWERS) for b in range(N_POWERS - a)}
    sums = np.stack(
        [
            products[0, 0],
            products[1, 0] - products[0, 1],
            products[2, 0] - 2 * products[1, 1] + products[0, 2],
            products[3, 0] - 3 * products[2, 1] + 3 * products[1, 2] - products[0, 3],
            products[4, 0] - 4 * products[3, 1] + 6 * products[2, 2] - 4 * products[1, 3] + products[0, 4],
        ],
        axis=-1,
    )
    return np.asarray(sums)


def negated(sums: Floats) -> Floats:
    """Return the power sums of the values with the opposite sign."""
    return np.asarray(sums * np.array([1.0, -1.0, 1.0, -1.0, 1.0]))


def log_capital(sums: Floats, mean: Floats, low: float, bets: Floats = BETS) -> Floats:
    """Return a lower bound of the log capital of the gambler who bets that the mean is above `mean`, float[...].

    Args:
        sums: The power sums of the values, float[..., 5].
        mean: The mean that is tested, above `low`, float[...].
        low: A lower bound of all possible values.
        bets: The shares of the capital that are bet, above 0 and below 1.
    """
    n, s1, s2, s3, s4 = np.moveaxis(sums, -1, 0)
    room = mean - low
    first = (s1 - n * mean) / room
    second = (s2 - 2 * mean * s1 + n * mean**2) / room**2
    third = (s3 - 3 * mean * s2 + 3 * mean**2 * s1 - n * mean**3) / room**3
    fourth = (s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 4 * mean**3 * s1 + n * mean**4) / room**4
    fourth_factors = -np.log1p(-bets) - bets - bets**2 / 2 - bets**3 / 3
    factors = np.stack([bets, -(bets**2) / 2, bets**3 / 3, -fourth_factors], axis=-1)
    logs = np.tensordot(factors, np.stack([first, second, third, fourth]), 1)
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).mean(axis=0)))


def lower_bounds(sums: Floats, low: float, alphas: Floats, bets: Floats = BETS) -> Floats:
    """Return the lower confidence bound of each mean, float[...]; `low` without values.

    Args:
        sums: The power sums of the values, float[..., 5].
        low: A lower bound of all possible values.
        alphas: The probability that the bound is ever above the mean, float[...].
        bets: As for `log_capital`.
    """
    n = np.maximum(sums[..., 0], 1)
    target = -np.log(alphas)
    found = np.full(sums.shape[:-1], low, float)
    above = np.maximum(sums[..., 1] / n, low)
    for _ in range(BISECTIONS):
        middle = (found + above) / 2
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            is_below = (middle > low) & (log_capital(sums, middle, low, bets) >= target)
        found, above = np.where(is_below, middle, found), np.where(is_below, above, middle)
    return found


def intervals(sums: Floats, limits: tuple[float, float], alphas: Floats) -> tuple[Floats, Floats]:
    """Return the bounds of the two-sided confidence interval of each mean.

    Args:
        sums: The power sums of the values, float[..., 5].
        limits: The smallest and the largest possible value.
        alphas: The probability that the interval ever misses the mean, float[...].
    """
    low, high = limits
    return lower_bounds(sums, low, alphas / 2), -lower_bounds(negated(sums), -high, alphas / 2)


def spent_alpha(numbers: ArrayLike, alpha: float, scale: float) -> Floats:
    """Return the share of `alpha` for questions that are numbered 0, 1, 2, ... in the order in which they are asked.

    The shares of all numbers have the sum `alpha`, so that the number of questions need not be known in advance. The
    first `scale` questions get one half of it.
    """
    number = np.asarray(numbers, float)
    return np.asarray(alpha * scale / ((number + scale) * (number + scale + 1)))


PAIRS_SHARE = 0.8
"""The share of alpha for the differences of pairs; the rest is for the means of players."""
PAIRS_SCALE, PLAYERS_SCALE = 3000.0, 100.0
"""How many questions get one half of their alpha, see `spent_alpha`."""

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Bounds:
    """Bounds of the means of k players and of their differences, all of which hold at once.

    Attributes:
        n_games: The number of games of each player, int[k].
        means: The mean of each player's games, float[k]; NaN without games.
        low, high: The bounds of each player's mean, float[k].
        least: The lower bound of the mean of player i minus that of player j, float[k, k].
    """

    n_games: Ints
    means: Floats
    low: Floats
    high: Floats
    least: Floats

    @property
    def better(self) -> Bools:
        """Whether player i is shown to have a higher mean than player j, bool[k, k]."""
        shown = np.asarray(self.least > 0)
        np.fill_diagonal(shown, False)
        return shown


class AnytimeOrder:
    """The bounds of players who meet in rounds.

    A bound that held after an earlier round holds for ever, so that bounds never become wider.

    Example:
        order = AnytimeOrder((0.0, 1.0))
        order.add([0, 1, 2], values)  # float[3, n]: what each of them got in n common games
        order.add([0, 3], others)
        order.bounds().better
    """

    def __init__(self, limits: tuple[float, float], alpha: float = 1 - CONFIDENCE):
        """Create an order of no players.

        Args:
            limits: The smallest and the largest possible value of a game.
            alpha: The probability that any of the bounds ever fails.
        """
        self.limits, self.alpha = limits, alpha
        self._sums = np.zeros((0, N_POWERS))
        self._pair_sums = np.zeros((0, 0, N_POWERS))
        self._pair_numbers = np.zeros((0, 0), np.int64)
        self._n_pairs = 0
        self._least = np.zeros((1, 1))  # the first player is none: its mean is 0

    def add(self, players: Sequence[int], values: Floats) -> None:
        """Add a round.

        Args:
            players: The numbers of the players, in any order; a new player has the next free number.
            values: What each player got in each game, all of them the same games, float[k, n]; higher is better.

        Raises:
            ValueError: A value is outside the limits: the bounds would not hold.
        """
        low, high = self.limits
        if not ((values >= low) & (values <= high)).all():
            raise ValueError(f"values should be from {low} to {high}, got {values.min()} to {values.max()}.")
        ids = np.asarray(players, np.int64)
        self._grow(int(ids.max(initial=-1)) + 1)
        middle = (low + high) / 2  # differences are the same; smaller numbers have smaller rounding errors
        self._sums[ids] += powers(values)
        self._pair_sums[np.ix_(ids, ids)] += pair_powers(values - middle)
        for i, j in ((i, j) for i in sorted(players) for j in sorted(players) if i < j):
            if self._pair_numbers[i, j] < 0:
                self._pair_numbers[i, j] = self._pair_numbers[j, i] = self._n_pairs
                self._n_pairs += 1
        self._tighten(ids)

    def bounds(self) -> Bounds:
        """Return the bounds from all rounds so far."""
        n_games = self._sums[:, 0]
        means = np.divide(self._sums[:, 1], n_games, out=np.full(len(n_games), np.nan), where=n_games > 0)
        least = self._least
        return Bounds(n_games.astype(np.int64), means, least[1:, 0].copy(), -least[0, 1:], least[1:, 1:].copy())

    def _tighten(self, ids: Ints) -> None:
        """Update the bounds of these players, of their differences, and all bounds that follow from these."""
        low, high = self.limits
        least = self._least
        alphas = spent_alpha(ids, (1 - PAIRS_SHARE) * self.alpha, PLAYERS_SCALE)
        lowest, highest = intervals(self._sums[ids], self.limits, alphas)
        least[ids + 1, 0] = np.maximum(least[ids + 1, 0], lowest)
        least[0, ids + 1] = np.maximum(least[0, ids + 1], -highest)
        a, b = np.nonzero(ids[:, None] != ids)
        i, j = ids[a], ids[b]
        pair_alphas = spent_alpha(self._pair_numbers[i, j], PAIRS_SHARE * self.alpha / 2, PAIRS_SCALE)
        bounds = lower_bounds(self._pair_sums[i, j], low - high, pair_alphas)
        least[i + 1, j + 1] = np.maximum(least[i + 1, j + 1], bounds)
        for between in [0, *(ids + 1)]:  # all sums of the other bounds were compared before
            np.maximum(least, least[:, [between]] + least[[between], :], out=least)

    def _grow(self, n_players: int) -> None:
        low, high = self.limits
        more = max(0, n_players - len(self._sums))
        self._sums = np.pad(self._sums, ((0, more), (0, 0)))
        self._pair_sums = np.pad(self._pair_sums, ((0, more), (0, more), (0, 0)))
        self._pair_numbers = np.pad(self._pair_numbers, ((0, more), (0, more)), constant_values=-1)
        known = len(self._least)
        self._least = np.pad(self._least, ((0, more), (0, more)), constant_values=low - high)
        self._least[known:, 0], self._least[0, known:] = low, -high
        np.fill_diagonal(self._least, 0.0)


def rank_intervals(better: Bools, players: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the first and the last possible rank of each of these players among them, int[k] each.

    Args:
        better: Whether player i is shown to be better than player j, bool[n, n].
        players: The numbers of the players who are ranked.
    """
    among = better[np.ix_(players, players)]
    return 1 + among.sum(axis=0), len(players) - among.sum(axis=1)


MAX_CELLS = 24
"""The number of budgets at which two players are compared."""


@dataclass(frozen=True)
class QuantileBounds:
    """The quantiles of k players with bounds that all hold at once.

    Attributes:
        values: The estimates, float[k]; infinite if less than the share q is won, NaN without games.
        low, high: The bounds, float[k].
    """

    values: Floats
    low: Floats
    high: Floats


@dataclass
class _Games:
    """What one player did, by the number of the round: the budgets spent and the credits, float[n] each."""

    spent: dict[int, Floats] = field(default_factory=dict)
    credit: dict[int, Floats] = field(default_factory=dict)

    def in_rounds(self, rounds: Sequence[int]) -> tuple[Floats, Floats]:
        return np.concatenate([self.spent[i] for i in rounds]), np.concatenate([self.credit[i] for i in rounds])


class AnytimeQuantiles:
    """The games from which the quantiles of players who meet in rounds are bounded and put in order."""

    def __init__(self, q: float, alpha: float = 1 - CONFIDENCE):
        """Create an order of no players.

        Args:
            q: The share of games.
            alpha: The probability that any bound or any claimed order ever fails.
        """
        self.q, self.alpha = q, alpha
        self._games: list[_Games] = []
        self._pair_numbers: dict[tuple[int, int], int] = {}
        self._n_rounds = 0

    def add(self, players: Sequence[int], spent: Floats, credit: Floats) -> None:
        """Add a round.

        Args:
            players: The numbers of the players; a new player has the next free number.
            spent: The budget that each player spent in each game, all of them the same games, float[k, n].
            credit: The credit of each game as if any budget counted, from 0 to 1, float[k, n].

        Raises:
            ValueError: A credit is outside its range: the bounds would not hold.
        """
        if not ((credit >= 0) & (credit <= 1)).all():
            raise ValueError(f"credits should be from 0 to 1, got {credit.min()} to {credit.max()}.")
        while len(self._games) <= max(players):
            self._games.append(_Games())
        for row, player in enumerate(players):
            self._games[player].spent[self._n_rounds] = np.asarray(spent[row], float)
            self._games[player].credit[self._n_rounds] = np.asarray(credit[row], float)
        for i, j in ((i, j) for i in sorted(players) for j in sorted(players) if i < j):
            self._pair_numbers.setdefault((i, j), len(self._pair_numbers))
        self._n_rounds += 1

    def bounds(self) -> QuantileBounds:
        """Return the quantiles of all players with their bounds."""
        shares = spent_alpha(np.arange(len(self._games)), (1 - PAIRS_SHARE) * self.alpha, PLAYERS_SCALE)
        rows = [self._quantile(games, alpha / 2) for games, alpha in zip(self._games, shares, strict=True)]
        values, low, high = np.array(rows).reshape(-1, 3).T
        return QuantileBounds(values, low, high)

    def _quantile(self, games: _Games, alpha: float) -> tuple[float, float, float]:
        """Return the quantile of a player and its bounds, each of which fails with probability `alpha`."""
        if not games.spent:
            return np.nan, 0.0, np.inf
        spent, credit = games.in_rounds(sorted(games.spent))
        order = np.argsort(spent, kind="stable")
        budgets, lasts = np.unique(spent[order][::-1], return_index=True)
        ends = len(spent) - 1 - lasts  # the last game within each budget
        raised = [np.cumsum(credit[order] ** power)[ends] for power in range(1, N_POWERS)]
        sums = np.stack([np.full(len(budgets), float(len(spent))), *raised], axis=-1)
        means, target = sums[:, 1] / len(spent), -np.log(alpha)
        q = np.full(len(budgets), self.q)
        above = (means > q) & (log_capital(sums, q, 0.0) >= target)
        below = (means < q) & (log_capital(negated(sums), -q, -1.0) >= target)
        n_below = int(np.flatnonzero(below).max(initial=-1)) + 1
        reached = np.flatnonzero(means >= self.q - 1e-12)
        value = float(budgets[reached[0]]) if len(reached) else np.inf
        low = float(budgets[n_below]) if n_below < len(budgets) else np.inf
        return value, min(low, value), max(value, float(budgets[above.argmax()]) if above.any() else np.inf)

    def better(self, players: Sequence[int], bounds: QuantileBounds) -> Bools:
        """Return which player i of these is shown to have a lower quantile than player j, bool[k, k].

        Args:
            players: The numbers of the players.
            bounds: Their bounds, as `bounds` returns them.
        """
        found = np.zeros((len(players), len(players)), bool)
        for a, i in enumerate(players):
            for b, j in enumerate(players):
                found[a, b] = a != b and self._is_better(i, j, bounds)
        for between in range(len(players)):
            found |= found[:, [between]] & found[[between], :]
        np.fill_diagonal(found, False)
        return found

    def _is_better(self, i: int, j: int, bounds: QuantileBounds) -> bool:
        """Return whether every budget is excluded as a quantile of player j that is at most that of player i."""
        if bounds.high[i] < bounds.low[j]:
            return True
        number = self._pair_numbers.get((min(i, j), max(i, j)))
        if number is None or not bounds.values[i] < bounds.values[j]:
            return False
        first, second = self._games[i], self._games[j]
        rounds = sorted(set(first.spent) & set(second.spent))
        (spent_i, credit_i), (spent_j, credit_j) = first.in_rounds(rounds), second.in_rounds(rounds)
        low, high = float(bounds.low[j]), min(float(bounds.high[i]), float(bounds.high[j]))
        target = -np.log(float(spent_alpha([number], PAIRS_SHARE * self.alpha / 2, PAIRS_SCALE)[0]))
        edges = _edges(np.concatenate([spent_i, spent_j]), low, high)
        won_i = [np.where(spent_i < edge, credit_i, 0) for edge in edges[:-1]]
        won_j = [np.where(spent_j < edge, credit_j, 0) for edge in edges[1:]]
        cells = sorted(zip(won_i, won_j, strict=True), key=lambda cell: float(cell[0].sum() - cell[1].sum()))
        zero = np.zeros(())
        return all(
            won.sum() > lost.sum() and log_capital(powers(won - lost), zero, -1.0) >= target for won, lost in cells
        )


def _edges(spent: Floats, low: float, high: float) -> Floats:
    """Return budgets that divide those from `low` to `high`, both included, into at most MAX_CELLS cells [a, b)."""
    inside = np.unique(np.concatenate([[low], spent[(spent >= low) & (spent <= high)]]))
    chosen = inside[np.unique(np.linspace(0, len(inside) - 1, min(MAX_CELLS, len(inside))).astype(int))]
    return np.concatenate([chosen, [np.nextafter(high, np.inf)]]) if np.isfinite(high) else np.append(chosen, np.inf)
