"""Pairwise significance tests of entries in each score, from resamples of the games that all have played."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.intervals import ROUNDING
from wordpl.run.frame import rows_by
from wordpl.stats import budget_quantiles
from wordpl.stats.compare.sequential import MIN_FORECAST, Forecast, games_to_decide
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import holm_step_down
from wordpl.stats.scores import LOSS_COST, Score, facts_of, scores_for
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import CONFIDENCE, Estimate, Floats

N_RESAMPLES = 2000
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
    scores: Sequence[Score], values: Mapping[str, Floats], rng: np.random.Generator, draws: int = N_RESAMPLES
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
    costs: Floats, scores: Sequence[QuantileScore], rng: np.random.Generator, draws: int = N_RESAMPLES
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
                position = (reached < score.q * (1 - ROUNDING)).sum(axis=0)
                redrawn[number, entry, block] = ranked[entry][np.minimum(position, len(n_of_kind) - 1)]
    return redrawn


MAX_PAIRED = 64
"""The most entries of which all pairs are compared game by game, which takes time with the square of their number."""
N_PAIRED = 24
"""The number of the first of more entries of which all pairs are compared game by game, too."""
DRAWS_OF_MANY = 1000
"""The number of draws of the true scores of more entries, each of which takes memory for each entry."""
MARK = "*"
NORMAL = NormalDist()
LEAST_P, LEAST_VARIANCE = 1e-12, 1e-300
MIN_CHANCE = (1 - CONFIDENCE) / 2
"""The probability of being the best below which an entry with an infinite score has no mark."""


@dataclass(frozen=True, eq=False)
class PairwiseSignificance:
    """The pairwise comparisons of k entries in one score, on the games that all of them have played.

    Attributes:
        entries: The names of the entries.
        per_game: The value of each game, without luck if the score has such values, float[k, n].
        lost: What each game would be worth if it had been lost, float[k, n]; None: values are counted.
        values: The score of each entry, float[k].
        better: Whether entry i has been shown to be better than entry j, bool[k, k].
        probable: Draws of the true scores from their posterior distribution, float[k, draws].
        p_best: The probability that each entry is the best: the share of these draws, float[k]; NaN if entries are so
            close to the level of a percentile that no probability would be right.
        lower_is_better: The direction of the score.
        evidence: How many standard errors entry i is ahead of entry j, float[k, k]; None of more than MAX_PAIRED.
    """

    entries: tuple[str, ...]
    per_game: Floats
    values: Floats
    better: NDArray[np.bool_]
    probable: Floats
    p_best: Floats
    lower_is_better: bool
    lost: Floats | None = None
    evidence: Floats | None = None

    def forecast(self, leader: str, rivals: Collection[str]) -> Forecast | None:
        """Return how many more games would show which of an entry and its closest rival is better.

        Args:
            leader: The entry.
            rivals: Entries that have not been shown to be worse.

        Returns:
            The forecast; None if there is no rival, or too little is known.
        """
        n_games = self.per_game.shape[1]
        if self.evidence is None or not rivals or n_games < MIN_FORECAST:
            return None
        k, own = len(self.entries), self.entries.index(leader)
        n_open = k * (k - 1) - int(self.better.sum())  # as Holm's procedure counts them
        closest = min((float(self.evidence[own, self.entries.index(name)]) for name in rivals), key=abs)
        return games_to_decide(closest, NORMAL.inv_cdf(1 - (1 - CONFIDENCE) / n_open), n_games)

    def of(self, names: Sequence[str]) -> "PairwiseSignificance":
        """Return the comparisons of these entries with each other, in this order."""
        at = np.array([self.entries.index(name) for name in names])
        better = self.better[np.ix_(at, at)]
        parts = self.per_game[at], self.values[at], better, self.probable[at], self.p_best[at]
        evidence = None if self.evidence is None else self.evidence[np.ix_(at, at)]
        return PairwiseSignificance(tuple(names), *parts, self.lower_is_better, evidence=evidence)

    @property
    def places(self) -> list[int]:
        """The best rank of each rank interval: one more than the number of entries shown to be better."""
        return _ranks(self.better)[0]

    @property
    def last_places(self) -> list[int]:
        """The worst rank of each rank interval: the number of entries minus those shown to be worse."""
        return _ranks(self.better)[1]

    @property
    def rank_intervals(self) -> dict[str, tuple[int, int]]:
        """The rank interval of each entry by name."""
        return dict(zip(self.entries, zip(self.places, self.last_places, strict=True), strict=True))

    @property
    def marks(self) -> list[str]:
        """A mark for each entry that has not been shown to be worse than any other, and "" for the others.

        There are no marks if there is only one entry. An entry whose score is infinite, or that wins no game, has a
        mark only if its true score may be finite.
        """
        if len(self.values) < 2:
            return [""] * len(self.values)
        may_be_best = self.values > 0
        if self.lower_is_better:
            may_be_best = np.isfinite(self.values) | ~(self.p_best < MIN_CHANCE)
        return [MARK if place == 1 and able else "" for place, able in zip(self.places, may_be_best, strict=True)]


def _ranks(better: NDArray[np.bool_]) -> tuple[list[int], list[int]]:
    """Return the best and the worst rank of each entry."""
    low, high = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return low.tolist(), high.tolist()


def pairwise_significance(
    run: pd.DataFrame,
    rng: np.random.Generator,
    loss_cost: float = LOSS_COST,
    luck: Mapping[str, LuckCorrected] | None = None,
    draws: int = budget_quantiles.DRAWS,
) -> dict[str, PairwiseSignificance]:
    """Return the pairwise comparisons of the entries in each score with a direction, by the name of the score.

    In each score, the family-wise error rate over all pairs is 5 % (Holm's step-down procedure). The tests are
    deterministic; the probabilities of being the best come from random draws.

    Args:
        run: Rows of `load_run` with the same rules, with at least one game that all entries have played.
        rng: Draws probable true scores.
        loss_cost: The cost of a lost game in the mean cost.
        luck: The games of each entry without most of the luck, by its name; None: wins are counted.
        draws: The number of draws; of more than MAX_PAIRED entries, DRAWS_OF_MANY at most.
    """
    games = by_entry(run)
    draws = draws if len(games) <= MAX_PAIRED else min(draws, DRAWS_OF_MANY)
    corrected = None if luck is None else [luck[name].of_games(rows["game"].to_numpy()) for name, rows in games.items()]
    return {score.name: _compared(score, games, corrected, rng, draws) for score in comparable_scores(run, loss_cost)}


def _compared(
    score: Score,
    games: Mapping[str, pd.DataFrame],
    corrected: Sequence[LuckCorrected] | None,
    rng: np.random.Generator,
    draws: int,
) -> PairwiseSignificance:
    counted = np.array([score.per_game(rows) for rows in games.values()])
    corrected = corrected if score.uses_luck else None
    values, lost = without_luck(score, counted, corrected)
    if isinstance(score, QuantileScore) and corrected is not None:
        probable = budget_quantiles.probable_quantiles(corrected, score.q, rng, draws)
    elif isinstance(score, QuantileScore):
        probable = resample([score], {score.name: values}, rng, draws)[score.name]
    else:
        probable = budget_quantiles.probable_scores(
            values.mean(axis=1), budget_quantiles.covariance_of_means(values), rng, draws
        )
    p_values = _p_values(score, values, lost, corrected) if len(games) <= MAX_PAIRED else None
    p_best = budget_quantiles.chances_of_being_best(higher_is_better(probable, score.lower_is_better))
    if isinstance(score, QuantileScore) and corrected is not None and len(corrected) > 1:
        p_best = p_best if budget_quantiles.shows_distance(corrected, score.q) else np.full(len(p_best), np.nan)
    return PairwiseSignificance(
        entries=tuple(games),
        per_game=values,
        values=np.array([score(row, None if lost is None else lost[i]).value for i, row in enumerate(values)]),
        better=_shown_better(score, values, lost, corrected, p_values),
        probable=probable if len(games) <= MAX_PAIRED else probable.astype(np.float32),  # 40 MB of 1,000 entries
        p_best=p_best,
        lower_is_better=bool(score.lower_is_better),
        lost=lost,
        evidence=None if p_values is None else _evidence(score, values, p_values),
    )


def _evidence(score: Score, values: Floats, p_values: Floats) -> Floats:
    """Return how many standard errors entry i is ahead of entry j, float[k, k]; of percentiles, as the p-values say."""
    if isinstance(score, QuantileScore):
        return np.asarray(np.vectorize(NORMAL.inv_cdf, otypes=[float])(1 - np.clip(p_values, LEAST_P, 1 - LEAST_P)))
    covariance = budget_quantiles.covariance_of_means(values)
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    ahead: Floats = higher_is_better(np.subtract.outer(values.mean(axis=1), values.mean(axis=1)), score.lower_is_better)
    return np.asarray(ahead / np.sqrt(np.maximum(variance, LEAST_VARIANCE)))


def _shown_better(
    score: Score,
    values: Floats,
    lost: Floats | None,
    corrected: Sequence[LuckCorrected] | None,
    p_values: Floats | None = None,
) -> NDArray[np.bool_]:
    """Return whether entry i has been shown to be better than entry j, bool[k, k], with a family-wise error of 5 %.

    All pairs of up to MAX_PAIRED entries are compared game by game. Of more entries, half of the error is for intervals
    that hold for all entries together, as entries with disjoint intervals differ; the other half for the pairs of the
    first N_PAIRED entries, each at the level of all k (k - 1) pairs, as these entries were chosen by looking.
    """
    k = len(values)
    if k <= MAX_PAIRED:
        p_values = _p_values(score, values, lost, corrected) if p_values is None else p_values
        return holm_step_down(p_values, 1 - CONFIDENCE)
    level = (1 - CONFIDENCE) / 2
    found = [_estimate(score, values, lost, corrected, i, 1 - level / k) for i in range(k)]
    ends = np.array([(-one.high, -one.low) if score.lower_is_better else (one.low, one.high) for one in found])
    better = ends[:, :1] > ends[:, 1]
    worth = higher_is_better(np.array([one.value for one in found]), score.lower_is_better)
    first = np.argsort(-worth, kind="stable")[:N_PAIRED]
    of_first = None if lost is None else lost[first]
    of_pairs = _p_values(score, values[first], of_first, corrected and [corrected[i] for i in first])
    better[np.ix_(first, first)] |= of_pairs <= level / (k * (k - 1))
    return better


def _p_values(score: Score, values: Floats, lost: Floats | None, corrected: Sequence[LuckCorrected] | None) -> Floats:
    """Return the p-values of "entry i is better than entry j", float[k, k]."""
    if isinstance(score, QuantileScore) and corrected is not None:
        return budget_quantiles.lower_quantiles(corrected, score.q)
    return score.p_values(values, lost)


def _estimate(
    score: Score,
    values: Floats,
    lost: Floats | None,
    corrected: Sequence[LuckCorrected] | None,
    entry: int,
    confidence: float,
) -> Estimate:
    if isinstance(score, QuantileScore) and corrected is not None:
        return budget_quantiles.BudgetQuantile(corrected[entry], score.q).estimate(confidence)
    return score(values[entry], None if lost is None else lost[entry], confidence=confidence)


def without_luck(
    score: Score, counted: Floats, corrected: Sequence[LuckCorrected] | None
) -> tuple[Floats, Floats | None]:
    """Return the values of the entries' games without luck, and if they had been lost; or as counted, and None.

    Args:
        score: The score.
        counted: The value of each game, float[k, n].
        corrected: The games of each entry without most of the luck; None if they are not known.
    """
    if corrected is None or not corrected or score.without_luck(corrected[0]) is None:
        return counted, None
    return np.array([score.without_luck(games) for games in corrected]), np.array(
        [score.lost(games) for games in corrected]
    )


def rank_intervals(
    score: Score, run: pd.DataFrame, luck: Mapping[str, LuckCorrected] | None = None
) -> dict[str, tuple[int, int]]:
    """Return the rank interval of each entry by a mean score; see `pairwise_significance`."""
    games = by_entry(run)
    corrected = None if luck is None else [luck[name].of_games(rows["game"].to_numpy()) for name, rows in games.items()]
    values, lost = without_luck(score, np.array([score.per_game(rows) for rows in games.values()]), corrected)
    low, high = _ranks(_shown_better(score, values, lost, corrected))
    return dict(zip(games, zip(low, high, strict=True), strict=True))
