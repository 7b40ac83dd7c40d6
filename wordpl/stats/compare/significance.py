"""Pairwise significance tests of entries in each score, and the probabilities of being the best entry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.stats.budget_quantiles import (
    DRAWS,
    chances_of_being_best,
    covariance_of_means,
    lower_quantiles,
    probable_quantiles,
    probable_scores,
)
from wordpl.stats.compare.games import by_entry, comparable_scores, higher_is_better, resample
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.paired_tests import holm_step_down
from wordpl.stats.scores import LOSS_COST, Score
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import CONFIDENCE, Floats

MARK = "*"
MIN_CHANCE = (1 - CONFIDENCE) / 2
"""The probability of being the best below which an entry with an infinite score has no mark."""


@dataclass(frozen=True, eq=False)
class PairwiseSignificance:
    """The pairwise comparisons of k entries in one score, on the games that all of them have played.

    Attributes:
        entries: The names of the entries.
        per_game: The value of each game, without luck if the score has such values, float[k, n].
        values: The score of each entry, float[k].
        better: Whether entry i has been shown to be better than entry j, bool[k, k].
        probable: Draws of the true scores from their posterior distribution, float[k, draws].
        p_best: The probability that each entry is the best: the share of these draws, float[k].
        lower_is_better: The direction of the score.
    """

    entries: tuple[str, ...]
    per_game: Floats
    values: Floats
    better: NDArray[np.bool_]
    probable: Floats
    p_best: Floats
    lower_is_better: bool

    @property
    def places(self) -> list[int]:
        """The best rank of each rank interval: one more than the number of entries shown to be better."""
        return [int(place) for place in 1 + self.better.sum(axis=0)]

    @property
    def last_places(self) -> list[int]:
        """The worst rank of each rank interval: the number of entries minus those shown to be worse."""
        return [int(place) for place in len(self.values) - self.better.sum(axis=1)]

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
            may_be_best = np.isfinite(self.values) | (self.p_best >= MIN_CHANCE)
        return [MARK if place == 1 and able else "" for place, able in zip(self.places, may_be_best, strict=True)]


def pairwise_significance(
    run: pd.DataFrame,
    rng: np.random.Generator,
    loss_cost: float = LOSS_COST,
    luck: Mapping[str, LuckCorrected] | None = None,
    draws: int = DRAWS,
) -> dict[str, PairwiseSignificance]:
    """Return the pairwise comparisons of the entries in each score with a direction, by the name of the score.

    In each score, the family-wise error rate over all pairs is 5 % (Holm's step-down procedure). The tests are
    deterministic; the probabilities of being the best come from random draws.

    Args:
        run: Rows of `load_run` with the same rules, with at least one game that all entries have played.
        rng: Draws probable true scores.
        loss_cost: The cost of a lost game in the mean cost.
        luck: The games of each entry without most of the luck, by its name; None: wins are counted.
        draws: The number of draws.
    """
    games = by_entry(run)
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
    values = without_luck(score, counted, corrected)
    if isinstance(score, QuantileScore) and corrected is not None:
        p_values = lower_quantiles(corrected, score.q)
        probable = probable_quantiles(corrected, score.q, rng, draws)
    elif isinstance(score, QuantileScore):
        p_values = score.p_values(values)
        probable = resample([score], {score.name: values}, rng, draws)[score.name]
    else:
        p_values = score.p_values(values)
        probable = probable_scores(values.mean(axis=1), covariance_of_means(values), rng, draws)
    return PairwiseSignificance(
        entries=tuple(games),
        per_game=values,
        values=np.array([score(row).value for row in values]),
        better=holm_step_down(p_values, 1 - CONFIDENCE),
        probable=probable,
        p_best=chances_of_being_best(higher_is_better(probable, score.lower_is_better)),
        lower_is_better=bool(score.lower_is_better),
    )


def without_luck(score: Score, counted: Floats, corrected: Sequence[LuckCorrected] | None) -> Floats:
    """Return the values of the entries' games without luck; if the score or the games have none, as counted.

    Args:
        score: The score.
        counted: The value of each game, float[k, n].
        corrected: The games of each entry without most of the luck; None if they are not known.
    """
    if corrected is None or not corrected or score.without_luck(corrected[0]) is None:
        return counted
    return np.array([score.without_luck(games) for games in corrected])


def rank_intervals(
    score: Score, run: pd.DataFrame, luck: Mapping[str, LuckCorrected] | None = None
) -> dict[str, tuple[int, int]]:
    """Return the rank interval of each entry by a mean score; see `pairwise_significance`."""
    games = by_entry(run)
    corrected = None if luck is None else [luck[name].of_games(rows["game"].to_numpy()) for name, rows in games.items()]
    compared = _compared(score, games, corrected, np.random.default_rng(0), 1)  # ranks draw no random numbers
    return compared.rank_intervals
