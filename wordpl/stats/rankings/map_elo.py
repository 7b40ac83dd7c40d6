"""MAP Elo: the maximum a posteriori estimate of strengths from all results, independent of their order.

It is a Bradley-Terry model with a prior that keeps all strengths finite, as in M. E. J. Newman, Efficient computation
of rankings from pairwise comparisons, Journal of Machine Learning Research 24:238 (2023). Instead of his fixed-point
iteration, scipy's Newton-CG finds the maximum.

With w_ij the sum of match scores of i against j, the log-likelihood is the sum of w_ij log(p_i / (p_i + p_j)). Since
the scores of two players on one day add up to 1, it depends on w only through the number of days that i and j both
played, w_ij + w_ji, which is one matrix product, and through each player's sum of scores.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from wordpl.core.messages import UserError
from wordpl.kernels.compiled import kernel
from wordpl.stats.rankings.elo import SCALE, START
from wordpl.stats.rankings.ranking import Ranking, Sheet, largest_difference

UNIT = SCALE / np.log(10)
"""The Elo points that correspond to a factor of e in strength."""
TOLERANCE = 1e-6
"""The step size, in units of log strength, at which Newton's method stops; the error is about its square."""


@kernel
def _pair_terms(logs: np.ndarray, meetings: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the sum over pairs of meetings * log(p_i + p_j), and each player's expected sum of match scores."""
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
def _hessian_product(logs: np.ndarray, meetings: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return the product of the log-likelihood's negative Hessian and a direction, float[k]."""
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
    """MAP Elo: the most probable ratings given all results, independent of their order.

    Attributes:
        prior: "logistic": one win and one loss against a player with rating 1000 (Newman, 2023); "gaussian": a normal
            distribution with mean 1000 and standard deviation `sigma`.
        sigma: The standard deviation of the Gaussian prior in Elo points.
    """

    prior: Literal["logistic", "gaussian"] = "logistic"
    sigma: float = 350.0

    def __post_init__(self) -> None:
        if self.prior not in ("logistic", "gaussian"):
            raise UserError(f"prior must be logistic or gaussian; got {self.prior!r}.")
        if not 0 < self.sigma < np.inf:
            raise UserError(f"sigma must be a number of Elo points above 0; got {self.sigma!r}.")

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings, float[k]."""
        return np.asarray(START + UNIT * self._logs(sheet, counts))

    def _logs(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        from scipy.optimize import minimize  # slow to import

        meetings = _meetings(sheet, counts)
        wins = counts @ self._grades(sheet)

        def loss(logs: np.ndarray) -> tuple[float, np.ndarray]:
            total, expected = _pair_terms(logs, meetings)
            value, slope = self._prior(logs)
            return total - wins @ logs + value, expected - wins + slope

        def hessian_product(logs: np.ndarray, direction: np.ndarray) -> np.ndarray:
            return np.asarray(_hessian_product(logs, meetings, direction) + self._prior_curvature(logs) * direction)

        start = np.zeros(len(wins))
        best = minimize(loss, start, jac=True, hessp=hessian_product, method="Newton-CG", options={"xtol": TOLERANCE})
        return np.asarray(best.x)

    def _prior(self, logs: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the negative log prior, up to a constant, and its gradient."""
        if self.prior == "gaussian":
            precision = (UNIT / self.sigma) ** 2
            return precision / 2 * logs @ logs, precision * logs
        return float(np.sum(2 * np.logaddexp(0, logs) - logs)), np.tanh(logs / 2)

    def _grades(self, sheet: Sheet) -> np.ndarray:
        """Return each player's sum of match scores against all other players of each day, float[n, k]."""
        played, guesses = sheet.played, np.nan_to_num(sheet.guesses)
        n_players, total = played.sum(axis=1, keepdims=True), guesses.sum(axis=1, keepdims=True)
        ahead = total - n_players * guesses
        return np.asarray(played * ((n_players - 1) / 2 + ahead / (2 * largest_difference(self.x_is_seven))))

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings in each resample of the days to first order, by one Newton step from the maximum.

        This needs each day's contribution to the gradient and one factorization for all resamples, whereas fitting each
        resample would take hours for thousands of players.
        """
        all_days = np.ones(len(sheet.days), int)
        logs = self._logs(sheet, all_days)
        shares = 1 / (1 + np.exp(logs[None, :] - logs[:, None]))
        played = sheet.played
        slopes = self._grades(sheet) - played * (played @ shares.T - 0.5)
        shares *= 1 - shares
        shares *= _meetings(sheet, all_days)
        curvature = -shares
        np.fill_diagonal(curvature, shares.sum(axis=1) - np.diag(shares) + self._prior_curvature(logs))
        steps = cho_solve(cho_factor(curvature, overwrite_a=True), ((counts - 1) @ slopes).T)
        return np.asarray(START + UNIT * (logs + steps.T))

    def _prior_curvature(self, logs: np.ndarray) -> np.ndarray:
        if self.prior == "gaussian":
            return np.full(len(logs), (UNIT / self.sigma) ** 2)
        return 0.5 / np.cosh(logs / 2) ** 2


def _meetings(sheet: Sheet, counts: np.ndarray) -> np.ndarray:
    """Return the number of days that each pair of players has both played, float32[k, k], exact up to 2^24."""
    played = sheet.played.astype(np.float32)
    return (played * counts[:, None].astype(np.float32)).T @ played


RANKINGS = [MapElo(name="map-elo"), MapElo(name="map-elo-gaussian", prior="gaussian")]
