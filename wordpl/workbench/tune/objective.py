"""The objective of a search: the smallest budget that wins a share of all games, or the best mean."""

from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from wordpl.core.errors import UserError
from wordpl.core.game_facts import GameFacts
from wordpl.stats.compare.claims import ROUNDING, won_within
from wordpl.stats.dirichlet_means import mean_bounds, p_value
from wordpl.stats.paired_tests import quantile_test
from wordpl.workbench.goals import Goal, GoalKind
from wordpl.workbench.values import Floats, GameValues

QUANTILES = {"p05": 0.05, "p50": 0.5, "p95": 0.95}
NEVER = 1e6
"""Loss of an entry that does not win the share with any budget; it increases with the missing share."""
HALF_WIDTH = 1.96
SAFETY_ERRORS = 1.0
"""Standard errors by which the share won within a budget must exceed the required share in the search."""


@dataclass(frozen=True)
class ScoreEstimate:
    """A score with its 95% interval, whose ends may be infinite."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Objective:
    """The objective of a search.

    Attributes:
        name: Its name on the command line: p05, p50, p95, or a goal.
        q: The share of games to be won, or None for a goal.
        goal: The goal whose mean is optimised, or None for a share.
    """

    name: str
    q: float | None = None
    goal: Goal | None = None

    @classmethod
    def of(cls, name: str | None, game: GameFacts, budget: float | None, loss_cost: float) -> "Objective":
        """Return the objective with this name for a game.

        Without a name, it is p50 for noisy games without a budget, and otherwise the default goal.

        Raises:
            UserError: The objective cannot be used with these games.
        """
        usual = "p50" if game.has_epsilon and budget is None else None
        if (name or usual) in QUANTILES:
            if not game.has_epsilon:
                raise UserError(f"{name} is only for noisy games. Choose guesses or won.")
            if budget is not None:
                raise UserError(f"a budget can be used only with the goal won, not with {name}.")
            quantile = name or usual or ""
            return cls(quantile, q=QUANTILES[quantile])
        goal = Goal.of(name, game, budget, loss_cost)
        return cls(str(goal.kind), goal=goal)

    def loss(self, games: GameValues) -> float:
        """Return the loss of these games in the search; lower is better.

        The share won within a budget must exceed the required share by its standard error. Otherwise, as costs are
        discrete, entries that reach the share by luck would look best.
        """
        if self.goal is not None:
            return 1 - float(self.goal.values(games).mean())
        chances = games.chances()
        budget = self._end(games.spent, chances, -SAFETY_ERRORS)
        return budget if isfinite(budget) else NEVER * (1 + (self.q or 0) - float(chances.mean()))

    def score(self, games: GameValues) -> ScoreEstimate:
        """Return the score of these games with its 95% interval."""
        if self.goal is not None:
            values = self.goal.values(games)
            margin = HALF_WIDTH * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else inf
            low, high = sorted(self.goal.score(float(values.mean()) + side * margin) for side in (-1, 1))
            return ScoreEstimate(self.goal.score(float(values.mean())), low, high)
        chances = games.chances()
        value = self._quantile(games.spent, chances / len(games))
        return ScoreEstimate(value, *(self._end(games.spent, chances, side * HALF_WIDTH) for side in (1, -1)))

    def _quantile(self, spent: Floats, weights: Floats) -> float:
        """Return the smallest budget within which the weights add up to the share, or infinity."""
        order = np.argsort(spent, kind="stable")
        reached = np.cumsum(weights[order])
        enough = np.flatnonzero(reached >= (self.q or 0.0) * (1 - ROUNDING))
        return float(spent[order[enough[0]]]) if len(enough) else inf

    def p_better(self, tuned: GameValues, own: GameValues) -> float:
        """Return the p-value of "the first entry is not better than the second one", from games that both have played.

        Means are compared by `dirichlet_means`. If the first entry always spends the same, its quantile is lower if it
        wins the share, and the second one does not within this budget; otherwise, the games won are compared.

        Args:
            tuned: The games of the entry that was found.
            own: The games of the author's own entry with the same numbers.
        """
        if self.goal is not None:
            gaps = self.goal.values(tuned) - self.goal.values(own)
            return p_value(gaps, 0.0, -1.0) if gaps.any() else 1.0
        q, budget = self.q or 0.0, float(tuned.spent[0])
        if not np.allclose(tuned.spent, budget, rtol=1e-9):
            costs = np.array([np.where(games.won, games.spent, inf) for games in (tuned, own)])
            return float(quantile_test(costs, q)[0, 1])
        within = np.where(won_within(own.spent, budget), own.chances(), 0.0)
        return max(p_value(tuned.chances() - q, 0.0, -q), p_value(q - within, 0.0, q - 1))

    def difference(self, tuned: GameValues, own: GameValues) -> ScoreEstimate | None:
        """Return the paired difference of the scores with its 95% interval; None for quantiles, which are not means."""
        if self.goal is None:
            return None
        gaps = self.goal.values(tuned) - self.goal.values(own)
        ends = mean_bounds(gaps, -1.0, 1.0)
        low, high = sorted(self.goal.difference(end) for end in ends)
        return ScoreEstimate(self.goal.difference(float(gaps.mean())), low, high)

    def _end(self, spent: Floats, chances: Floats, n_errors: float) -> float:
        """Return the smallest budget whose share of wins plus `n_errors` standard errors reaches the share."""
        order = np.argsort(spent, kind="stable")
        n, ranked = len(spent), chances[order]
        mean = np.cumsum(ranked) / n
        error = np.sqrt(np.maximum(np.cumsum(ranked**2) / n - mean**2, 0) / max(1, n - 1))
        enough = np.flatnonzero(mean + n_errors * error >= (self.q or 0.0))
        return float(spent[order[enough[0]]]) if len(enough) else inf

    def in_words(self) -> str:
        """Return the name of the objective for titles."""
        if self.goal is not None:
            return self.goal.in_words()
        return f"{self.name}: the smallest budget that wins {100 * (self.q or 0):g} % of all games"

    def shown(self, score: float) -> str:
        """Return a score as text."""
        if not isfinite(score):
            return "∞"
        return f"{100 * score:.2f}%" if self.goal is not None and self.goal.kind == GoalKind.WON else f"{score:.3f}"


def win_share(games: GameValues) -> tuple[float, float]:
    """Return the estimated probability of winning and its standard error."""
    chances = games.chances()
    error = float(chances.std(ddof=1)) / len(chances) ** 0.5 if len(chances) > 1 else inf
    return float(chances.mean()), error
