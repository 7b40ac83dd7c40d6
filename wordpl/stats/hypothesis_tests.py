"""Deterministic tests and intervals of means, shares and quantiles, which stay right if the worst values are rare.

**Means.** n independent values get weights from a flat Dirichlet distribution, together with the worst value that is
possible (N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
variable", Mathematical Methods of Statistics 14, 2005). The p-value of "the mean is not above m" is the probability
that the weighted mean is at most m. If there are two values, this is the interval of Clopper and Pearson; no loss in
1,001 games shows at most 0.3%. Student's test, in contrast, cannot know of a loss that no game has shown yet.

A weight is an exponential variable divided by the sum of all, so the probability is that of a weighted sum of
exponential variables, and is computed by the saddlepoint approximation of R. Lugannani and S. Rice (Advances in Applied
Probability 12, 1980), whose relative error is small in the tails, too.

**Pairs.** Each one-sided paired test takes the results of k entries in n games and returns the p-values of "entry i
is better than entry j", float[k, k]: the probability of evidence at least this strong if it is not better. The
diagonal is 1.
"""

from functools import cache
from math import erfc, log, log1p, sqrt
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from wordpl.core.intervals import ROUNDING
from wordpl.core.words import WordLists
from wordpl.kernels.compiled import is_cached, kernel, plain_for_small_work

Floats = NDArray[np.float64]
Credited: TypeAlias = tuple[Floats, Floats]
"""The values of games without most of the luck, and what each game would be worth if it had been lost."""
Float: TypeAlias = Any
"""A float: a numpy float in a compiled kernel."""

CONFIDENCE = 0.95
MAX_STEPS = 200
"""The maximum number of steps of a root search; most take fewer than ten."""
MAX_PLAIN_VALUES, MAX_PLAIN_AT_ALL = 100, 50_000
"""The number of values, of one call and of all calls, up to which plain Python is faster than loading the kernels."""
PRECISION = 1e-10
"""The precision of root searches, relative to the spread of the values."""
MAX_KNOWN = 64
"""The most arrays whose bounds are remembered: several scores of an entry may be the mean of the same array."""
_known_bounds: dict[tuple[int, float, float, float], tuple["ref[Floats]", tuple[float, float]]] = {}
NEAR_CENTRE = 1e-4
"""The signed root below which the formula divides nearly equal small numbers, and a series takes its place."""


N_RARE = 4
"""The worst value of credited games is the mean of so many: -ln(2.5%) may hide behind those seen."""


def worst_value(lost: Floats, worst: float) -> float:
    """Return the worst value to expect of games, given what each would be worth if it had been lost, float[n].

    A game that is credited without luck may be worth less than a lost one: its luck is subtracted all the same. How far
    depends on how lucky games are, which the games tell. The chance that losses of a share p of the games have not been
    seen yet is exp(-n p), so at most -ln(level) games of n are hidden, and cost what the luckiest seen ones do.

    Args:
        lost: What each game would be worth if it had been lost.
        worst: The smallest possible value of a game without credits.
    """
    return min(worst, float(np.partition(lost, N_RARE - 1)[:N_RARE].mean()) if len(lost) > N_RARE else worst)


def difference_limits(first: Credited, second: Credited, span: float) -> tuple[float, float]:
    """Return the smallest and the largest difference of two entries to expect; see `worst_value`.

    Args:
        first: The values of the first entry's games, float[n], and what they would be worth if they had been lost.
        second: The same of the second entry.
        span: The largest possible difference without credits.
    """
    gaps = [first[1] - second[0], first[0] - second[1]]
    return min(worst_value(gap, -span) for gap in gaps), -min(worst_value(-gap, -span) for gap in gaps)


def p_value(values: Floats, mean: float, worst: float) -> float:
    """Return the p-value of "the mean of the distribution is not above `mean`".

    Args:
        values: Independent values, float[n].
        mean: The hypothetical mean.
        worst: The smallest possible value, at most `mean`.

    >>> round(p_value(np.ones(1001), 0.997, 0.0), 4)  # 1,001 games won: is P(win) at most 0.997?
    0.0494
    """
    gaps = np.append(values - mean, min(worst, values.min(initial=worst)) - mean)
    exact = _of_two_values(gaps)
    if exact is not None:
        return exact
    with plain_for_small_work(_is_small(len(gaps)), _normal_score):
        return float(erfc(-_normal_score(gaps, 0.0) / sqrt(2)) / 2)


def mean_bounds(values: Floats, lowest: float, highest: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the bounds of the confidence interval of the mean.

    Args:
        values: Independent values, float[n].
        lowest: The smallest possible value; a smaller one among the values takes its place.
        highest: The largest possible value, likewise.
        confidence: The confidence level; each bound errs with half of the rest.

    >>> low, high = mean_bounds(np.repeat([0.0, 1.0], 5), 0.0, 1.0)  # as Clopper and Pearson
    >>> round(low, 4), round(high, 4)
    (0.1871, 0.8129)
    """
    if not len(values):
        return lowest, highest
    key = id(values), lowest, highest, confidence
    if key in _known_bounds and _known_bounds[key][0]() is values:
        return _known_bounds[key][1]
    tail = (1 - confidence) / 2
    found = lower_bound(values, lowest, tail), -lower_bound(-values, -highest, tail)
    if len(_known_bounds) >= MAX_KNOWN:
        _known_bounds.clear()
    _known_bounds[key] = ref(values), found
    return found


def lower_bound(values: Floats, worst: float, level: float) -> float:
    """Return the largest mean that is rejected as too low at this level.

    Args:
        values: Independent values, float[n] with n > 0.
        worst: The smallest possible value.
        level: The level of the test, below 0.5.
    """
    worst = min(worst, float(values.min()))
    all_values = np.append(values, worst)
    different = np.unique(all_values)
    if len(different) == 1:
        return worst
    if len(different) == 2:
        from scipy.special import betaincinv  # slow to import

        n_high = int((values == different[1]).sum())
        n_low = len(all_values) - n_high
        share = level ** (1 / n_high) if n_low == 1 else betaincinv(n_high, n_low, level)  # of a beta distribution
        return float(worst + (different[1] - worst) * share)
    from scipy.special import ndtri  # slow to import

    with plain_for_small_work(_is_small(len(all_values)), _lower_bound):
        return float(_lower_bound(all_values, float(ndtri(level))))


def better_means(values: Floats, span: float, lost: Floats | None = None) -> Floats:
    """Return the p-values of "the mean of entry i is not above that of entry j" on common games, float[k, k].

    The diagonal is 1.

    Args:
        values: The value of each game, float[k, n].
        span: The largest possible difference between two values.
        lost: What each game would be worth if it had been lost, float[k, n]; None: games are not credited.
    """
    k = len(values)
    p = np.ones((k, k))
    for i in range(k):
        for j in range(k):
            if i != j and (values[i] != values[j]).any():
                worst = -span
                if lost is not None:
                    worst, _ = difference_limits((values[i], lost[i]), (values[j], lost[j]), span)
                p[i, j] = p_value(values[i] - values[j], 0.0, worst)
    return p


def load_kernels(_lists: WordLists) -> None:
    """Load the kernels, or compile them, by small tests."""
    values = np.array([1.0, 2.0, 4.0])
    lower_bound(values, 0.0, 0.05)
    p_value(values, 2.0, 0.0)


_n_plain = 0


def _is_small(n_values: int) -> bool:
    """Return whether plain Python is faster than loading the kernels for these values, after those before them."""
    global _n_plain
    _n_plain += n_values
    return n_values <= MAX_PLAIN_VALUES and (_n_plain <= MAX_PLAIN_AT_ALL or not _are_cached())


@cache
def _are_cached() -> bool:
    return is_cached(_normal_score) and is_cached(_lower_bound)


def _of_two_values(gaps: Floats) -> float | None:
    """Return P(sum of weighted exponentials <= 0) if the nonzero weights have two values or one sign; else None."""
    n_up, n_down = int((gaps > 0).sum()), int((gaps < 0).sum())
    if not n_up or not n_down:
        return 0.0 if n_up else 1.0
    high, low = gaps.max(), gaps.min()
    if (gaps[gaps > 0] == high).all() and (gaps[gaps < 0] == low).all():
        from scipy.special import betainc  # slow to import

        return float(betainc(n_up, n_down, -low / (high - low)))
    return None


@kernel
def _normal_score(gaps: np.ndarray, shift: float) -> Float:
    """Return the normal quantile of P(sum of weighted exponential variables <= 0) by the saddlepoint approximation.

    Args:
        gaps: The weights before the shift.
        shift: A number to subtract from all weights, between the smallest and the largest.
    """
    s = _saddlepoint(gaps, shift)
    log_mgf, curve, third = 0.0, 0.0, 0.0
    for i in range(len(gaps)):
        gap = gaps[i] - shift
        ratio = gap / (1 - s * gap)
        log_mgf -= log1p(-s * gap)
        curve += ratio * ratio
        third += 2 * ratio * ratio * ratio
    root = np.sign(s) * sqrt(max(0.0, -2 * log_mgf))
    if abs(root) < NEAR_CENTRE:
        return root + third / curve**1.5 / 6
    return root + log(s * sqrt(curve) / root) / root


@kernel
def _extremes(values: np.ndarray) -> tuple[Float, Float]:
    """Return the smallest and the largest value; numba takes a second to compile numpy's own functions for that."""
    smallest = largest = values[0]
    for value in values:
        smallest, largest = min(smallest, value), max(largest, value)
    return smallest, largest


@kernel
def _saddlepoint(gaps: np.ndarray, shift: float) -> Float:
    """Return the s with sum gap / (1 - s gap) = 0, by Newton's method between the poles nearest to 0."""
    smallest, largest = _extremes(gaps)
    left, right, s = 1 / (smallest - shift), 1 / (largest - shift), 0.0
    for _ in range(MAX_STEPS):
        slope, curve = 0.0, 0.0
        for i in range(len(gaps)):
            ratio = (gaps[i] - shift) / (1 - s * (gaps[i] - shift))
            slope += ratio
            curve += ratio * ratio
        left, right = (left, s) if slope > 0 else (s, right)
        step = -slope / curve
        if abs(step) * sqrt(curve) < PRECISION:
            break
        s = s + step if left < s + step < right else (left + right) / 2
    return s


@kernel
def _lower_bound(values: np.ndarray, quantile: float) -> Float:
    """Return the mean whose p-value has this normal quantile, which is negative, by regula falsi (Illinois).

    Args:
        values: The values with the worst one, not all equal.
        quantile: The normal quantile of the level.
    """
    total, squares = 0.0, 0.0
    for value in values:  # loops, as numpy adds in another order
        total += value
    low, largest = _extremes(values)
    high, span = total / len(values), largest - low
    for value in values:
        squares += (value - high) * (value - high)
    below, above = -np.inf, _normal_score(values, high) - quantile
    middle = high + 1.05 * quantile * sqrt(squares) / len(values)
    side = 0
    for _ in range(MAX_STEPS):
        if not low < middle < high:
            middle = (low + high) / 2
        excess = _normal_score(values, middle) - quantile
        if abs(excess) < PRECISION or high - low < PRECISION * span:
            break
        if excess < 0:
            low, below = middle, excess
            above = above / 2 if side < 0 else above
            side = -1
        else:
            high, above = middle, excess
            below = below / 2 if side > 0 else below
            side = 1
        middle = low + (high - low) * below / (below - above) if below > -np.inf else (low + high) / 2
    return middle


def mcnemar(only_first: NDArray[np.int64], only_second: NDArray[np.int64]) -> Floats:
    """Return the p-values of McNemar's exact test (Psychometrika 12, 1947).

    It is the probability of at least `only_first` heads in `only_first + only_second` tosses of a fair coin.

    Args:
        only_first: The numbers of games that only the first entry has won.
        only_second: The numbers of games that only the second entry has won.
    """
    if not np.any(only_first):
        return np.ones(np.shape(only_first))
    from scipy.special import bdtrc  # slow to import

    tosses = only_first + only_second
    p = bdtrc(only_first - 1, tosses, 0.5)
    return np.where(only_first > 0, p, 1.0)


def share_test(hits: Floats) -> Floats:
    """Return the p-values of a larger share of hits by McNemar's exact test; hits: 0 or 1, float[k, n]."""
    only = np.rint(np.einsum("in,jn->ij", hits, 1 - hits)).astype(np.int64)
    return mcnemar(only, only.T)


def quantile_test(costs: Floats, q: float) -> Floats:
    """Return the p-values of a lower q-quantile; costs: infinite for lost games, float[k, n].

    If the quantile of i is not below t, the quantile of j, then P(cost of i < t) <= q <= P(cost of j <= t). Each t
    gives a table of the games within it: both, only i, only j, none. The p-value is that of the likelihood ratio of
    these tables at the best-fitting t, by its signed root, which is approximately normal (A. B. Owen, Empirical
    Likelihood, 2001, chapters 2 and 3). A continuity correction moves half a game against each side. The p-value
    is at least 2^-m if m games differ, that of m coin tosses with the same result.
    """
    from scipy.special import ndtr

    k = len(costs)
    p = np.ones((k, k))
    with np.errstate(over="ignore"):  # the largest budget counts as infinite
        below = np.nextafter(np.where(np.isinf(costs), np.inf, costs * (1 + ROUNDING)), np.inf)  # below <= t: cost < t
    sorted_below, sorted_costs = np.sort(below, axis=1), np.sort(costs, axis=1)
    for j in range(k):
        thresholds = _thresholds(sorted_costs[j], q)
        limits = np.where(np.isinf(thresholds), np.finfo(float).max, thresholds)
        n_second = np.searchsorted(sorted_costs[j], thresholds, side="right").astype(float)
        for i in range(k):
            differing = np.count_nonzero((below[i] <= costs[j]) | (below[j] <= costs[i]))
            if i != j and differing:
                n_first = np.searchsorted(sorted_below[i], limits, side="right").astype(float)
                n_both = _n_within(np.maximum(below[i], costs[j]), limits)
                n_shared = np.where(np.isinf(thresholds), n_first, n_both)
                tables = _tables(n_shared, n_first, n_second, costs.shape[1])
                p[i, j] = max(ndtr(-np.sqrt(_likelihood_ratio(*tables, q).min())), 0.5**differing)
    return p


def _thresholds(costs: Floats, q: float) -> Floats:
    """Return the candidates for the q-quantile: the costs within eight standard deviations of its rank.

    Args:
        costs: The costs in ascending order.
        q: The share.
    """
    n = len(costs)
    reach = int(8 * np.sqrt(n * q * (1 - q))) + 8
    middle = int(n * q)
    return np.unique(costs[max(0, middle - reach) : middle + reach + 1])


def _n_within(values: Floats, limits: Floats) -> NDArray[np.int64]:
    """Return how many values do not exceed each limit, int[t].

    Only the few values between the outer limits are sorted.

    Args:
        limits: The limits in ascending order.
    """
    n_below = np.count_nonzero(values <= limits[0])
    relevant = np.sort(values[(values > limits[0]) & (values <= limits[-1])])
    return np.asarray(n_below + np.searchsorted(relevant, limits, side="right"), np.int64)


def _tables(both: Floats, n_first: Floats, n_second: Floats, n: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return for each threshold the corrected numbers of games within it: both, only the first, only the second, none.

    Args:
        both: The number of games in which both are within the threshold, float[t].
        n_first: The number of games in which the first is, float[t].
        n_second: The number of games in which the second is, float[t].
        n: The number of all games.

    Returns:
        Four arrays float[t], with the continuity correction against each side.
    """
    first, second_alone, none = n_first - both, n_second - both, n - n_first - n_second + both
    from_first = np.minimum(0.5, first)
    both, first, none = both - np.minimum(0.5 - from_first, both), first - from_first, none + from_first
    from_none = np.minimum(0.5, none)
    return both, first, second_alone + from_none + (n_first - both - first - from_first), none - from_none


def _likelihood_ratio(both: Floats, first: Floats, second: Floats, none: Floats, q: float) -> Floats:
    """Return twice the log-likelihood ratio against P(first) <= q <= P(second) for each table, float[t].

    The constrained maximum is on the first bound, on the second, or on both, which is the root of a quadratic.
    """
    total = both + first + second + none
    counts = np.array([both, first, second, none])
    free = np.array([both + first <= q * total, both + second >= q * total]).all(axis=0)
    rows, columns = both + first, both + second
    with np.errstate(divide="ignore", invalid="ignore"):
        on_first = np.array([both / rows * q, first / rows * q, second / (total - rows) * (1 - q),
                             none / (total - rows) * (1 - q)])  # fmt: skip
        on_second = np.array([both / columns * q, first / (total - columns) * (1 - q), second / columns * q,
                              none / (total - columns) * (1 - q)])  # fmt: skip
        x = _on_both_bounds(both, first + second, none, q)
        candidates = [
            (on_first, on_first[0] + on_first[2] >= q * (1 - ROUNDING)),
            (on_second, on_second[0] + on_second[1] <= q * (1 + ROUNDING)),
            (np.array([x, q - x, q - x, 1 - 2 * q + x]), np.ones(len(total), bool)),
        ]
        ratios = []
        for chances, allowed in candidates:
            log_ratios = np.where(counts > 0, counts * np.log(counts / total / chances), 0.0)
            ratios.append(np.where(allowed, 2 * log_ratios.sum(axis=0), np.inf))
    ratio = np.nan_to_num(np.minimum.reduce(np.nan_to_num(ratios, nan=np.inf)), posinf=1e6)
    return np.where(free, 0.0, np.maximum(ratio, 0.0))


def _on_both_bounds(both: Floats, one: Floats, none: Floats, q: float) -> Floats:
    """Return the x that maximizes both log(x) + one log(q - x) + none log(1 - 2 q + x), within its range."""
    total, low = both + one + none, max(0.0, 2 * q - 1)
    slope = both * (3 * q - 1) - one * (1 - 2 * q) + none * q
    root = np.sqrt(np.maximum(slope**2 + 4 * total * both * q * (1 - 2 * q), 0))
    return np.clip((slope + root) / (2 * total), low, q)


def holm_step_down(p: Floats, level: float) -> NDArray[np.bool_]:
    """Return which of the k (k - 1) hypotheses are rejected with a family-wise error rate of `level`, bool[k, k].

    S. Holm, Scandinavian Journal of Statistics 6 (1979): the smallest p-value is compared with level / m, the next one
    with level / (m - 1), until one is larger.

    Args:
        p: The p-values, float[k, k]; the diagonal is ignored.
        level: The family-wise error rate.
    """
    k = len(p)
    rejected = np.zeros((k, k), bool)
    pairs = np.flatnonzero(~np.eye(k, dtype=bool).ravel())
    ranked = pairs[np.argsort(p.ravel()[pairs], kind="stable")]
    limits = level / np.arange(len(ranked), 0, -1)
    fails = np.flatnonzero(p.ravel()[ranked] > limits)
    rejected.ravel()[ranked[: fails[0] if len(fails) else len(ranked)]] = True
    return rejected
