"""Elo ratings, updated day by day or estimated from all results at once, independent of their order.

The expected score is that of Elo, The Rating of Chessplayers (1978): 1 / (1 + 10^((r_b - r_a) / 400)).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from wordpl.core.messages import UserError
from wordpl.kernels.compiled import float_kernel, kernel
from wordpl.stats.rankings.ranking import Ranking, Sheet, largest_difference

START = 1000.0
SCALE = 400.0
RATE = float(np.log(10)) / SCALE
UNIT = SCALE / np.log(10)
"""The Elo points that correspond to a factor of e in strength."""
TOLERANCE = 1e-6
"""The step size, in units of log strength, at which Newton's method stops; the error is about its square."""
MAX_MATCHES = 50_000_000
"""The number of matches up to which all resamples are played; beyond it they are approximated."""


@kernel
def _play_sequentially(ratings: np.ndarray, who: np.ndarray, guesses: np.ndarray, k: float, largest: int) -> None:
    """Play each ordered pair of a day once, with the ratings after the previous match.

    The strengths 10^(rating / 400) are updated by a Taylor series of the exponential, to a relative error of 1e-9 for k
    up to 30: powers would take most of the time.
    """
    n = len(who)
    strengths = 10 ** ((ratings[who] - START) / SCALE)
    for a in range(n):
        for b in range(n):
            if a != b:
                grade = 0.5 + (guesses[b] - guesses[a]) / (2 * largest)
                moved = k * (grade - strengths[a] / (strengths[a] + strengths[b]))
                ratings[who[a]] += moved
                ratings[who[b]] -= moved
                x = moved * RATE
                factor = 1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6)))))
                strengths[a] *= factor
                strengths[b] /= factor


@kernel
def _play_simultaneously(ratings: np.ndarray, who: np.ndarray, guesses: np.ndarray, k: float, largest: int) -> None:
    """Play each ordered pair of a day once, with the ratings at the start of the day."""
    n = len(who)
    grades = n / 2 + (guesses.sum() - n * guesses) / (2 * largest)
    expected = _expectations(10 ** ((ratings[who] - START) / SCALE))
    changes = 2 * k * (grades - expected)  # twice, as each ordered pair counts; a match against oneself adds 0
    for place in range(n):  # numba takes two seconds to compile the addition of arrays
        ratings[who[place]] += changes[place]


@float_kernel
def _expectations(strengths: np.ndarray) -> np.ndarray:
    """Return the sum of each player's expected scores against all players including itself, float64[n]."""
    sums = np.zeros(len(strengths))
    for b in range(len(strengths)):
        other = strengths[b]
        for a in range(len(strengths)):  # the inner loop, so that divisions are vectorized
            sums[a] += strengths[a] / (strengths[a] + other)
    return sums


@kernel
def _play_season(
    ratings: np.ndarray,
    results: tuple[np.ndarray, np.ndarray, np.ndarray],
    counts: np.ndarray,
    settings: tuple[float, bool, bool, int],
) -> None:
    """Play all days in order, each as often as it counts.

    Args:
        ratings: The ratings, updated in place, float64[k].
        results: `starts`, `who` and `guesses`; day d has the results starts[d] to starts[d + 1].
        counts: How often each day counts, int[n].
        settings: `k`, `per_opponent`, `start_of_day`, and the largest possible difference in guesses.
    """
    starts, who, guesses = results
    k, per_opponent, start_of_day, largest = settings
    for day in range(len(counts)):
        rows = slice(starts[day], starts[day + 1])
        n_players = starts[day + 1] - starts[day]
        step = k / max(1, n_players - 1) if per_opponent else k
        for _ in range(counts[day]):
            if start_of_day:
                _play_simultaneously(ratings, who[rows], guesses[rows], step, largest)
            else:
                _play_sequentially(ratings, who[rows], guesses[rows], step, largest)


@float_kernel
def _pulls(strengths: np.ndarray) -> np.ndarray:
    """Return the sum over opponents of p (1 - p), with p the expected score against each, float64[n]."""
    sums = np.zeros(len(strengths))
    for b in range(len(strengths)):
        other = strengths[b]
        for a in range(len(strengths)):
            sums[a] += strengths[a] * other / (strengths[a] + other) ** 2
    return sums - 0.25  # a match against oneself


@kernel
def _relax(
    resampled: np.ndarray,
    starts: np.ndarray,
    who: np.ndarray,
    days: tuple[np.ndarray, np.ndarray],
    counts: np.ndarray,
) -> None:
    """Move each player on each day towards the day's target, as often as the day counts.

    Args:
        resampled: The ratings, updated in place, float64[draws, k].
        starts: Day d has the results starts[d] to starts[d + 1].
        who: The player of each result.
        days: For each result, the target, and the share of the distance to it that is left after the day.
        counts: How often each resample has each day, int[draws, n].
    """
    targets, left = days
    for draw in range(len(counts)):
        for day in range(counts.shape[1]):
            if counts[draw, day] == 0:
                continue
            for row in range(starts[day], starts[day + 1]):
                share = left[row] ** counts[draw, day]
                resampled[draw, who[row]] = targets[row] + (resampled[draw, who[row]] - targets[row]) * share


@dataclass(frozen=True, kw_only=True)
class Elo(Ranking):
    """Elo, updated by every pair of players of a day: old results fade, so that it shows a player's form.

    The score of a match is 0.5 + (b - a) / (2 R) for a guesses against b; R is 6, or 5 if X is left out. Within a day,
    each ordered pair plays once, in the order of names.

    Attributes:
        k: The K-factor: the maximum change of a rating by one match.
        per_opponent: Whether to divide k by the number of opponents; otherwise a day with many players changes ratings
            by hundreds of points.
        start_of_day: Whether all matches of a day use the ratings at its start, so that their order does not matter.
    """

    k: float = 2.0
    per_opponent: bool = False
    start_of_day: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.k < np.inf:
            raise UserError(f"k must be a number above 0; got {self.k!r}.")

    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings after the last day, float[k]."""
        return np.asarray(self.resampled(sheet, counts[None])[0])

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings after the last day of each resample, whose days are in chronological order.

        In large leagues, the resamples are approximated: see `approximated`.
        """
        results = _results(sheet)
        n_players = np.diff(results[0])
        if len(counts) > 1 and len(counts) * int((n_players * (n_players - 1)).sum()) > MAX_MATCHES:
            return self.approximated(sheet, counts)
        resampled_ratings = np.full((len(counts), len(sheet.players)), START)
        for ratings, row in zip(resampled_ratings, self.with_progress(counts), strict=True):
            _play_season(ratings, results, row, self._settings())
        return resampled_ratings

    def curve(self, sheet: Sheet, at: np.ndarray) -> np.ndarray:
        """Return the ratings after each of these days, which one pass over the season computes."""
        starts, player, guesses = _results(sheet)
        ratings, found, first = np.full(len(sheet.players), START), [], 0
        for day in at:
            part = starts[first : day + 2] - starts[first], player[starts[first] :], guesses[starts[first] :]
            _play_season(ratings, part, np.ones(day + 1 - first, int), self._settings())
            found.append(ratings.copy())
            first = day + 1
        return np.array(found)

    def _settings(self) -> tuple[float, bool, bool, int]:
        return self.k, self.per_opponent, self.start_of_day, largest_difference(self.x_is_seven)

    def approximated(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings in resamples, from a single pass over the matches.

        A day pulls a rating towards the value at which its expected score would equal its score. With many opponents,
        whose errors cancel, this target and the strength of the pull are nearly the same in all resamples, so that only
        the number of times that each day counts differs.
        """
        starts, player, guesses = _results(sheet)
        ratings = np.full(len(sheet.players), START)
        targets, left = np.empty(len(player)), np.empty(len(player))
        for day in range(len(sheet.days)):
            rows = slice(starts[day], starts[day + 1])
            who, before = player[rows], ratings[player[rows]]
            part = starts[day : day + 2] - starts[day], who, guesses[rows]
            _play_season(ratings, part, np.ones(1, int), self._settings())
            step = self.k / max(1, len(who) - 1) if self.per_opponent else self.k
            pull = 2 * step * RATE * _pulls(10 ** (((before + ratings[who]) / 2 - START) / SCALE))
            left[rows] = np.exp(-pull)
            with np.errstate(divide="ignore", invalid="ignore"):
                targets[rows] = np.where(pull > 0, before + (ratings[who] - before) / -np.expm1(-pull), before)
        resampled_ratings = np.full((len(counts), len(sheet.players)), START)
        _relax(resampled_ratings, starts, player, (targets, left), counts)
        return resampled_ratings


def _results(sheet: Sheet) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the positions at which days begin, and the player and the guesses of each result."""
    day, player = np.nonzero(sheet.played)
    starts = np.searchsorted(day, np.arange(len(sheet.days) + 1))
    return starts, player, sheet.guesses[day, player]


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

    It is a Bradley-Terry model with a prior that keeps all strengths finite, as in M. E. J. Newman, Efficient
    computation of rankings from pairwise comparisons, Journal of Machine Learning Research 24:238 (2023). Instead of
    his fixed-point iteration, scipy's Newton-CG finds the maximum.

    With w_ij the sum of match scores of i against j, the log-likelihood is the sum of w_ij log(p_i / (p_i + p_j)).
    Since the scores of two players on one day add up to 1, it depends on w only through the number of days that i and
    j both played, w_ij + w_ji, which is one matrix product, and through each player's sum of scores.

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


RANKINGS = [
    Elo(name="elo"),
    Elo(name="elo-batch", k=8.0, per_opponent=True, start_of_day=True),
    MapElo(name="map-elo"),
    MapElo(name="map-elo-gaussian", prior="gaussian"),
]
