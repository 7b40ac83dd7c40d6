"""Testing a claim for each entry of a run, with all its games and sequentially, and comparing entries in pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.stats.compare.claims import Claim, judge, won_within
from wordpl.stats.compare.games import resampled_quantiles
from wordpl.stats.compare.pairs import Pairs, pairs
from wordpl.stats.compare.record_rows import MARGIN, quantiles, share_lower
from wordpl.stats.compare.sequential import SequentialTestResult, in_order, sequential_pair_test, sequential_test


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


def judgements(run: pd.DataFrame, q: float, budget: float, order: Sequence[int] | None) -> list[Judgement]:
    """Return the evidence of each entry's games for the claim that it wins a share `q` of games within `budget`.

    Args:
        run: Rows of `load_run` of one noisy game.
        q: The claimed share.
        budget: The budget.
        order: The numbers of the games in the order of play; None if it is unknown.
    """
    found = []
    for name, games in run.groupby("entry", sort=False, observed=True):
        costs = games.set_index("game")["cost"]
        reading = None if order is None else sequential_test(won_within(_in_order(costs, order), budget), q)
        found.append(Judgement(str(name), judge(costs.to_numpy(float), q, budget), reading))
    return found


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
    found = []
    for other in (str(name) for name in run["entry"].unique() if name != entry):
        both = costs[[entry, other]].dropna()
        if both.empty:
            continue
        first, second = won_within(both.to_numpy().T, budget)
        reading = None if order is None else sequential_pair_test(*won_within(_in_order(both, order).T, budget))
        (redrawn,) = resampled_quantiles(both.to_numpy().T, [score], rng)
        found.append(HeadToHead(other, pairs(first, second), reading, share_lower(redrawn[0], redrawn[1], MARGIN)))
    return found


def _in_order(costs: pd.Series | pd.DataFrame, order: Sequence[int]) -> np.ndarray:
    return costs.loc[in_order(costs.index, order)].to_numpy(float)
