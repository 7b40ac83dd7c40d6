"""Comparisons of the budgets within which a share `q` of games is won, from values without most of the luck.

If the quantile of entry i is not below t, the quantile of j, then P(i wins below t) <= q <= P(j wins within t). The
evidence against this is a weighted mean of how far the games of i are above q and those of j below it, with the weights
for which it is most significant (the signed root of the likelihood ratio against a quadrant). Its p-value stays right
if the worst games are rare: see `wordpl.stats.hypothesis_tests`. As t is unknown, the largest p-value of all t counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import mean_bounds, p_value
from wordpl.stats.scores.score import CONFIDENCE, Estimate, Floats

DRAWS = 2000
N_SPREADS = 60
"""The number of points on the grid of spreads."""
LARGEST_SPREAD = 1e4
"""The largest spread on the grid, relative to the typical standard error."""
SMALLEST_SPREAD = 1e-2
"""The smallest spread on the grid, likewise."""
FLAT_ERRORS = 2.0
"""The spread, in typical standard errors, up to which the prior of the spread is nearly flat."""
MAX_CORRELATED = 64
"""The most entries whose errors are correlated in the model of their true scores."""
TINY = 1e-12
"""The variance, relative to the largest one, that is added for numerical stability."""


def covariance_of_means(values: Floats) -> Floats:
    """Return the covariance of the means of the entries' values in common games, float[k, k]; values: float[k, n].

    The errors of more than MAX_CORRELATED entries count as independent: the games do not show so many correlations.
    """
    n = values.shape[1]
    if n < 2:
        return np.zeros((len(values), len(values)))
    if len(values) > MAX_CORRELATED:
        return np.diag(values.var(axis=1, ddof=1) / n)
    gaps = values - values.mean(axis=1, keepdims=True)
    return np.asarray(gaps @ gaps.T / (n - 1) / n)


def probable_scores(estimates: Floats, covariance: Floats, rng: np.random.Generator, draws: int = DRAWS) -> Floats:
    """Return draws of the true scores from their posterior distribution, float[k, draws].

    The true scores are normal around a common mean, which has a flat prior. The density of their standard deviation is
    proportional to 1 / sqrt(spread^2 + (2 error)^2): it is flat (A. Gelman, Bayesian Analysis 1, 2006) for spreads
    below the typical error of an entry, and that of Jeffreys for large ones. Both are integrated over.

    Args:
        estimates: The estimated scores, float[k].
        covariance: The covariance of their errors, float[k, k].
        rng: Draws the scores.
        draws: The number of draws.
    """
    k, largest = len(estimates), float(np.diag(covariance).max(initial=0.0))
    if largest == 0:
        return np.repeat(estimates[:, None], draws, axis=1)
    errors, axes = np.linalg.eigh(covariance)
    errors = np.maximum(errors, 0) + TINY * largest
    middle = float(np.mean(estimates))  # for numerical stability
    along, ones = axes.T @ (estimates - middle), axes.T @ np.ones(k)
    noise = axes @ (np.sqrt(errors)[:, None] * rng.standard_normal((k, draws)))
    if k < 3:  # two entries do not show a spread
        return np.asarray(estimates[:, None] + noise)
    typical = float(np.mean(np.diag(covariance))) - float(covariance.sum() - np.trace(covariance)) / (k * (k - 1))
    typical = max(typical, TINY * largest)
    spreads = typical * np.geomspace(SMALLEST_SPREAD, LARGEST_SPREAD, N_SPREADS) ** 2
    total = errors[:, None] + spreads  # [k, spreads]
    precision = (ones[:, None] ** 2 / total).sum(axis=0)
    mean = (ones[:, None] * along[:, None] / total).sum(axis=0) / precision
    misfit = ((along[:, None] - ones[:, None] * mean) ** 2 / total).sum(axis=0)
    log_weight = -0.5 * (np.log(total).sum(axis=0) + np.log(precision) + misfit)
    log_weight -= 0.5 * np.log(spreads + FLAT_ERRORS**2 * typical)
    log_weight += 0.5 * np.log(spreads)  # the standard deviations per step of the grid
    weight = np.exp(log_weight - log_weight.max())
    chosen = rng.choice(N_SPREADS, draws, p=weight / weight.sum())
    common = mean[chosen] + rng.standard_normal(draws) / np.sqrt(precision[chosen])
    pull = errors[:, None] / total[:, chosen]
    centres = along[:, None] - pull * (along[:, None] - ones[:, None] * common)
    deviations = np.sqrt(errors[:, None] * (1 - pull)) * rng.standard_normal((k, draws))
    return np.asarray(middle + axes @ (centres + deviations))


def chances_of_being_best(worth: Floats) -> Floats:
    """Return the share of draws in which each entry is the best, float[k]; tied entries share a draw equally.

    Args:
        worth: The score of each entry in each draw, where higher is better, float[k, draws]. If all are infinitely
            bad, no entry is the best.
    """
    is_best = (worth == worth.max(axis=0)) & np.isfinite(worth)
    return np.asarray((is_best / np.maximum(1, is_best.sum(axis=0))).mean(axis=1))


MAX_CELLS = 32
"""The number of ranges of budgets among which a quantile is looked for."""
REACH = 4.5
"""How far from the share `q` the wins within a budget may be, in standard errors, for it to be looked at closely."""
IRRELEVANT = 0.1
"""The p-value from which larger ones are not looked for."""


@dataclass(frozen=True, eq=False)
class BudgetQuantile:
    """The quantile of one entry.

    Attributes:
        entry: The games of the entry, without most of the luck.
        q: The share of games.
    """

    entry: LuckCorrected
    q: float

    @cached_property
    def budgets(self) -> Floats:
        """The different sums of epsilons of the entry's games near the quantile, in ascending order."""
        spent = self.entry.luck.spent
        different = np.unique(spent)
        if len(different) <= MAX_CELLS:
            return different
        order = np.argsort(spent, kind="stable")
        share = np.cumsum(self.entry.luck.answer[order]) / len(order)
        middle = min(int(np.searchsorted(share, self.q)), len(order) - 1)
        error = self.entry.win_within(spent[order[middle]]).std() / np.sqrt(len(order))
        # The shares are those before the correction of luck, which moves them by a few standard errors at most.
        first, last = np.searchsorted(share, [self.q - 3 * REACH * error, self.q + 3 * REACH * error])
        return np.unique(spent[order[max(0, first - 1) : last + 1]])

    @cached_property
    def cells(self) -> list[tuple[float, float]]:
        """Ranges of the budgets, each with its first and last one."""
        parts = np.array_split(self.budgets, min(MAX_CELLS, len(self.budgets)))
        return [(float(part[0]), float(part[-1])) for part in parts]

    @cached_property
    def curve(self) -> Floats:
        """The estimate of P(win within b) for the last budget b of each cell; it never falls."""
        shares = [float(self.entry.win_within(last).mean()) for _, last in self.cells]
        return np.maximum.accumulate(shares)

    def at_share(self, shares: Floats) -> Floats:
        """Return the budgets within which these shares of games are won, according to the estimated curve."""
        ends = np.array([last for _, last in self.cells])
        if len(self.budgets) > len(self.cells):  # the budgets are nearly continuous
            found = np.interp(shares, self.curve, ends)
        else:
            found = ends[np.minimum(np.searchsorted(self.curve, shares), len(ends) - 1)]
        return np.where(shares > self.curve[-1], np.inf, found)

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return the quantile with its confidence interval; both may be infinite.

        The interval of P(win within the quantile) is that of `hypothesis_tests`, and the curve turns it into budgets.
        For an entry that always spends the same, the quantile is this budget or infinite, and the interval tells
        whether it is known which.
        """
        mean = float(self.near.mean())
        low, high = mean_bounds(self.near, 0.0, 1.0, confidence)
        shares = np.array([self.q, self.q - (high - mean), self.q + (mean - low)])
        return Estimate(*map(float, self.at_share(shares)))

    @cached_property
    def near(self) -> Floats:
        """Values of the games whose mean estimates P(win within the quantile, or within the largest budget)."""
        index = min(int(np.searchsorted(self.curve, self.q)), len(self.curve) - 1)
        return self.entry.win_within(self.cells[index][1])


def lower_quantiles(entries: Sequence[LuckCorrected], q: float) -> Floats:
    """Return the p-values of "the quantile of entry i is not below that of entry j", float[k, k]; the diagonal is 1.

    Args:
        entries: The entries, with the same games.
        q: The share of games.
    """
    quantiles = [BudgetQuantile(entry, q) for entry in entries]
    return np.array([[1.0 if i == j else _p_value(first, second) for j, second in enumerate(quantiles)]
                     for i, first in enumerate(entries)])  # fmt: skip


def _p_value(first: LuckCorrected, second: BudgetQuantile) -> float:
    """Return the largest p-value of all ranges of budgets that may contain the second quantile."""
    q, cells, other = second.q, second.cells, second.entry
    middle = int(np.searchsorted(second.curve, q))
    largest = 0.0
    beyond = np.inf if cells[-1][1] >= other.luck.spent.max() else cells[-1][1]  # the quantile may be infinite
    largest = _evidence(first.win_within(beyond) - q, None, q)
    if cells[0][0] > other.luck.spent.min():
        largest = max(largest, _evidence(None, q - other.win_within(cells[0][0], strictly=True), q))
    for below, within in sorted(cells, key=lambda cell: abs(cells.index(cell) - middle)):
        if largest > IRRELEVANT:
            break
        above = first.win_within(below, strictly=True) - q
        largest = max(largest, _evidence(above, q - other.win_within(within), q))
    return largest


def _evidence(above: Floats | None, below: Floats | None, q: float) -> float:
    """Return the p-value of "neither mean is positive", for the weighted mean that speaks most against it.

    Args:
        above: How far the values of the first entry are above q; None if the first wins no game within the budgets.
        below: How far those of the second are below q; None if its budget is unlimited.
        q: The share of games.
    """
    if above is None or below is None:
        values, worst = (above, -q) if above is not None else (below, q - 1)
        return p_value(values, 0.0, worst) if values is not None and values.mean() > 0 else 1.0
    means = np.array([above.mean(), below.mean()])
    if (means <= 0).all():
        return 1.0
    covariance = np.cov(np.array([above, below])) + 1e-12 * np.eye(2)
    weights = np.linalg.solve(covariance, means)
    if (weights < 0).any():
        scores = means / np.sqrt(np.diag(covariance))
        weights = np.array([1.0, 0.0]) if scores[0] > scores[1] else np.array([0.0, 1.0])
    weights = weights / weights.sum()
    return p_value(weights[0] * above + weights[1] * below, 0.0, -weights[0] * q - weights[1] * (1 - q))


def probable_quantiles(
    entries: Sequence[LuckCorrected], q: float, rng: np.random.Generator, draws: int = DRAWS
) -> Floats:
    """Return draws of the true quantiles from their posterior distribution, float[k, draws].

    Entries that always pay the same have a quantile that is their budget if they win often enough, and infinite
    otherwise, so their P(win) has the hierarchical model of `probable_scores`. So have the quantiles of the other
    entries, unless they may be infinite.

    Args:
        entries: The entries, with the same games.
        q: The share of games.
        rng: Draws the quantiles.
        draws: The number of draws.
    """
    quantiles = [BudgetQuantile(entry, q) for entry in entries]
    near = np.array([quantile.near for quantile in quantiles])
    covariance = covariance_of_means(near)
    errors = np.sqrt(np.diag(covariance))
    ends = np.array(
        [quantile.at_share(q + np.array([-2, 0, 2]) * error) for quantile, error in zip(quantiles, errors, strict=True)]
    )
    is_fixed = np.array([len(quantile.budgets) == 1 for quantile in quantiles])
    is_smooth = ~is_fixed & np.isfinite(ends).all(axis=1) & (ends[:, 2] > ends[:, 0])
    found = np.empty((len(entries), draws))
    for group in (np.flatnonzero(is_fixed), np.flatnonzero(is_smooth), np.flatnonzero(~is_fixed & ~is_smooth)):
        if not len(group):
            continue
        block = covariance[np.ix_(group, group)]
        if is_smooth[group[0]]:
            scale = (ends[group, 2] - ends[group, 0]) / 4 / errors[group]
            found[group] = probable_scores(ends[group, 1], block * np.outer(scale, scale), rng, draws)
            continue
        shares = near[group].mean(axis=1)
        drawn = probable_scores(shares, block, rng, draws)
        for i, own, share in zip(group, drawn, shares, strict=True):
            found[i] = quantiles[i].at_share(q - (own - share))
    return found
