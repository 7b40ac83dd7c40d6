"""Testing claims of the form "this entry wins a share q of all games within budget B", which records require.

A run shows a claim if the one-sided lower 95% confidence bound of P(win within B) is above q, and the number of games
was fixed before the first one.
"""

from dataclasses import dataclass

import numpy as np

from wordpl.core.intervals import binomial_quantile, proportion_interval
from wordpl.stats.scores.score import CONFIDENCE

RECORD_GAMES = 20_000
"""The number of games that a record requires; at 50 %, the lower bound is 0.6 points below the share won."""
ROUNDING = 1e-9
"""The relative excess over a budget that is allowed for rounding errors of sums of epsilons."""


@dataclass(frozen=True)
class Claim:
    """The evidence for the claim that an entry wins a share `q` of all games within `budget`.

    Attributes:
        q: The claimed share.
        budget: The budget.
        n_games: The number of games.
        n_won: The number of games won within the budget.
        low, high: The exact 95% interval of P(win within budget) by Clopper and Pearson.
        bound: The exact one-sided lower 95% bound of P(win within budget).
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
        """Whether the games show the claim; a false claim is shown by at most 5% of runs."""
        return self.bound > self.q

    @property
    def is_record(self) -> bool:
        """Whether the games show the claim, and there are enough of them for a record."""
        return self.is_shown and self.n_games >= RECORD_GAMES


def won_within(costs: np.ndarray, budget: float) -> np.ndarray:
    """Return which games were won within the budget, bool[n]; costs: infinite for lost games."""
    within: np.ndarray = np.isfinite(costs) & (costs <= budget * (1 + ROUNDING))
    return within


def judge(costs: np.ndarray, q: float, budget: float) -> Claim:
    """Return the evidence for a claim.

    Args:
        costs: The cost of each game, infinite if lost, float[n] with n > 0.
        q: The claimed share.
        budget: The budget.
    """
    n, n_won = len(costs), int(won_within(costs, budget).sum())
    low, high = proportion_interval(n_won, n, CONFIDENCE)
    bound, _ = proportion_interval(n_won, n, 2 * CONFIDENCE - 1)
    return Claim(q, budget, n, n_won, float(low), float(high), float(bound))


def shown_budget(costs: np.ndarray, q: float) -> float:
    """Return the smallest budget for which the games show the claim with share `q`; infinite if there is none.

    It is a distribution-free upper 95% confidence bound of the true quantile: the order statistic with the smallest
    rank that exceeds the number of games below the quantile in 95% of runs (David and Nagaraja, Order Statistics, 3rd
    edition, section 7.1). So the budget need not be fixed in advance, and fixing one has no advantage.
    """
    rank = binomial_quantile(CONFIDENCE, len(costs), q) + 1
    return float(np.sort(costs)[rank - 1]) if rank <= len(costs) else float("inf")
