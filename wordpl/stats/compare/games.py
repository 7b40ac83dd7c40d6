"""The games that all entries have played, and resamples of these games.

Resampling is the Bayesian bootstrap (D. B. Rubin, Annals of Statistics 9, 1981): each game gets a random weight, the
same for all entries, and the weighted games are scored. The share of resamples in which one entry has a better score
than another approximates the posterior probability that it is better, under a noninformative prior.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from wordpl.run.frame import rows_by
from wordpl.stats.scores import LOSS_COST, Score, facts_of, scores_for
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import Floats

DRAWS = 2000
WEIGHTS_PER_BLOCK = 2_000_000
"""The maximum number of weights in memory; with many games, resamples are drawn in blocks."""
MIN_GAMES_PER_KIND = 8
"""The mean number of games with equal costs from which such games share a weight."""


def by_entry(run: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return each entry's games by name, sorted by game; only games that all entries have played."""
    parts = rows_by(run, "entry")
    numbers = [rows["game"].to_numpy() for rows in parts.values()]
    if numbers and (np.diff(numbers[0]) > 0).all() and all(np.array_equal(numbers[0], other) for other in numbers):
        return parts
    names = list(parts)
    players = run.groupby("game")["entry"].nunique()
    common = run[run["game"].isin(players.index[players == len(names)])].sort_values("game")
    parts = rows_by(common.sort_values("entry", kind="stable"), "entry")
    return {name: parts.get(name, common.iloc[:0]) for name in names}


def comparable_scores(run: pd.DataFrame, loss_cost: float = LOSS_COST) -> list[Score]:
    """Return the scores of the run's games that have a direction and a value for every game."""
    scores = scores_for(facts_of(run), loss_cost)
    directed = [score for score in scores if score.lower_is_better is not None]
    return [score for score in directed if not np.isnan(score.per_game(run)).any()]


def higher_is_better(values: Floats, lower_is_better: bool | None) -> Floats:
    """Return the values with the sign for which higher is better."""
    return -values if lower_is_better else values


def resample(
    scores: Sequence[Score], values: Mapping[str, Floats], rng: np.random.Generator, draws: int = DRAWS
) -> dict[str, Floats]:
    """Return the scores of k entries in resamples of the games, float[k, draws], by the name of the score.

    Args:
        values: The value of each game by the name of the score, float[k, n]. A resample has the same weights for all
            entries.
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
    """Yield blocks of weights of n games, float[n, number of resamples in the block]."""
    width = max(1, min(draws, WEIGHTS_PER_BLOCK // n))
    for start in range(0, draws, width):
        drawn = rng.standard_exponential((min(width, draws - start), n))
        drawn *= n / drawn.sum(axis=1, keepdims=True)
        yield drawn.T


def resampled_quantiles(
    costs: Floats, scores: Sequence[QuantileScore], rng: np.random.Generator, draws: int = DRAWS
) -> Floats:
    """Return quantiles in resamples of the games, float[number of scores, k, draws]; see `resample`.

    If there are many games with equal costs for each entry, as when entries spend a fixed budget, such games share one
    weight, which is much faster.

    Args:
        costs: The cost of each game, float[k, n].
        scores: The quantiles.
        rng: Draws the weights.
        draws: The number of resamples.
    """
    kinds, n_of_kind = np.unique(costs, axis=1, return_counts=True)
    n = costs.shape[1]
    if MIN_GAMES_PER_KIND * len(n_of_kind) > n:
        return np.array(list(resample(scores, {score.name: costs for score in scores}, rng, draws).values()))
    width = max(1, min(draws, WEIGHTS_PER_BLOCK // len(n_of_kind)))
    order = np.argsort(kinds, axis=1)
    ranked = np.take_along_axis(kinds, order, axis=1)
    redrawn = np.empty((len(scores), len(costs), draws))
    for start in range(0, draws, width):
        block = slice(start, min(start + width, draws))
        drawn = rng.standard_gamma(n_of_kind.astype(float), (block.stop - start, len(n_of_kind)))
        weights = (drawn / drawn.sum(axis=1, keepdims=True)).T
        for entry in range(len(costs)):
            reached = np.cumsum(weights[order[entry]], axis=0)
            for number, score in enumerate(scores):
                position = (reached < score.q * (1 - 1e-9)).sum(axis=0)
                redrawn[number, entry, block] = ranked[entry][np.minimum(position, len(n_of_kind) - 1)]
    return redrawn
