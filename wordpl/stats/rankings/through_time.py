"""TrueSkill Through Time, whose curves use what came later too, by the library trueskillthroughtime."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from wordpl.stats.rankings.optional import library
from wordpl.stats.rankings.ranking import Ranking
from wordpl.stats.rankings.results import Sheet

SWEEPS = 10
SETTLED = 1e-2
START = 0.0


@dataclass(frozen=True, kw_only=True)
class ThroughTime(Ranking):
    """TrueSkill Through Time: strengths that drift, each day judged by all days before and after it.

    P. Dangauthier, R. Herbrich, T. Minka and T. Graepel, TrueSkill Through Time, NeurIPS 2007. A strength of 1 more
    wins 76 days of 100, ties aside. Intervals come from the model's own standard deviation, as fitting resamples would
    take an hour: `draws` are taken from its normal distributions.

    spread: standard deviation of strengths at the start
    drift: standard deviation of what a strength moves in a day
    ties: the share of pairs that tie, when they are equally strong
    """

    spread: float = 1.0
    drift: float = 0.01
    ties: float = 0.25

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the strengths on each player's last day, float[k]."""
        return np.asarray(self._last(sheet, counts)[0])

    def bootstrap(self, sheet: Sheet, rng: np.random.Generator) -> np.ndarray:
        """Return draws from the model's distributions, float[draws, k]."""
        mean, deviation = self._last(sheet, np.ones(len(sheet.days), int))
        return rng.normal(mean, deviation, (self.draws, len(mean)))

    def curve(self, sheet: Sheet, at: np.ndarray) -> np.ndarray:
        """Return the strengths on these days, seen from the last day of all, float[len(at), k]."""
        found = np.full((len(at), len(sheet.players)), START)
        for player, points in _fit(self, sheet, (1,) * len(sheet.days)).items():
            found[:, player] = np.interp(at, [day for day, _ in points], [strength.mu for _, strength in points])
        return found

    def _last(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        found = np.tile([[START], [self.spread]], len(sheet.players))
        for player, points in _fit(self, sheet, tuple(counts.tolist())).items():
            found[:, player] = points[-1][1].mu, points[-1][1].sigma
        return found


@lru_cache(maxsize=2)
def _fit(ranking: ThroughTime, sheet: Sheet, counts: tuple[int, ...]) -> dict[int, list[tuple[int, Any]]]:
    """Return for each player who met others the days, counted from 0, with the strength on each.

    Remembered, as a table asks for the ratings and then for their intervals.
    """
    days, matches, worths = [], [], []
    for day, guesses in enumerate(sheet.guesses):
        # The library mixes up who is who unless a match of three or more lists them best first.
        who = np.argsort(guesses, kind="stable")[: np.count_nonzero(~np.isnan(guesses))]
        for _ in range(counts[day] if len(who) > 1 else 0):
            days.append(day)
            matches.append([[int(player)] for player in who])
            worths.append((-guesses[who]).tolist())
    if not matches:
        return {}
    history = library("trueskillthroughtime", ranking.name).History(
        matches, worths, days, sigma=ranking.spread, gamma=ranking.drift, p_draw=ranking.ties
    )
    history.convergence(epsilon=SETTLED, iterations=SWEEPS, verbose=False)
    curves: dict[int, list[tuple[int, Any]]] = history.learning_curves()
    return curves


RANKINGS = [ThroughTime(name="through-time")]
