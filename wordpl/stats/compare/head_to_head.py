"""Exact comparisons of entries in pairs, and tests of a claim for each entry, with all its games and sequentially."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.stats.compare.claims import MARGIN, Claim, judge, quantiles, share_lower, won_within
from wordpl.stats.compare.games import resampled_quantiles
from wordpl.stats.compare.sequential import (
    SequentialTestResult,
    in_order,
    sequential_mean_test,
    sequential_pair_test,
    sequential_test,
)
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.scores.score import CONFIDENCE


@dataclass(frozen=True)
class Pairs:
    """A paired comparison of the wins of two entries.

    Attributes:
        n_games: The number of games.
        only_first, only_second: The numbers of games that only one of them has won.
        p_value: The two-sided p-value of McNemar's exact test.
        low, high: The 95% interval of the difference between the shares of games won.
    """

    n_games: int
    only_first: int
    only_second: int
    p_value: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """The first entry's share of games won minus the second one's."""
        return (self.only_first - self.only_second) / self.n_games


def pairs(first: np.ndarray, second: np.ndarray) -> Pairs:
    """Compare the wins of two entries.

    The interval is that of Bonett and Price (Journal of Educational and Behavioral Statistics 37, 2012): Wald's, after
    adding one game that only the first entry has won, and one that only the second has won.

    Args:
        first: Whether the first entry has won each game, bool[n] with n > 0.
        second: Whether the second entry has won it, bool[n].
    """
    from scipy.special import bdtr, ndtri  # slow to import

    n, only_first, only_second = len(first), int((first & ~second).sum()), int((second & ~first).sum())
    discordant = only_first + only_second
    share, lead = (discordant + 2) / (n + 2), (only_first - only_second) / (n + 2)
    margin = ndtri((1 + CONFIDENCE) / 2) * np.sqrt((share - lead**2) / (n + 2))
    p_value = min(1.0, 2 * bdtr(min(only_first, only_second), discordant, 0.5))
    low, high = max(-1.0, lead - margin), min(1.0, lead + margin)
    return Pairs(n, only_first, only_second, float(p_value), float(low), float(high))


@dataclass(frozen=True)
class Judgement:
    """The evidence of an entry's games for a claim.

    Attributes:
        name: The name of the entry.
        claim: The evidence of all games.
        reading: The sequential test of P(win within the budget) > q; None if the order of play is unknown.
    """

    name: str
    claim: Claim
    reading: SequentialTestResult | None


@dataclass(frozen=True)
class HeadToHead:
    """A comparison of an entry with a rival on the same games.

    Attributes:
        rival: The name of the rival.
        pairs: The comparison of games won within the claim's budget, with the entry first.
        reading: The sequential test of whether the entry wins more often; None if the order of play is unknown.
        margin_chance: The probability that the entry's score is at least 5 % below the rival's.
    """

    rival: str
    pairs: Pairs
    reading: SequentialTestResult | None
    margin_chance: float


def judgements(
    run: pd.DataFrame,
    q: float,
    budget: float,
    order: Sequence[int] | None,
    luck: Mapping[str, LuckCorrected] | None = None,
) -> list[Judgement]:
    """Return the evidence of each entry's games for the claim that it wins a share `q` of games within `budget`.

    Args:
        run: Rows of `load_run` of one noisy game.
        q: The claimed share.
        budget: The budget.
        order: The numbers of the games in the order of play; None if it is unknown.
        luck: The games of each entry without most of the luck, by its name; None: wins are counted. It counts for
            entries that always spend the budget, because only they have declared it before the first game.
    """
    results = []
    for name, games in run.groupby("entry", sort=False, observed=True):
        costs = games.set_index("game")["cost"].sort_index()
        corrected = None if luck is None else luck[str(name)].of_games(costs.index.to_numpy())
        if corrected is not None and not corrected.always_pays(budget):
            corrected = None  # the budget may have been chosen by looking at the games
        reading = None if order is None else _reading(costs, corrected, (q, budget), order)
        results.append(Judgement(str(name), judge(costs.to_numpy(float), q, budget, corrected), reading))
    return results


def _reading(
    costs: pd.Series, corrected: LuckCorrected | None, claim: tuple[float, float], order: Sequence[int]
) -> SequentialTestResult:
    q, budget = claim
    if corrected is None:
        return sequential_test(won_within(_in_order(costs, order), budget), q)
    values, low = corrected.bounded_wins(budget)
    return sequential_mean_test(_in_order(pd.Series(values, costs.index), order), q, (low, 1.0))


def head_to_heads(
    run: pd.DataFrame, entry: str, claim: tuple[float, float], order: Sequence[int] | None, rng: np.random.Generator
) -> list[HeadToHead]:
    """Compare an entry with each other one, on the games that both have played.

    Args:
        run: Rows of `load_run` of one noisy game.
        entry: The name of the entry.
        claim: The quantile and the budget.
        order: The numbers of the games in the order of play; None if it is unknown.
        rng: Draws the resamples.
    """
    q, budget = claim
    score = next(score for score in quantiles(run) if score.q == q)
    costs = run.pivot(index="game", columns="entry", values="cost")
    comparisons = []
    for other in (str(name) for name in run["entry"].unique() if name != entry):
        shared = costs[[entry, other]].dropna()
        if shared.empty:
            continue
        first, second = won_within(shared.to_numpy().T, budget)
        reading = None if order is None else sequential_pair_test(*won_within(_in_order(shared, order).T, budget))
        (redrawn,) = resampled_quantiles(shared.to_numpy().T, [score], rng)
        margin_chance = share_lower(redrawn[0], redrawn[1], MARGIN)
        comparisons.append(HeadToHead(other, pairs(first, second), reading, margin_chance))
    return comparisons


def _in_order(costs: pd.Series | pd.DataFrame, order: Sequence[int]) -> np.ndarray:
    return costs.loc[in_order(costs.index, order)].to_numpy(float)
