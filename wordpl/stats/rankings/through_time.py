"""TrueSkill Through Time, whose curves also use later results, with the library trueskillthroughtime."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from wordpl.stats.rankings.ranking import Ranking, library
from wordpl.stats.rankings.results import Sheet

MAX_ITERATIONS = 10
TOLERANCE = 1e-2
START = 0.0


@dataclass(frozen=True, kw_only=True)
class ThroughTime(Ranking):
    """TrueSkill Through Time: strengths that drift, estimated for each day from all earlier and later days.

    P. Dangauthier, R. Herbrich, T. Minka and T. Graepel, TrueSkill Through Time, NeurIPS 2007. A player whose strength
    is larger by 1 wins 76 of 100 days, not counting ties. Intervals come from the model's standard deviation, because
    fitting resamples would take an hour: `draws` samples are drawn from its normal distributions.

    Attributes:
        spread: The standard deviation of initial strengths.
        drift: The standard deviation of the daily change of a strength.
        ties: The probability of a tie between equally strong players.
    """

    spread: float = 1.0
    drift: float = 0.01
    ties: float = 0.25

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the strengths on each player's last day, float[k]."""
        return np.asarray(self._last(sheet, counts)[0])

    def bootstrap(self, sheet: Sheet, rng: np.random.Generator) -> np.ndarray:
        """Return samples from the model's normal distributions, float[draws, k]."""
        mean, deviation = self._last(sheet, np.ones(len(sheet.days), int))
        return rng.normal(mean, deviation, (self.draws, len(mean)))

    def curve(self, sheet: Sheet, at: np.ndarray) -> np.ndarray:
        """Return the strengths on these days, estimated from all days, float[len(at), k]."""
        strengths = np.full((len(at), len(sheet.players)), START)
        for player, points in _fit(self, sheet, (1,) * len(sheet.days)).items():
            strengths[:, player] = np.interp(at, [day for day, _ in points], [strength.mu for _, strength in points])
        return strengths

    def _last(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        strengths = np.tile([[START], [self.spread]], len(sheet.players))
        for player, points in _fit(self, sheet, tuple(counts.tolist())).items():
            strengths[:, player] = points[-1][1].mu, points[-1][1].sigma
        return strengths


@lru_cache(maxsize=2)
def _fit(ranking: ThroughTime, sheet: Sheet, counts: tuple[int, ...]) -> dict[int, list[tuple[int, Any]]]:
    """Return for each player with matches the indices of days, with the strength on each day.

    The result is cached, because a table needs it for ratings and again for intervals.
    """
    days, matches, worths = [], [], []
    for day, guesses in enumerate(sheet.guesses):
        # The library assigns wrong ratings unless a match of three or more players lists the best ones first.
        players = np.argsort(guesses, kind="stable")[: np.count_nonzero(~np.isnan(guesses))]
        for _ in range(counts[day] if len(players) > 1 else 0):
            days.append(day)
            matches.append([[int(player)] for player in players])
            worths.append((-guesses[players]).tolist())
    if not matches:
        return {}
    history = library("trueskillthroughtime", ranking.name).History(
        matches, worths, days, sigma=ranking.spread, gamma=ranking.drift, p_draw=ranking.ties
    )
    history.convergence(epsilon=TOLERANCE, iterations=MAX_ITERATIONS, verbose=False)
    curves: dict[int, list[tuple[int, Any]]] = history.learning_curves()
    return curves


RANKINGS = [ThroughTime(name="through-time")]
