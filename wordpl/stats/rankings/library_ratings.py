"""Ratings of the libraries openskill and trueskillthroughtime, to which a day is one match of all its players."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from wordpl.core.messages import UserError
from wordpl.stats.rankings.ranking import Ranking, Sheet, library

MAX_ITERATIONS = 10
TOLERANCE = 1e-2
START = 0.0
DRIFTS = (0.003, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
"""The daily drifts that are tried in turn; with the first one, a strength moves by 0.06 in a year."""
MAX_LOSS = 1.92
"""By how much the log-likelihood of a drift may be below the largest one: half the 95% quantile of chi-squared(1)."""

Points = dict[int, list[tuple[int, Any]]]
"""For each player with matches, the indices of days, with the strength on each day."""


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


@dataclass(frozen=True, kw_only=True)
class ThroughTime(Ranking):
    """TrueSkill Through Time: strengths that drift, estimated for each day from all earlier and later days.

    P. Dangauthier, R. Herbrich, T. Minka and T. Graepel, TrueSkill Through Time, NeurIPS 2007. A player whose strength
    is larger by 1 wins 76 of 100 days, not counting ties. A rating is the strength on the last day of the results.
    Intervals come from the model's standard deviation, because fitting resamples would take an hour: `draws` samples
    are drawn from its normal distributions.

    Attributes:
        spread: The standard deviation of initial strengths.
        drift: The standard deviation of the daily change of a strength; None: the largest one that the results do not
            exclude, as intervals with a smaller one would be too narrow where players change.
        ties: The probability of a tie between equally strong players.
    """

    spread: float = 1.0
    drift: float | None = None
    ties: float = 0.25

    def __post_init__(self) -> None:
        if self.drift is not None and not 0 <= self.drift < np.inf:
            raise UserError(f"drift must be a number from 0; got {self.drift!r}.")

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the strengths on the last day, float[k]."""
        return np.asarray(self._last(sheet, counts)[0])

    def bootstrap(self, sheet: Sheet, rng: np.random.Generator) -> np.ndarray:
        """Return samples from the model's normal distributions, float[draws, k]."""
        mean, deviation = self._last(sheet, np.ones(len(sheet.days), int))
        return rng.normal(mean, deviation, (self.draws, len(mean)))

    def curve(self, sheet: Sheet, at: np.ndarray) -> np.ndarray:
        """Return the strengths on these days, estimated from all days, float[len(at), k]."""
        strengths = np.full((len(at), len(sheet.players)), START)
        for player, points in _fit(self, sheet, (1,) * len(sheet.days))[1].items():
            strengths[:, player] = np.interp(at, [day for day, _ in points], [strength.mu for _, strength in points])
        return strengths

    def _last(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the means and deviations of strengths on the last day, float[2, k].

        After a player's last result, the strength goes on drifting.
        """
        drift, points = _fit(self, sheet, tuple(counts.tolist()))
        strengths = np.tile([[START], [self.spread]], len(sheet.players))
        for player, own in points.items():
            day, strength = own[-1]
            strengths[:, player] = strength.mu, np.hypot(strength.sigma, drift * np.sqrt(len(sheet.days) - 1 - day))
        return strengths


@lru_cache(maxsize=2)
def _fit(ranking: ThroughTime, sheet: Sheet, counts: tuple[int, ...]) -> tuple[float, Points]:
    """Return the drift, and the strengths of all players with matches.

    The result is cached, because a table needs it for ratings and again for intervals.
    """
    matches = _matches(sheet, counts)
    drifts = DRIFTS if ranking.drift is None else (ranking.drift,)
    if not matches[0]:
        return drifts[0], {}
    build = library("trueskillthroughtime", ranking.name).History
    largest, tried = -np.inf, []
    for drift in drifts:
        history = build(*matches, sigma=ranking.spread, gamma=drift, p_draw=ranking.ties)
        likelihood = history.log_evidence()  # of each day given the days before it, as later ones are not used yet
        if likelihood < largest - MAX_LOSS:
            break
        largest = max(largest, likelihood)
        tried.append((drift, history))
    drift, history = tried[-1]
    history.convergence(epsilon=TOLERANCE, iterations=MAX_ITERATIONS, verbose=False)
    return drift, history.learning_curves()


def _matches(sheet: Sheet, counts: tuple[int, ...]) -> tuple[list[list[list[int]]], list[list[float]], list[int]]:
    """Return the players of each match, what they are worth in it, and its day; days with one player have none."""
    matches, worths, days = [], [], []
    for day, guesses in enumerate(sheet.guesses):
        # The library assigns wrong ratings unless a match of three or more players lists the best ones first.
        players = np.argsort(guesses, kind="stable")[: np.count_nonzero(~np.isnan(guesses))]
        for _ in range(counts[day] if len(players) > 1 else 0):
            matches.append([[int(player)] for player in players])
            worths.append((-guesses[players]).tolist())
            days.append(day)
    return matches, worths, days


RANKINGS = [PlackettLuce(name="plackett-luce"), ThroughTime(name="through-time")]
