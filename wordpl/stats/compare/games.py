"""The games that all entries have played, and resamples of them.

The bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13) draws games with replacement, the
same for all entries, and looks how often one entry's score beats the other's.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from wordpl.stats.scores import Score, scores_for
from wordpl.stats.scores.quantiles import Quantile

DRAWS = 2000
BLOCK = 1_000_000
"""Games drawn at a time."""
BLOCKS_HELD = 4
"""Blocks whose counts are held, and scored, at a time: more games than this allows at once are resampled in turns."""
CACHED = 1 << 14
"""Counts that stay in a processor's cache."""
FEW_KINDS = 8
"""Games of a kind are drawn together where there are at least so many of a kind, on average."""


def by_entry(run: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return each entry's games, in the order of the run and of the games; only games that all entries have played."""
    names = list(run["entry"].unique())
    players = run.groupby("game")["entry"].nunique()
    common = run[run["game"].isin(players.index[players == len(names)])].sort_values("game")
    return {name: common[common["entry"] == name] for name in names}


def directed(run: pd.DataFrame) -> list[Score]:
    """Return the scores of the run's games that have a better and a worse."""
    return [score for score in scores_for(run["measure"].iloc[0]) if score.lower_is_better is not None]


def worth_of(values: np.ndarray, lower_is_better: bool | None) -> np.ndarray:
    """Return the values so that higher is better."""
    return -values if lower_is_better else values


def resample(
    scores: Sequence[Score], values: dict[str, np.ndarray], rng: np.random.Generator, draws: int = DRAWS
) -> dict[str, np.ndarray]:
    """Return the scores of bootstrap resamples of the games, float[k, draws] by the score's name.

    values: float[k, n] by the score's name, k entries' numbers of the same n games. Each draw takes the same games for
    all.
    """
    n = next(iter(values.values())).shape[1]
    parts: dict[str, list[np.ndarray]] = {score.name: [] for score in scores}
    for counts in _counts(n, draws, rng):
        for score in scores:
            parts[score.name].append(score.resampled(values[score.name], counts))
    return {name: np.concatenate(blocks, axis=1) for name, blocks in parts.items()}


def _counts(n: int, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield how often each of n games stands in each resample, float[n, part of the draws] at a time."""
    width = max(1, min(draws, BLOCK // n))
    starts = range(0, draws, width)
    for first in range(0, len(starts), BLOCKS_HELD):
        blocks = [_block(n, min(width, draws - start), rng) for start in starts[first : first + BLOCKS_HELD]]
        yield np.concatenate(blocks).T


def _block(n: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each of n games stands in each resample, float[draws, n]: counted while it is in the cache."""
    drawn, counts = rng.integers(0, n, size=(n, draws)).T, np.empty((draws, n))
    side = max(1, CACHED // n)
    for start in range(0, draws, side):
        games = drawn[start : start + side]
        bins = games + n * np.arange(len(games))[:, None]
        counts[start : start + side] = np.bincount(bins.ravel(), minlength=bins.size).reshape(games.shape)
    return counts


def resampled_quantiles(
    costs: np.ndarray, scores: Sequence[Quantile], rng: np.random.Generator, draws: int = DRAWS
) -> np.ndarray:
    """Return quantiles of bootstrap resamples of the games as `resample` does, float[number of scores, k, draws].

    costs: float[k, n]. Games that cost each entry the same are drawn together where that makes few kinds of games out
    of tens of thousands, as where entries spend a fixed budget.
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
        counts = rng.multinomial(n, n_of_kind / n, size=here.stop - start).T
        for entry in range(len(costs)):
            reached = np.cumsum(counts[order[entry]], axis=0)
            for number, score in enumerate(scores):
                redrawn[number, entry, here] = ranked[entry][(reached < score.rank(n)).sum(axis=0)]
    return redrawn
