"""Anytime-valid bounds and the order of quantiles: the budget within which a share q of all games is won.

F(B) is the probability of winning within B. It is estimated by the mean of a game's credit, such as the posterior of
its answer, counted if the game spent at most B. The quantile Q is the smallest B with F(B) >= q. So a bound of Q needs
only one test of a mean, the one at B = Q, although it is not known which B that is: all B that are rejected are below,
or all above.

If player i is not better than player j, then Q_i >= Q_j, and at B = Q_j the share that i wins with less than B is at
most q, while j wins at least q within B. So i is better if each B is excluded: by the bounds of Q_j, by those of Q_i,
or because i wins more with less than B than j does within B, on the games that both have played. Between two budgets
of a grid, what i wins below the first one and j below the second one decides; a fine grid only makes this sharper.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wordpl.stats import anytime_means
from wordpl.stats.anytime_order import PAIRS_SCALE, PAIRS_SHARE, PLAYERS_SCALE, Bools
from wordpl.stats.scores.score import CONFIDENCE, Floats

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
        shares = anytime_means.spent_alpha(np.arange(len(self._games)), (1 - PAIRS_SHARE) * self.alpha, PLAYERS_SCALE)
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
        raised = [np.cumsum(credit[order] ** power)[ends] for power in range(1, anytime_means.N_POWERS)]
        sums = np.stack([np.full(len(budgets), float(len(spent))), *raised], axis=-1)
        means, target = sums[:, 1] / len(spent), -np.log(alpha)
        q = np.full(len(budgets), self.q)
        above = (means > q) & (anytime_means.log_capital(sums, q, 0.0) >= target)
        below = (means < q) & (anytime_means.log_capital(anytime_means.negated(sums), -q, -1.0) >= target)
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
        target = -np.log(float(anytime_means.spent_alpha([number], PAIRS_SHARE * self.alpha / 2, PAIRS_SCALE)[0]))
        edges = _edges(np.concatenate([spent_i, spent_j]), low, high)
        won_i = [np.where(spent_i < edge, credit_i, 0) for edge in edges[:-1]]
        won_j = [np.where(spent_j < edge, credit_j, 0) for edge in edges[1:]]
        cells = sorted(zip(won_i, won_j, strict=True), key=lambda cell: float(cell[0].sum() - cell[1].sum()))
        zero = np.zeros(())
        return all(
            won.sum() > lost.sum() and anytime_means.log_capital(anytime_means.powers(won - lost), zero, -1.0) >= target
            for won, lost in cells
        )


def _edges(spent: Floats, low: float, high: float) -> Floats:
    """Return budgets that divide those from `low` to `high`, both included, into at most MAX_CELLS cells [a, b)."""
    inside = np.unique(np.concatenate([[low], spent[(spent >= low) & (spent <= high)]]))
    chosen = inside[np.unique(np.linspace(0, len(inside) - 1, min(MAX_CELLS, len(inside))).astype(int))]
    return np.concatenate([chosen, [np.nextafter(high, np.inf)]]) if np.isfinite(high) else np.append(chosen, np.inf)
