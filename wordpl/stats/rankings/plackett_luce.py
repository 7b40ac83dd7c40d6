"""Plackett-Luce ratings with ties, updated day by day, with the library openskill."""

from dataclasses import dataclass

import numpy as np

from wordpl.stats.rankings.ranking import Ranking, Sheet, library


@dataclass(frozen=True, kw_only=True)
class PlackettLuce(Ranking):
    """Plackett-Luce: a day is one match of all its players, of which only the order counts, including ties.

    The update rules are those of R. C. Weng and C.-J. Lin, A Bayesian approximation method for online ranking, Journal
    of Machine Learning Research 12 (2011), as implemented by openskill. The initial rating is 25.
    """

    draws: int = 100

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the mean of each player's strength after the last day, float[k]."""
        model = library("openskill.models", self.name).PlackettLuce()
        ratings = [model.rating() for _ in sheet.players]
        for guesses, count in zip(sheet.guesses, counts, strict=True):
            players = np.flatnonzero(~np.isnan(guesses))
            for _ in range(count if len(players) > 1 else 0):
                after = model.rate([[ratings[player]] for player in players], ranks=guesses[players].tolist())
                for player, (rating,) in zip(players, after, strict=True):
                    ratings[player] = rating
        return np.array([rating.mu for rating in ratings])


RANKINGS = [PlackettLuce(name="plackett-luce")]
