"""Is this a record? What a number of games shows of the chance to win within a budget.

An entry scores B at quantile q if it wins a share q of all games within B. A run shows that, if the one-sided lower 95%
bound of P(win within B) is above q, on a number of games that was fixed before the first.
"""

from dataclasses import dataclass

import numpy as np

from wordpl.core.intervals import binomial_quantile, proportion_interval
from wordpl.stats.scores.score import CONFIDENCE

RECORD_GAMES = 20_000
"""The games a record takes: at 50 % their lower bound lies 0.6 points below the share won."""
ROUNDING = 1e-9
"""How much more than its budget a game may cost, as a share: epsilons that add up to it do so to the last digits."""


@dataclass(frozen=True)
class Claim:
    """What games say of "an entry wins a share `q` of all games within `budget`".

    low, high: the exact 95% interval of P(win within budget), by Clopper and Pearson
    bound: its exact one-sided lower 95% bound
    """

    q: float
    budget: float
    n_games: int
    n_won: int
    low: float
    high: float
    bound: float

    @property
    def share(self) -> float:
        """The share of games won within the budget."""
        return self.n_won / self.n_games

    @property
    def is_shown(self) -> bool:
        """Whether the games show it; an entry that does not win that often passes in at most 5% of runs."""
        return self.bound > self.q

    @property
    def is_record(self) -> bool:
        """Whether they show it and are enough for a record."""
        return self.is_shown and self.n_games >= RECORD_GAMES


def won_within(costs: np.ndarray, budget: float) -> np.ndarray:
    """Return which games were won within the budget, bool[n]; costs: infinite where lost."""
    within: np.ndarray = np.isfinite(costs) & (costs <= budget * (1 + ROUNDING))
    return within


def judge(costs: np.ndarray, q: float, budget: float) -> Claim:
    """Return what games that cost so much, infinite where lost, say of the claim; costs: float[n], n > 0."""
    n, n_won = len(costs), int(won_within(costs, budget).sum())
    low, high = proportion_interval(n_won, n, CONFIDENCE)
    bound, _ = proportion_interval(n_won, n, 2 * CONFIDENCE - 1)
    return Claim(q, budget, n, n_won, float(low), float(high), float(bound))


def shown_budget(costs: np.ndarray, q: float) -> float:
    """Return the least budget for which the games show that a share `q` is won within it; infinite if there is none.

    It is an upper 95% bound of the true quantile, whatever the distribution: the cost with the least rank that in 95%
    of runs exceeds the number of games below that quantile (David and Nagaraja, Order Statistics, 3rd edition, section
    7.1). So nobody has to name a budget beforehand, and naming one gains nothing.
    """
    rank = binomial_quantile(CONFIDENCE, len(costs), q) + 1
    return float(np.sort(costs)[rank - 1]) if rank <= len(costs) else float("inf")
