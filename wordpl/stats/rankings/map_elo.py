"""MAP Elo: the strengths that make all results together likeliest, whatever their order.

A Bradley-Terry model with a prior that keeps every strength finite, in the form of M. E. J. Newman, Efficient
computation of rankings from pairwise comparisons, Journal of Machine Learning Research 24:238 (2023). His fixed point
is the maximum that scipy's Newton-CG finds here.

With w_ij the sum of grades of i against j, the log-likelihood is the sum of w_ij log(p_i / (p_i + p_j)). Since the
grades of two players for one day add up to 1, it depends on w only through the days that i and j both played,
w_ij + w_ji, which is one matrix product, and through each player's sum of grades.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from wordpl.core.compiled import kernel
from wordpl.core.errors import UserError
from wordpl.stats.rankings.elo import SCALE, START
from wordpl.stats.rankings.match_score import largest_difference
from wordpl.stats.rankings.ranking import Ranking
from wordpl.stats.rankings.results import Sheet

UNIT = SCALE / np.log(10)
"""Elo points for a factor of e in strength."""
SETTLED = 1e-6  # the last of Newton's steps, in units; the one after it would be about its square


@kernel
def _pairs(logs: np.ndarray, meetings: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the sum over pairs of meetings times log(p_i + p_j), and each player's expected sum of grades."""
    strengths = np.exp(logs)
    total, expected = 0.0, np.zeros(len(logs))
    for i in range(len(logs)):
        mine = 0.0
        for j in range(i):
            if meetings[i, j] > 0:
                both = strengths[i] + strengths[j]
                share = meetings[i, j] * strengths[i] / both
                total += meetings[i, j] * np.log(both)
                mine += share
                expected[j] += meetings[i, j] - share
        expected[i] += mine
    return total, expected


@kernel
def _bend(logs: np.ndarray, meetings: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return how the expected sums of grades change in this direction, float[k]."""
    strengths = np.exp(logs)
    change = np.zeros(len(logs))
    for i in range(len(logs)):
        mine = 0.0
        for j in range(i):
            both = strengths[i] + strengths[j]
            moved = meetings[i, j] * strengths[i] * strengths[j] / (both * both) * (direction[i] - direction[j])
            mine += moved
            change[j] -= moved
        change[i] += mine
    return change


@dataclass(frozen=True, kw_only=True)
class MapElo(Ranking):
    """MAP Elo: the ratings that all results together make likeliest; their order does not matter.

    prior: "logistic" is one match won and one lost against a player of rating 1000 (Newman, 2023); "gaussian" a normal
        distribution around 1000 with the standard deviation `sigma`
    sigma: in Elo points
    """

    prior: Literal["logistic", "gaussian"] = "logistic"
    sigma: float = 350.0

    def __post_init__(self) -> None:
        if self.prior not in ("logistic", "gaussian"):
            raise UserError(f"prior is logistic or gaussian; got {self.prior!r}.")
        if not 0 < self.sigma < np.inf:
            raise UserError(f"sigma is a number of Elo points above 0; got {self.sigma!r}.")

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings, float[k]."""
        return np.asarray(START + UNIT * self._logs(sheet, counts))

    def _logs(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        meetings = _meetings(sheet, counts)
        wins = counts @ self._grades(sheet)

        def loss(logs: np.ndarray) -> tuple[float, np.ndarray]:
            total, expected = _pairs(logs, meetings)
            value, slope = self._prior(logs)
            return total - wins @ logs + value, expected - wins + slope

        def bend(logs: np.ndarray, direction: np.ndarray) -> np.ndarray:
            return np.asarray(_bend(logs, meetings, direction) + self._prior_curvature(logs) * direction)

        start = np.zeros(len(wins))
        found = minimize(loss, start, jac=True, hessp=bend, method="Newton-CG", options={"xtol": SETTLED})
        return np.asarray(found.x)

    def _prior(self, logs: np.ndarray) -> tuple[float, np.ndarray]:
        """Return minus the logarithm of the prior, up to a constant, and its slope."""
        if self.prior == "gaussian":
            precision = (UNIT / self.sigma) ** 2
            return precision / 2 * logs @ logs, precision * logs
        return float(np.sum(2 * np.logaddexp(0, logs) - logs)), np.tanh(logs / 2)

    def _grades(self, sheet: Sheet) -> np.ndarray:
        """Return each player's sum of grades of each day, against all others of that day, float[n, k]."""
        played, guesses = sheet.played, np.nan_to_num(sheet.guesses)
        n_players, total = played.sum(axis=1, keepdims=True), guesses.sum(axis=1, keepdims=True)
        ahead = total - n_players * guesses
        return np.asarray(played * ((n_players - 1) / 2 + ahead / (2 * largest_difference(self.x_is_seven))))

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings in each resample of the days, to first order: one Newton step from the maximum.

        The step needs each day's part of the slope and one factorisation for all resamples, where fitting each would
        take hours for thousands of players.
        """
        whole = np.ones(len(sheet.days), int)
        logs = self._logs(sheet, whole)
        shares = 1 / (1 + np.exp(logs[None, :] - logs[:, None]))
        played = sheet.played
        slopes = self._grades(sheet) - played * (played @ shares.T - 0.5)
        shares *= 1 - shares
        shares *= _meetings(sheet, whole)
        curvature = -shares
        np.fill_diagonal(curvature, shares.sum(axis=1) - np.diag(shares) + self._prior_curvature(logs))
        steps = cho_solve(cho_factor(curvature, overwrite_a=True), ((counts - 1) @ slopes).T)
        return np.asarray(START + UNIT * (logs + steps.T))

    def _prior_curvature(self, logs: np.ndarray) -> np.ndarray:
        if self.prior == "gaussian":
            return np.full(len(logs), (UNIT / self.sigma) ** 2)
        return 0.5 / np.cosh(logs / 2) ** 2


def _meetings(sheet: Sheet, counts: np.ndarray) -> np.ndarray:
    """Return how many days each two players have both played, float32[k, k], which holds whole numbers to 2^24."""
    played = sheet.played.astype(np.float32)
    return (played * counts[:, None].astype(np.float32)).T @ played


RANKINGS = [MapElo(name="map-elo"), MapElo(name="map-elo-gaussian", prior="gaussian")]
