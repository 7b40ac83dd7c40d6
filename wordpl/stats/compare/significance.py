"""How entries stand in each score: who has been shown to be better than whom, and how likely each is the best."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.stats.compare.games import DRAWS, by_entry, directed, resample, worth_of
from wordpl.stats.paired_tests import step_down
from wordpl.stats.scores import LOSS_COST
from wordpl.stats.scores.score import CONFIDENCE, Floats

MARK = "*"


@dataclass(frozen=True, eq=False)
class PairwiseSignificance:
    """How entries compare in one score.

    Attributes:
        entries: The entries' names.
        per_game: The score's number of each game that all have played, float[k, n].
        values: The score of each entry on these games, float[k].
        better: better[i, j]: entry i has been shown to be better than entry j, bool[k, k].
        redrawn: The scores of resamples of the games, by the Bayesian bootstrap, float[k, draws].
        p_best: The probability that each entry is the best, the share of these resamples, float[k].
        lower_is_better: The score's.
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
        """The upper end of each rank interval: one more than the number of entries shown to be better."""
        return [int(place) for place in 1 + self.better.sum(axis=0)]

    @property
    def last_places(self) -> list[int]:
        """The lower end of each rank interval: the number of entries less those shown to be worse."""
        return [int(place) for place in len(self.values) - self.better.sum(axis=1)]

    @property
    def marks(self) -> list[str]:
        """A mark for each entry that has not been shown to be worse than any other, "" for the others.

        There are no marks without a rival, nor where nobody has a finite value or wins any game.
        """
        nobody = not np.isfinite(self.values if self.lower_is_better else self.values[self.values > 0]).any()
        if len(self.values) < 2 or nobody:
            return [""] * len(self.values)
        return [MARK if place == 1 else "" for place in self.places]


def pairwise_significance(
    run: pd.DataFrame, rng: np.random.Generator, loss_cost: float = LOSS_COST, draws: int = DRAWS
) -> dict[str, PairwiseSignificance]:
    """Return how the entries compare in each score that has a better and a worse, by the score's name.

    In each score, on at most 5 % of all boards any of the statements "i is better than j" is wrong (Holm's step-down
    over all pairs). The tests draw no random numbers; the probabilities of being the best do.

    Args:
        run: Rows of `run_records.load_run` of one rules name, with at least one game that all entries have played.
        rng: Draws the resamples behind the probabilities.
        loss_cost: What a lost game counts as in the companion score.
        draws: The number of resamples.
    """
    scores = directed(run, loss_cost)
    games = by_entry(run)
    values = {score.name: np.array([score.per_game(rows) for rows in games.values()]) for score in scores}
    redrawn = resample(scores, values, rng, draws)
    return {
        score.name: PairwiseSignificance(
            entries=tuple(games),
            per_game=values[score.name],
            values=np.array([score(row).value for row in values[score.name]]),
            better=step_down(score.p_values(values[score.name]), 1 - CONFIDENCE),
            redrawn=redrawn[score.name],
            p_best=chances_of_being_best(worth_of(redrawn[score.name], score.lower_is_better)),
            lower_is_better=bool(score.lower_is_better),
        )
        for score in scores
    }


def chances_of_being_best(worth: Floats) -> Floats:
    """Return the share of resamples in which each entry is the best, float[k]; equal ones share a resample.

    Args:
        worth: The entries' scores in each resample, higher is better, float[k, draws]. Where all are infinitely bad,
            none is the best.
    """
    is_best = (worth == worth.max(axis=0)) & np.isfinite(worth)
    n_best = is_best.sum(axis=0)
    return np.asarray((is_best / np.maximum(1, n_best)).mean(axis=1))
