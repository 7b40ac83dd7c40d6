"""Pairwise significance tests of entries in each score, and the probabilities of being the best entry."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.stats.compare.games import DRAWS, by_entry, comparable_scores, higher_is_better, resample
from wordpl.stats.paired_tests import holm_step_down
from wordpl.stats.scores import LOSS_COST
from wordpl.stats.scores.score import CONFIDENCE, Floats

MARK = "*"


@dataclass(frozen=True, eq=False)
class PairwiseSignificance:
    """The pairwise comparisons of k entries in one score, on the games that all of them have played.

    Attributes:
        entries: The names of the entries.
        per_game: The value of each game, float[k, n].
        values: The score of each entry, float[k].
        better: Whether entry i has been shown to be better than entry j, bool[k, k].
        redrawn: The scores in resamples of the games (Bayesian bootstrap), float[k, draws].
        p_best: The probability that each entry is the best: the share of these resamples, float[k].
        lower_is_better: The direction of the score.
    """

    entries: tuple[str, ...]
    per_game: Floats
    values: Floats
    better: NDArray[np.bool_]
    redrawn: Floats
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
    def marks(self) -> list[str]:
        """A mark for each entry that has not been shown to be worse than any other, and "" for the others.

        There are no marks if there is only one entry, or if no entry has a finite score or wins a game.
        """
        has_best = np.isfinite(self.values if self.lower_is_better else self.values[self.values > 0]).any()
        if len(self.values) < 2 or not has_best:
            return [""] * len(self.values)
        return [MARK if place == 1 else "" for place in self.places]


def pairwise_significance(
    run: pd.DataFrame, rng: np.random.Generator, loss_cost: float = LOSS_COST, draws: int = DRAWS
) -> dict[str, PairwiseSignificance]:
    """Return the pairwise comparisons of the entries in each score with a direction, by the name of the score.

    In each score, the family-wise error rate over all pairs is 5 % (Holm's step-down procedure). The tests are
    deterministic; the probabilities of being the best are estimated from random resamples.

    Args:
        run: Rows of `load_run` with the same rules, with at least one game that all entries have played.
        rng: Draws the resamples.
        loss_cost: The cost of a lost game in the mean cost.
        draws: The number of resamples.
    """
    scores = comparable_scores(run, loss_cost)
    games = by_entry(run)
    values = {score.name: np.array([score.per_game(rows) for rows in games.values()]) for score in scores}
    redrawn = resample(scores, values, rng, draws)
    return {
        score.name: PairwiseSignificance(
            entries=tuple(games),
            per_game=values[score.name],
            values=np.array([score(row).value for row in values[score.name]]),
            better=holm_step_down(score.p_values(values[score.name]), 1 - CONFIDENCE),
            redrawn=redrawn[score.name],
            p_best=chances_of_being_best(higher_is_better(redrawn[score.name], score.lower_is_better)),
            lower_is_better=bool(score.lower_is_better),
        )
        for score in scores
    }


def chances_of_being_best(worth: Floats) -> Floats:
    """Return the share of resamples in which each entry is the best, float[k]; tied entries share a resample equally.

    Args:
        worth: The scores of the entries in each resample, where higher is better, float[k, draws]. If all are
            infinitely bad, no entry is the best.
    """
    is_best = (worth == worth.max(axis=0)) & np.isfinite(worth)
    n_best = is_best.sum(axis=0)
    return np.asarray((is_best / np.maximum(1, n_best)).mean(axis=1))
