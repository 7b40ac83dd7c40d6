"""Anytime-valid sequential tests of a probability and of the sign of a mean.

They may be evaluated after every game without inflating errors.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

import numpy as np

from wordpl.core.intervals import ROUNDING
from wordpl.stats.scores.score import CONFIDENCE, Floats

LOG_MEAN_THRESHOLD = float(-np.log((1 - CONFIDENCE) / 2))
"""The log evidence at which the test decides for a side; each side errs in at most 2.5% of all runs."""
BETS = np.concatenate([[0.995], 0.95 * 2.0 ** (-np.arange(12) / 2)])
"""The stakes of the bets, from one suited to a large difference to one suited to a fraction of a percentage point."""
LARGEST_WEIGHT = 0.3
"""The share of the capital for the largest stake, which is the best one if values vary little."""
WEIGHTS = np.concatenate([[LARGEST_WEIGHT], np.full(12, (1 - LARGEST_WEIGHT) / 12)])
"""The share of the initial capital for each bet."""
BISECTION_STEPS = 20
"""The bisection steps for a bound of an interval, which give a precision of 4e-6."""

Side = Literal["above", "below", "open"]


@dataclass(frozen=True)
class MeanTestResult:
    """The result of a sequential test of a mean.

    Attributes:
        verdict: Whether the mean is "above" or "below" 0, or "open" if the test has not decided.
        n_read: The number of values.
        after: The number of values after which the test decided; None if it has not.
        mean: The mean of all values, 0 if there are none.
        evidence: The log evidence for the leading side; after a decision, its maximum.
        n_more: The estimated number of further values until a decision; infinite if there is no trend.
    """

    verdict: Side
    n_read: int
    after: int | None
    mean: float
    evidence: float
    n_more: float


def log_capitals(
    values: Floats, mean: float = 0.0, population: int | None = None, counted: Floats | None = None
) -> Floats:
    """Return the log capital of each bet against "the mean is at most `mean`" after each value, float[bets, n].

    Args:
        values: Values in [-1, 1], in their order.
        mean: The hypothetical mean in [-1, 1].
        population: The size of the population for sampling without replacement; None: sampling with replacement.
        counted: The values of the population, if `values` are these minus terms whose mean is zero before each.
    """
    if population is None:
        gaps = (values - mean) / (1 + mean)
    else:
        before = np.concatenate([[0.0], np.cumsum(values if counted is None else counted)[:-1]])
        left = population - np.arange(len(values))
        means = np.maximum((population * mean - before) / left, -1 + ROUNDING)
        gaps = (values - means) / (1 + means)
    return np.asarray(np.cumsum(np.log1p(BETS[:, None] * gaps), axis=1))


@dataclass(frozen=True, eq=False)
class Reduced:
    """The same values minus terms with mean zero, which vary less but may be larger.

    Attributes:
        values: Values in [-span, span] with the same mean, each minus terms that depend on earlier values and on draws
            with mean zero, float[n].
        span: Their largest possible absolute value.
    """

    values: Floats
    span: float

    def __neg__(self) -> "Reduced":
        """Return the values with the opposite sign."""
        return Reduced(-self.values, self.span)


def log_mean_evidence(
    values: Floats, mean: float = 0.0, population: int | None = None, reduced: Reduced | None = None
) -> Floats:
    """Return the log evidence for "the mean is above `mean`" after each value, float[n]; see `log_capitals`.

    With reduced values, half of the capital is bet on them.
    """
    evidence = log_capital(log_capitals(values, mean, population))
    if reduced is None:
        return evidence
    span = reduced.span
    of_reduced = log_capital(log_capitals(reduced.values / span, mean / span, population, values / span))
    return np.asarray(np.logaddexp(evidence, of_reduced) - np.log(2))


def mean_test(values: Floats, population: int | None = None, reduced: Reduced | None = None) -> MeanTestResult:
    """Test whether the mean of values is above or below 0.

    Args:
        values: Values in [-1, 1] in an order that is independent of them, float[n].
        population: The size of the population for sampling without replacement; None: sampling with replacement.
        reduced: The same values with less variance, if there are any.
    """
    n = len(values)
    if n == 0:
        return MeanTestResult("open", 0, None, 0.0, 0.0, np.inf)
    sides: dict[Side, tuple[Floats, Reduced | None]] = {
        "above": (values, reduced), "below": (-values, None if reduced is None else -reduced),
    }  # fmt: skip
    paths = {side: log_mean_evidence(signed, 0.0, population, less) for side, (signed, less) in sides.items()}
    first = {side: after for side, path in paths.items() if (after := _first_at_least(path, LOG_MEAN_THRESHOLD))}
    mean = _mean(values, None if n == population else reduced)
    if population is not None and n == population and abs(mean) > ROUNDING and not first:
        return MeanTestResult("above" if mean > 0 else "below", n, n, mean, np.inf, 0.0)
    if first:
        side = min(first, key=lambda candidate: first[candidate])
        return MeanTestResult(side, n, first[side], mean, float(paths[side].max()), 0.0)
    leading: Side = "above" if mean >= 0 else "below"
    now = float(paths[leading][-1])
    signed, less = sides[leading]
    gains = [signed] if less is None else [signed, less.values / less.span]
    growth = max(float(np.log1p(BETS[:, None] * own).mean(axis=1).max()) for own in gains)
    n_more = (LOG_MEAN_THRESHOLD - now) / growth if growth > 0 else np.inf
    return MeanTestResult("open", n, None, mean, now, n_more if population is None else min(n_more, population - n))


N_FUTURES, N_KINDS = 200, 32
"""The number of possible futures of a forecast, and of the kinds of values that it tells apart."""
HORIZON = np.unique(np.round(np.geomspace(1, 1e7, 48))).astype(np.int64)
"""After how many further values a forecast looks."""
FORECAST_TAIL = 0.025
MIN_FORECAST = 20
"""The number of values below which there is no forecast."""


@dataclass(frozen=True)
class Forecast:
    """How many further values an open test will probably need.

    Attributes:
        n_more: As many as needed in half of the possible futures; infinite if more than 10 million are.
        low, high: They lie between with a probability of 95%.
    """

    n_more: float
    low: float
    high: float


def forecast(values: Floats, reduced: Reduced | None = None, population: int | None = None) -> Forecast:
    """Return how many further values the open test `mean_test` will need.

    In each of many futures, the distribution of values is drawn from what those seen say of it (the Bayesian bootstrap,
    D. B. Rubin, Annals of Statistics 9, 1981), further values from this distribution, and the test reads them. The same
    values always have the same forecast.

    Args:
        values: Values in [-1, 1], float[n].
        reduced: The same values with less variance, if there are any.
        population: The size of the population for sampling without replacement: then no more than the rest are needed.
    """
    n, rng = len(values), np.random.default_rng(len(values))
    most = np.inf if population is None else float(population - n)
    if n < MIN_FORECAST:
        return Forecast(min(np.inf, most), 0.0, most)
    order = np.argsort(values if reduced is None else reduced.values, kind="stable")
    kinds = np.unique(((np.arange(min(n, N_KINDS)) + 0.5) * n / min(n, N_KINDS)).astype(int))
    chosen, share = order[kinds], n / len(kinds)
    weights = rng.standard_gamma(share, (N_FUTURES, 1, len(kinds)))
    steps = np.diff(HORIZON, prepend=0)[None]
    counts = rng.multinomial(steps, weights / weights.sum(axis=-1, keepdims=True)).astype(
        float
    )  # [futures, steps, kinds]
    shift = values.mean() - values[chosen].mean()  # the kinds have the mean of all values
    after = np.full(N_FUTURES, np.inf)
    for sign in (1.0, -1.0):
        evidence = _after(sign * values, sign * (values[chosen] + shift), counts)
        if reduced is not None:
            less, span = reduced.values, reduced.span
            moved = less[chosen] + less.mean() - less[chosen].mean()
            own = _after(sign * less / span, sign * moved / span, counts)
            evidence = np.logaddexp(evidence, own) - np.log(2)
        reached = evidence >= LOG_MEAN_THRESHOLD
        first = reached.argmax(axis=1)
        ends = np.sqrt(HORIZON[first].astype(float) * HORIZON[np.maximum(first - 1, 0)])
        after = np.minimum(after, np.where(reached.any(axis=1), ends, np.inf))
    low, middle, high = np.quantile(after, [FORECAST_TAIL, 0.5, 1 - FORECAST_TAIL], method="inverted_cdf")
    return Forecast(*(float(min(number, most)) for number in (middle, low, high)))


N_PATHS = 2000
"""The number of possible futures of a board."""


def games_to_decide(z: float, critical: float, n_games: int) -> Forecast:
    """Return how many more games would decide a test of a fixed number of games that is open.

    The standardized difference of two entries grows with the square root of the number of games, by a drift that the
    games so far leave uncertain by one standard error. In each of many futures, the drift is drawn from this
    distribution, and the difference moves on as a Brownian motion with it until the test would decide for either side.
    The same arguments always have the same forecast.

    Args:
        z: The difference now, in its standard errors.
        critical: From which absolute value on the test decides.
        n_games: The number of games so far.
    """
    rng, steps = np.random.default_rng(n_games), np.diff(HORIZON, prepend=0)
    drift = (z + rng.standard_normal(N_PATHS)) / np.sqrt(n_games)
    moves = drift[:, None] * steps + rng.standard_normal((N_PATHS, len(steps))) * np.sqrt(steps)
    future = (z * np.sqrt(n_games) + np.cumsum(moves, axis=1)) / np.sqrt(n_games + HORIZON)
    reached = np.abs(future) >= critical
    after = np.where(reached.any(axis=1), HORIZON[reached.argmax(axis=1)].astype(float), np.inf)
    low, middle, high = np.quantile(after, [FORECAST_TAIL, 0.5, 1 - FORECAST_TAIL], method="inverted_cdf")
    return Forecast(float(middle), float(low), float(high))


def _after(seen: Floats, kinds: Floats, counts: Floats) -> Floats:
    """Return the log evidence after the seen values and so many further ones of each kind, float[futures, steps]."""
    now = np.log1p(BETS[:, None] * seen).sum(axis=1)
    gains = np.log1p(BETS[:, None] * np.clip(kinds, -1, 1))
    capitals = now + np.cumsum(counts @ gains.T, axis=1)  # [futures, steps, bets]
    top = capitals.max(axis=-1)
    return np.asarray(top + np.log(np.exp(capitals - top[..., None]) @ WEIGHTS))


def _mean(values: Floats, reduced: Reduced | None) -> float:
    """Return the estimate of the mean."""
    return float((values if reduced is None else reduced.values).mean())


def mean_interval(values: Floats, population: int | None = None, reduced: Reduced | None = None) -> tuple[float, float]:
    """Return the bounds of an anytime-valid 95% confidence interval of the mean; arguments as for `mean_test`."""
    if len(values) == 0:
        return -1.0, 1.0
    if population is not None and len(values) == population:
        return float(values.mean()), float(values.mean())
    if reduced is None:
        return _lower_end(values, population), -_lower_end(-values, population)
    return _lower_end_of_both(values, reduced, population), -_lower_end_of_both(-values, -reduced, population)


def _lower_end_of_both(values: Floats, reduced: Reduced, population: int | None) -> float:
    """Return the largest mean that the test with reduced values rejects as too low, or -1 if there is none."""
    low, high, once = -1.0, max(-1.0, _mean(values, reduced)), np.ones(len(values))
    for _ in range(BISECTION_STEPS if high > low else 0):
        middle = (low + high) / 2
        if population is not None:
            is_rejected = log_mean_evidence(values, middle, population, reduced)[-1] >= LOG_MEAN_THRESHOLD
            low, high = (middle, high) if is_rejected else (low, middle)
            continue
        of_values = _final_evidence(values, once, middle, None)
        of_reduced = _final_evidence(reduced.values / reduced.span, once, middle / reduced.span, None)
        is_rejected = np.logaddexp(of_values, of_reduced) - np.log(2) >= LOG_MEAN_THRESHOLD
        low, high = (middle, high) if is_rejected else (low, middle)
    return low


def _lower_end(values: Floats, population: int | None) -> float:
    """Return the largest mean that the test rejects as too low, or -1 if there is none."""
    low, high = -1.0, float(values.mean())
    if high <= low:
        return low  # no mean is lower, and the odds for this one are infinite
    weights = None
    if population is None:
        values, counts = np.unique(values, return_counts=True)  # the order does not matter in this case
        weights = counts.astype(float)
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        is_rejected = _final_evidence(values, weights, middle, population) >= LOG_MEAN_THRESHOLD
        low, high = (middle, high) if is_rejected else (low, middle)
    return low


def _final_evidence(values: Floats, weights: Floats | None, mean: float, population: int | None) -> float:
    if weights is None:
        return float(log_mean_evidence(values, mean, population)[-1])
    capitals = np.log1p(BETS[:, None] * ((values - mean) / (1 + mean))) @ weights
    return float(log_capital(capitals[:, None])[0])


def log_capital(capitals: Floats) -> Floats:
    """Return the logarithm of the whole capital, float[n]; capitals: log capitals of the bets, float[bets, n]."""
    top = capitals.max(axis=0)
    return np.asarray(top + np.log(WEIGHTS @ np.exp(capitals - top)))


PRIOR_GAMES = 2000
"""The parameter s of the prior.

Of 200, 1,000, 3,000 and 10,000, the middle ones detect a probability 1 point above 50 % soonest within 20,000 games.
"""
LOG_THRESHOLD = -np.log(1 - CONFIDENCE)


@dataclass(frozen=True)
class SequentialTestResult:
    """The result of a sequential test of a probability.

    Attributes:
        verdict: Whether the probability is "above" or "below" q, or "open" if the test has not decided. Each decision
            is wrong in at most 5% of all runs, however often one looks.
        n_read: The number of games.
        after: The number of games after which the test decided; None if it has not.
    """

    verdict: Side
    n_read: int
    after: int | None = None


def log_evidence(n_won: np.ndarray, n_games: np.ndarray, q: float) -> np.ndarray:
    """Return the log evidence for P(win) > q; the test decides when it reaches LOG_THRESHOLD.

    Args:
        n_won: The numbers of games won.
        n_games: The numbers of games, an array of the same shape.
        q: The probability.
    """
    from scipy.special import betaincc, betaln, xlog1py, xlogy  # slow to import

    a, b = PRIOR_GAMES * q, PRIOR_GAMES * (1 - q)
    n_lost = n_games - n_won
    with np.errstate(divide="ignore"):  # if the posterior above q underflows to 0, there is no evidence
        above = np.log(betaincc(a + n_won, b + n_lost, q) / betaincc(a, b, q))
    evidence: np.ndarray = betaln(a + n_won, b + n_lost) - betaln(a, b) + above - xlogy(n_won, q) - xlog1py(n_lost, -q)
    return evidence


def sequential_test(won: np.ndarray, q: float) -> SequentialTestResult:
    """Test whether P(win) is above or below q.

    Args:
        won: Whether each game was won, in an order that is independent of the results, bool[n].
        q: The probability.
    """
    n_games = np.arange(1, len(won) + 1)
    n_won = np.cumsum(won)
    return _decided(log_evidence(n_won, n_games, q), log_evidence(n_games - n_won, n_games, 1 - q))


def _decided(above: Floats, below: Floats) -> SequentialTestResult:
    """Return the result of a test, given the log evidence for each side after each game, float[n]."""
    first: dict[Side, int] = {
        "above": _first_at_least(above, LOG_THRESHOLD), "below": _first_at_least(below, LOG_THRESHOLD)
    }  # fmt: skip
    side = min(first, key=lambda side: first[side] or np.inf)
    return SequentialTestResult(side if first[side] else "open", len(above), first[side] or None)


def _first_at_least(path: Floats, threshold: float) -> int:
    """Return the number of the first value of at least this size, from 1; 0 if there is none."""
    reached = np.flatnonzero(path >= threshold)
    return int(reached[0]) + 1 if len(reached) else 0


def sequential_pair_test(first: np.ndarray, second: np.ndarray) -> SequentialTestResult:
    """Test which of two entries wins more often.

    Only games that exactly one of them has won count: for equally good entries, each is like the toss of a fair coin.

    Args:
        first: Whether the first entry has won each game, in the order of play, bool[n].
        second: Whether the second entry has won it, bool[n].
    """
    differing = np.flatnonzero(first != second)
    result = sequential_test(first[differing], 0.5)
    after = int(differing[result.after - 1]) + 1 if result.after else None
    return SequentialTestResult(result.verdict, len(first), after)


def sequential_mean_test(values: np.ndarray, q: float, limits: tuple[float, float]) -> SequentialTestResult:
    """Test whether the mean of bounded values is above or below q, in place of counted wins.

    A bettor stakes shares of a capital on each value, see `compare.bounded_means`.

    Args:
        values: The values in an order that is independent of them, float[n].
        q: The mean to compare with, strictly between the limits.
        limits: The smallest and the largest possible value.

    Raises:
        ValueError: A value is outside the limits: the errors would not be bounded.
    """
    low, high = limits
    if ((values < low - ROUNDING) | (values > high + ROUNDING)).any():
        raise ValueError(f"values should be from {low} to {high}, got {values.min()} to {values.max()}.")
    return _decided(_betting_evidence((values - q) / (q - low)), _betting_evidence((q - values) / (high - q)))


def _betting_evidence(gains: np.ndarray) -> np.ndarray:
    """Return the log of the capital of all bets after each value; gains: at least -1, float[n]."""
    return log_capital(np.cumsum(np.log1p(np.maximum(BETS[:, None] * gains, -1 + ROUNDING)), axis=1))


def in_order(played: Collection[int], order: Sequence[int]) -> list[int]:
    """Return the numbers of played games in the order of play, up to the first one that has not been played.

    Later games that have already been played are left out: they are the faster ones, which would bias the test.
    """
    finished = set(played)
    return list(takewhile(finished.__contains__, order))
