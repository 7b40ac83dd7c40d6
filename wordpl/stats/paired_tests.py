"""Deterministic one-sided paired tests of whether one entry is better than another on the same games.

Each test takes the results of k entries in n games and returns the p-values of "entry i is better than entry j",
float[k, k]: the probability of evidence at least this strong if it is not better. The diagonal is 1.
"""

import numpy as np
from numpy.typing import NDArray

from wordpl.core.intervals import ROUNDING

Floats = NDArray[np.float64]


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
