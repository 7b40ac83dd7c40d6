"""Anytime-valid bounds of means and quantiles, and the order of players that follows from them.

They hold at all times at once, whatever decides about the next games.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import inf, nextafter

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
    n, s1, s2, s3, s4 = (sums[..., power] for power in range(N_POWERS))
    room = mean - low
    moments = np.empty((N_POWERS - 1, *np.broadcast_shapes(n.shape, np.shape(mean))))
    moments[0] = (s1 - n * mean) / room
    moments[1] = (s2 - 2 * mean * s1 + n * mean**2) / room**2
    moments[2] = (s3 - 3 * mean * s2 + 3 * mean**2 * s1 - n * mean**3) / room**3
    moments[3] = (s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 4 * mean**3 * s1 + n * mean**4) / room**4
    factors = _FACTORS if bets is BETS else _factors(bets)
    logs = np.dot(factors, moments.reshape(len(moments), -1)).reshape(len(bets), *moments.shape[1:])
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).mean(axis=0)))


def _factors(bets: Floats) -> Floats:
    """Return what the moments of a game are multiplied by for each share of the capital, float[n, 4]."""
    last = np.log1p(-bets) + bets + bets**2 / 2 + bets**3 / 3
    return np.stack([bets, -(bets**2) / 2, bets**3 / 3, last], axis=-1)


_FACTORS = _factors(BETS)


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
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(BISECTIONS):
            middle = (found + above) / 2
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


CHANGE_ALPHA = 1 - 0.99
"""The probability that any player of a season who never changes is called changed."""
SPLITS_SCALE = 20.0
"""How many possible times of a change get one half of their alpha, see `spent_alpha`."""
MEAN_CELLS = 64
"""The number of ranges of means in which the mean of a player who has not changed is looked for."""
EXACT_DIGITS = 12
"""The digits to which means that are known are rounded, as sums of the same numbers in another order differ."""
POSITIVE = 1e-9
"""The gain of a cycle of bounds above which it is no rounding error."""


def change_evidence(sums: Floats) -> tuple[float, int]:
    """Return the log evidence that the mean has changed before the newest round, and the rounds before the change.

    For each mean m, a gambler bets on "above m" until some round and on "below m" after it, or the other way round, and
    keeps half of the capital before each of both. If all games have the same mean, the gambler of this mean becomes
    1 / alpha times as rich with a probability of at most alpha, at any time, and the smallest capital of all m is not
    larger. A range of means has the capital of its worse end in each part, as capitals are monotone in m.

    Args:
        sums: The power sums of the values, from 0 to 1, of each round of a player, float[n, 5].
    """
    if len(sums) < 2:
        return 0.0, 0
    before = np.cumsum(sums, axis=0)[:-1]
    after = before[-1] + sums[-1] - before
    weights = np.log(spent_alpha(np.arange(len(before)), 0.5, SPLITS_SCALE))
    shift = np.sqrt(shifts(sums))
    tried = np.flatnonzero(shift**2 / 2 + weights > 0)  # others have no evidence
    if not len(tried):
        return 0.0, 0
    before, after = before[tried, None], after[tried, None]
    ends = np.sort(np.concatenate([before[..., 1] / before[..., 0], after[..., 1] / after[..., 0]], axis=1), axis=1)
    means = ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * np.linspace(0, 1, MEAN_CELLS + 1)
    low, high = means[:, :-1], means[:, 1:]
    has_fallen = before[..., 1] / before[..., 0] > after[..., 1] / after[..., 0]
    above, below = np.where(has_fallen[..., None], before, after), np.where(has_fallen[..., None], after, before)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        capital = _kept(log_capital(above, high, 0.0)) + _kept(log_capital(negated(below), -low, -1.0))
    evidence = np.nan_to_num(capital, nan=0.0).min(axis=1) + weights[tried]
    best = int(evidence.argmax())
    return float(evidence[best]), int(tried[best]) + 1


def _kept(log_capitals: Floats) -> Floats:
    """Return the log of the capital of who bets only one half of it."""
    return np.asarray(np.logaddexp(0.0, log_capitals) - np.log(2))


def shifts(sums: Floats) -> Floats:
    """Return the squared difference of means before and after each round but the last, in standard errors, float[n-1].

    Args:
        sums: The power sums of the values of each round of a player, float[n, 5].
    """
    total = np.cumsum(sums, axis=0)
    first, second = total[:-1], total[-1] - total[:-1]
    variance = max(0.0, total[-1, 2] / total[-1, 0] - (total[-1, 1] / total[-1, 0]) ** 2)
    gap = first[:, 1] / first[:, 0] - second[:, 1] / second[:, 0]
    squares = variance * (1 / first[:, 0] + 1 / second[:, 0])
    return np.asarray(np.divide(gap**2, squares, out=np.zeros(len(gap)), where=squares > 0))


@dataclass(frozen=True)
class Contradiction:
    """Bounds that cannot all be right: one of the players must have changed.

    Attributes:
        player: The one whose own rounds agree least. Only its own games bound it, and it bounds nobody else.
        others: The other players whose bounds contradict each other.
    """

    player: int
    others: tuple[int, ...]


@dataclass(frozen=True)
class Bounds:
    """Bounds of the means of k players and of their differences, all of which hold at once.

    Attributes:
        n_games: The number of games of each player, int[k].
        means: The mean of each player's games, float[k]; NaN without games.
        low, high: The bounds of each player's mean, float[k].
        least: The lower bound of the mean of player i minus that of player j, float[k, k].
        contradictions: Which players' games exclude that all means are constant.
    """

    n_games: Ints
    means: Floats
    low: Floats
    high: Floats
    least: Floats
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def better(self) -> Bools:
        """Whether player i is shown to have a higher mean than player j, bool[k, k]."""
        shown = np.asarray(self.least > 0)
        np.fill_diagonal(shown, False)
        return shown


class AnytimeOrder:
    """The bounds of players who meet in rounds.

    All games of a player pool: if a player changes without being noticed, its bounds are about the mean of its games.

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
        self._rounds: list[list[Floats]] = []
        self._pair_sums = np.zeros((0, 0, N_POWERS))
        self._pair_numbers = np.zeros((0, 0), np.int64)
        self._n_pairs = 0

    def add(self, players: Sequence[int], values: Floats, counted: Sequence[bool] | None = None) -> None:
        """Add a round.

        Args:
            players: The numbers of the players, in any order; a new player has the next free number.
            values: What each player got in each game, all of them the same games, float[k, n]; higher is better.
            counted: Whether each player's games count; those of others bound nothing, and their questions were asked.

        Raises:
            ValueError: A value is outside the limits: the bounds would not hold.
        """
        low, high = self.limits
        if not ((values >= low) & (values <= high)).all():
            raise ValueError(f"values should be from {low} to {high}, got {values.min()} to {values.max()}.")
        ids = np.asarray(players, np.int64)
        self._grow(int(ids.max(initial=-1)) + 1)
        for i, j in ((i, j) for i in sorted(players) for j in sorted(players) if i < j):
            if self._pair_numbers[i, j] < 0:
                self._pair_numbers[i, j] = self._pair_numbers[j, i] = self._n_pairs
                self._n_pairs += 1
        if counted is not None:
            ids, values = ids[np.asarray(counted)], values[np.asarray(counted)]
        middle = (low + high) / 2  # differences are the same; smaller numbers have smaller rounding errors
        sums = powers(values)
        self._sums[ids] += sums
        self._pair_sums[np.ix_(ids, ids)] += pair_powers(values - middle)
        for player, own in zip(ids, sums, strict=True):
            self._rounds[player].append(own)

    def bounds(self, alone: Collection[int] = (), exact: Collection[int] = ()) -> Bounds:
        """Return the bounds from all rounds so far.

        A bound of i - k and one of k - j give one of i - j. A sum of bounds that hold is at most the true difference,
        which is 0 from a player to itself; so no cycle of them gains, unless a bound fails or a player has changed.

        In rounds that play each answer once, the games of a player who draws are no sample of one distribution. Their
        bounds hold, too: the capital that a round can be expected to multiply is a product over answers, which by the
        means of its factors is at most that of equal answers.

        Args:
            alone: The players whom only their own games bound, and who bound nobody else: those who have changed.
            exact: The players whose mean is known, as they play every answer in the same way each time.
        """
        low, high = self.limits
        k, n_games = len(self._sums), self._sums[:, 0]
        means = np.divide(self._sums[:, 1], n_games, out=np.full(k, np.nan), where=n_games > 0)
        alphas = spent_alpha(np.arange(k), (1 - PAIRS_SHARE) * self.alpha, PLAYERS_SCALE)
        direct = np.full((k + 1, k + 1), low - high)  # the first player is none: its mean is 0
        np.fill_diagonal(direct, 0.0)
        lowest, highest = intervals(self._sums, self.limits, alphas)
        known = sorted(exact)
        means[known] = lowest[known] = highest[known] = means[known].round(EXACT_DIGITS)
        direct[1:, 0], direct[0, 1:] = lowest, -highest
        i, j = np.nonzero((self._pair_sums[..., 0] > 0) & ~np.eye(k, dtype=bool))
        pair_alphas = spent_alpha(self._pair_numbers[i, j], PAIRS_SHARE * self.alpha / 2, PAIRS_SCALE)
        direct[i + 1, j + 1] = lower_bounds(self._pair_sums[i, j], low - high, pair_alphas)
        left, contradictions = set(range(k)) - set(alone), []
        while True:
            own = np.array([True, *(player in left for player in range(k))])
            used = np.where(own[:, None] & own, direct, low - high)
            used[:, 0], used[0] = direct[:, 0], direct[0]
            np.fill_diagonal(used, 0.0)
            least, cycle = longest_paths(used)
            if not cycle:
                break
            players = sorted({node - 1 for node in cycle} & left)
            changed = max(players, key=lambda player: (self._unsteadiness(player), -player))
            left.discard(changed)
            contradictions.append(Contradiction(changed, tuple(other for other in players if other != changed)))
        return Bounds(n_games.astype(np.int64), means, least[1:, 0].copy(), -least[0, 1:], least[1:, 1:].copy(),
                      tuple(contradictions))  # fmt: skip

    def _unsteadiness(self, player: int) -> float:
        return float(shifts(np.array(self._rounds[player])).max(initial=0.0))

    def _grow(self, n_players: int) -> None:
        more = max(0, n_players - len(self._sums))
        self._sums = np.pad(self._sums, ((0, more), (0, 0)))
        self._rounds += [[] for _ in range(more)]
        self._pair_sums = np.pad(self._pair_sums, ((0, more), (0, more), (0, 0)))
        self._pair_numbers = np.pad(self._pair_numbers, ((0, more), (0, more)), constant_values=-1)


def longest_paths(gains: Floats) -> tuple[Floats, list[int]]:
    """Return the largest sum of gains on any path between two nodes, float[k, k], and no cycle; or a cycle that gains.

    R. W. Floyd, Communications of the ACM 5 (1962). It stops at the first cycle with a positive gain, along which sums
    would grow without limit.

    Args:
        gains: The gain of each step, float[k, k]; the diagonal is 0.
    """
    best, following = gains.copy(), np.tile(np.arange(len(gains)), (len(gains), 1))
    for between in range(len(gains)):
        through = best[:, [between]] + best[[between], :]
        is_better = through > best
        best = np.where(is_better, through, best)
        following = np.where(is_better, following[:, [between]], following)
        start = int(np.diag(best).argmax())
        if best[start, start] > POSITIVE:
            cycle, node = [start], int(following[start, start])
            while node != start and len(cycle) <= len(gains):
                cycle.append(node)
                node = int(following[node, start])
            return gains, cycle
    return best, []


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

    def add(self, players: Sequence[int], spent: Floats, credit: Floats, counted: Sequence[bool] | None = None) -> None:
        """Add a round.

        Args:
            players: The numbers of the players; a new player has the next free number.
            spent: The budget that each player spent in each game, all of them the same games, float[k, n].
            credit: The credit of each game as if any budget counted, from 0 to 1, float[k, n].
            counted: Whether each player's games count, as for `AnytimeOrder.add`.

        Raises:
            ValueError: A credit is outside its range: the bounds would not hold.
        """
        if not ((credit >= 0) & (credit <= 1)).all():
            raise ValueError(f"credits should be from 0 to 1, got {credit.min()} to {credit.max()}.")
        while len(self._games) <= max(players):
            self._games.append(_Games())
        for row, player in enumerate(players):
            if counted is not None and not counted[row]:
                continue
            self._games[player].spent[self._n_rounds] = np.asarray(spent[row], float)
            self._games[player].credit[self._n_rounds] = np.asarray(credit[row], float)
        for i, j in ((i, j) for i in sorted(players) for j in sorted(players) if i < j):
            self._pair_numbers.setdefault((i, j), len(self._pair_numbers))
        self._n_rounds += 1

    def bounds(self, exact: Collection[int] = ()) -> QuantileBounds:
        """Return the quantiles of all players with their bounds; those of `exact` ones are known."""
        shares = spent_alpha(np.arange(len(self._games)), (1 - PAIRS_SHARE) * self.alpha, PLAYERS_SCALE)
        rows = [self._quantile(games, alpha / 2) for games, alpha in zip(self._games, shares, strict=True)]
        values, low, high = np.array(rows).reshape(-1, 3).T
        known = sorted(exact)
        low[known] = high[known] = values[known]
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

    def better(
        self, players: Sequence[int], bounds: QuantileBounds, alone: Collection[int] = ()
    ) -> tuple[Bools, tuple[Contradiction, ...]]:
        """Return which player i of these is shown to have a lower quantile than player j, bool[k, k].

        An order that would contradict itself is a `Contradiction`: then only its own games bound the player of it whose
        rounds agree least.

        Args:
            players: The numbers of the players.
            bounds: Their bounds, as `bounds` returns them.
            alone: The players whom only their own games bound, and who bound nobody else: those who have changed.
        """
        apart = bounds.high[list(players)][:, None] < bounds.low[list(players)]
        left = set(players) - set(alone)
        contradictions: list[Contradiction] = []
        paired = np.array([[i != j and i in left and j in left and self._is_better(i, j, bounds) for j in players]
                           for i in players], bool).reshape(apart.shape)  # fmt: skip
        while True:
            own = np.array([player in left for player in players], bool)
            found = apart | (paired & own[:, None] & own)
            for between in np.flatnonzero(own):
                found |= found[:, [between]] & found[[between], :]
            cycle = [player for player, is_in in zip(players, np.diag(found), strict=True) if is_in]
            if not cycle:
                return found, tuple(contradictions)
            changed = max(cycle, key=lambda player: (self._unsteadiness(player, bounds), -player))
            left.discard(changed)
            contradictions.append(Contradiction(changed, tuple(other for other in cycle if other != changed)))

    def _unsteadiness(self, player: int, bounds: QuantileBounds) -> float:
        games, budget = self._games[player], bounds.values[player]
        won = [np.where(games.spent[i] <= budget, games.credit[i], 0.0) for i in sorted(games.spent)]
        return float(shifts(np.array([powers(values) for values in won])).max(initial=0.0))

    def _is_better(self, i: int, j: int, bounds: QuantileBounds) -> bool:
        """Return whether common games exclude each budget as a quantile of player j that is not above that of i."""
        first, second = self._games[i], self._games[j]
        rounds = sorted(set(first.spent) & set(second.spent))
        if not rounds or not bounds.values[i] < bounds.values[j]:
            return False
        number = self._pair_numbers[min(i, j), max(i, j)]
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
    return np.append(chosen, nextafter(high, inf))
