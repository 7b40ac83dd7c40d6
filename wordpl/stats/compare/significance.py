"""How entries stand in each score: who has been shown to be better than whom."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.stats.compare.games import DRAWS, by_entry, directed, resample, worth_of
from wordpl.stats.scores import Score
from wordpl.stats.scores.score import CONFIDENCE


@dataclass(frozen=True, eq=False)
class Standing:
    """How entries stand in one score.

    values: the score of each entry on the games that all have played, float[k]
    better: better[i, j]: entry i has been shown to be better than entry j, bool[k, k]
    lower_is_better: the score's
    """

    values: np.ndarray
    better: np.ndarray
    lower_is_better: bool

    @property
    def places(self) -> list[int]:
        """One more than the number of entries shown to be better; entries not told apart can share a place."""
        return [int(place) for place in 1 + self.better.sum(axis=0)]

    @property
    def marks(self) -> list[str]:
        """Marks: "*" for the best value, "=" for an entry that cannot be told from it, "" for the others.

        No marks without a rival, nor where the best value is infinite: nobody is good at that.
        """
        worth = np.nan_to_num(worth_of(self.values, self.lower_is_better), nan=-np.inf, neginf=-np.inf, posinf=np.inf)
        if len(worth) < 2 or worth.max() == -np.inf:
            return [""] * len(worth)
        best = worth == worth.max()
        behind = self.better[best].any(axis=0)
        return ["*" if is_best else "" if lost else "=" for is_best, lost in zip(best, behind, strict=True)]


def standings(run: pd.DataFrame, rng: np.random.Generator) -> dict[str, Standing]:
    """Return how the entries stand in each score that has a better and a worse, by the score's name.

    run: rows of `run_records.load_run` of one rules name, with at least one game that all entries have played.

    An entry's place errs in at most 5% of runs, as an interval does: each rival counts as better only if the share of
    resamples in which it is not better stays within 2.5% divided by the number of rivals (Bonferroni). With two entries
    this is the two-sided 95% interval of their difference that excludes 0.
    """
    scores = directed(run)
    games = by_entry(run)
    values = {score.name: np.array([score.per_game(rows) for rows in games.values()]) for score in scores}
    redrawn = resample(scores, values, rng, draws_for(len(games)))
    return {score.name: standing(score, values[score.name], redrawn[score.name]) for score in scores}


def draws_for(n_entries: int) -> int:
    """Return how many resamples it takes to compare so many entries: five or more lie beyond the threshold."""
    return max(DRAWS, 200 * (n_entries - 1))


def standing(score: Score, values: np.ndarray, redrawn: np.ndarray) -> Standing:
    """Return how k entries stand in a score, from their numbers of each game, float[k, n], and resamples of the score.

    redrawn: as `resample` gives it, float[k, draws]
    """
    return Standing(
        values=np.array([score(row).value for row in values]),
        better=_better(worth_of(redrawn, score.lower_is_better), values),
        lower_is_better=bool(score.lower_is_better),
    )


def _better(worth: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return which entries are shown to be better than which, bool[k, k].

    worth: float[k, draws], higher is better; a draw in which two are equal speaks for neither.
    values: float[k, n], the entries' numbers of each game. Whatever the resamples say, m games that differ can't show
    anything with more confidence than m tosses of a coin that all fall the same way.
    """
    k, draws = worth.shape
    limit = (1 - CONFIDENCE) / 2 / max(1, k - 1)
    better = np.zeros((k, k), bool)
    for i in range(k):
        doubt = (1 + (~(worth[i] > worth)).sum(axis=1)) / (draws + 1)
        differing = ((values[i] != values) & ~(np.isnan(values[i]) & np.isnan(values))).sum(axis=1)
        better[i] = np.maximum(doubt, 0.5**differing) <= limit
    return better
