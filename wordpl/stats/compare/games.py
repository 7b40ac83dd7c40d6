"""The games that all entries have played, and resamples of them.

A resample gives each game a random weight, the same for all entries, and scores the weighted games: the Bayesian
bootstrap (D. B. Rubin, Annals of Statistics 9, 1981). The share of resamples in which one entry's score beats another's
approximates the posterior probability that it is better, under a prior that says nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from wordpl.stats.scores import LOSS_COST, Score, scores_for
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import Floats

DRAWS = 2000
BLOCK = 2_000_000
"""Weights drawn at a time; more games than this allows at once are resampled in turns."""
FEW_KINDS = 8
"""Games of a kind are drawn together where there are at least so many of a kind, on average."""


def by_entry(run: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return each entry's games, in the order of the run and of the games; only games that all entries have played."""
    names = list(run["entry"].unique())
    players = run.groupby("game")["entry"].nunique()
    common = run[run["game"].isin(players.index[players == len(names)])].sort_values("game")
    parts = {str(name): rows for name, rows in common.groupby("entry", sort=False, observed=True)}
    return {name: parts.get(name, common.iloc[:0]) for name in names}


def directed(run: pd.DataFrame, loss_cost: float = LOSS_COST) -> list[Score]:
    """Return the scores of the run's games that have a better and a worse, those whose numbers all games have."""
    scores = scores_for(str(run["measure"].iloc[0]), loss_cost)
    known = [score for score in scores if score.lower_is_better is not None]
    return [score for score in known if not np.isnan(score.per_game(run)).any()]


def worth_of(values: Floats, lower_is_better: bool | None) -> Floats:
    """Return the values so that higher is better."""
    return -values if lower_is_better else values


def resample(
    scores: Sequence[Score], values: Mapping[str, Floats], rng: np.random.Generator, draws: int = DRAWS
) -> dict[str, Floats]:
    """Return the scores of resamples of the games, float[k, draws] by the score's name.

    Args:
        scores: The scores.
        values: The numbers of k entries' same n games by the score's name, float[k, n]. Each draw takes the same games
            for all entries.
        rng: Draws the weights.
        draws: The number of resamples.
    """
    n = next(iter(values.values())).shape[1]
    parts: dict[str, list[Floats]] = {score.name: [] for score in scores}
    for weights in _weights(n, draws, rng):
        for score in scores:
            parts[score.name].append(score.resampled(values[score.name], weights))
    return {name: np.concatenate(blocks, axis=1) for name, blocks in parts.items()}


def _weights(n: int, draws: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield how much each of n games counts in each resample, float[n, part of the draws] at a time."""
    width = max(1, min(draws, BLOCK // n))
    for start in range(0, draws, width):
        drawn = rng.standard_exponential((min(width, draws - start), n))
        drawn *= n / drawn.sum(axis=1, keepdims=True)
        yield drawn.T


def resampled_quantiles(
    costs: Floats, scores: Sequence[QuantileScore], rng: np.random.Generator, draws: int = DRAWS
) -> Floats:
    """Return quantiles of resamples of the games as `resample` does, float[number of scores, k, draws].

    Games that cost each entry the same get one weight together where that makes few kinds of games out of tens of
    thousands, as where entries spend a fixed budget.

    Args:
        costs: float[k, n].
        scores: The quantiles.
        rng: Draws the weights.
        draws: The number of resamples.
    """
    kinds, n_of_kind = np.unique(costs, axis=1, return_counts=True)
    n = costs.shape[1]
    if FEW_KINDS * len(n_of_kind) > n:
        return np.array(list(resample(scores, {score.name: costs for score in scores}, rng, draws).values()))
    width = max(1, min(draws, BLOCK // len(n_of_kind)))
    order = np.argsort(kinds, axis=1)
    ranked = np.take_along_axis(kinds, order, axis=1)
    redrawn = np.empty((len(scores), len(costs), draws))
    for start in range(0, draws, width):
        here = slice(start, min(start + width, draws))
        drawn = rng.standard_gamma(n_of_kind.astype(float), (here.stop - start, len(n_of_kind)))
        weights = (drawn / drawn.sum(axis=1, keepdims=True)).T
        for entry in range(len(costs)):
            reached = np.cumsum(weights[order[entry]], axis=0)
            for number, score in enumerate(scores):
                position = (reached < score.q * (1 - 1e-9)).sum(axis=0)
                redrawn[number, entry, here] = ranked[entry][np.minimum(position, len(n_of_kind) - 1)]
    return redrawn
