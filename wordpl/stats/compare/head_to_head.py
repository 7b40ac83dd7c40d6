"""One claim, held against each entry of a run: by all its games, and by its games read one after the other."""

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
    """What an entry's games say of a claim; reading: of P(win within the budget) > q, None without an order of play."""

    name: str
    claim: Claim
    reading: SequentialTestResult | None


@dataclass(frozen=True)
class HeadToHead:
    """What the same games say of an entry and a rival.

    pairs: the entry first, games won within the claim's budget; reading: of "the entry wins more often"
    margin_chance: the probability that the entry's score is at least 5 % below the rival's
    """

    rival: str
    pairs: Pairs
    reading: SequentialTestResult | None
    margin_chance: float


def judgements(run: pd.DataFrame, q: float, budget: float, order: Sequence[int] | None) -> list[Judgement]:
    """Return what each entry's games say of "a share `q` of all games is won within `budget`".

    run: rows of `run_records.load_run` of one noisy game. order: of play; None where it is not known
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
    """Return what the games say of `entry` beside each other one, each pair on the games that both have played.

    run, order: as in `judgements`; claim: the quantile and the budget; rng: draws the resamples
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
