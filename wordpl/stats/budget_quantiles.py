"""Comparisons of the budgets within which a share `q` of games is won, from values without most of the luck.

If the quantile of entry i is not below t, the quantile of j, then P(i wins below t) <= q <= P(j wins within t). The
evidence against this is a weighted mean of how far the games of i are above q and those of j below it; see `_evidence`.
Its p-value stays right if the worst games are rare: see `wordpl.stats.hypothesis_tests`. As t is unknown, the largest
p-value of all t counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordpl.core.intervals import ROUNDING
from wordpl.core.moves import LARGEST_BUDGET
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import Credited, mean_bounds, p_value, worst_value
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
LARGEST_SQUARED = 1e100
"""The largest number whose square may be multiplied."""
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
    k, middle = len(estimates), float(np.mean(estimates))  # for numerical stability
    independent = rng.standard_normal((k, draws))
    if k == 1:
        return np.asarray(estimates[:, None] + np.sqrt(covariance) * independent)
    return middle + _posterior(
        estimates - middle, covariance, np.ones((k, 1)), [_Shape((np.inf,), 1.0, 1.0)], rng, draws
    )


SHAPES_NEAR_A_LEVEL = ((0.3, 1e-9, 1.0, 0.5), (0.15, 1.0, 0.1, 0.5))
"""How the scores of entries lie around a level: in any order, or rising with the budget; see `_Shape`."""
MIN_DISTANCE_P = 0.05
"""The p-value of "all entries are exactly at the level" above which no entry is said to be the best of them."""


def probable_near(
    level: float, estimates: Floats, covariance: Floats, budgets: Floats, rng: np.random.Generator, draws: int = DRAWS
) -> Floats:
    """Return draws of P(win) of entries that were made to win about the share `level` of games, float[k, draws].

    What counts is on which side of the level they are, so that they are normal around it and not around any mean. They
    have no order, or rise with the budget as on a frontier, where the cheapest one that reaches the level is the best:
    both are as probable before the games. The scale has the prior of `probable_scores`.

    Args:
        level: The level.
        estimates: The estimates of P(win), float[k].
        covariance: The covariance of their errors, float[k, k].
        budgets: The budget of each entry, of which the order counts, float[k].
        rng: Draws the scores.
        draws: The number of draws.
    """
    places = np.searchsorted(np.sort(budgets), budgets) + np.searchsorted(np.sort(budgets), budgets, side="right")
    rise = places - places.mean()
    design = np.column_stack([np.ones(len(budgets)), rise / (rise.std() or 1.0)])
    shapes = [_Shape((mean, slope), rest, weight) for mean, slope, rest, weight in SHAPES_NEAR_A_LEVEL]
    return level + _posterior(estimates - level, covariance, design, shapes, rng, draws)


def shows_distance(entries: Sequence[LuckCorrected], level: float) -> bool:
    """Return whether the games show that not all entries which always pay the same win the share `level` exactly.

    Otherwise no probability of being the best would be right: it would depend on how close to the level entries are
    made, which the games do not tell.

    Args:
        entries: The entries, with the same games.
        level: The share.
    """
    from scipy.special import gammaincc  # slow to import

    wins = np.array([entry.win for entry in entries if entry.luck.spent.min() == entry.luck.spent.max()])
    covariance = covariance_of_means(wins) if len(wins) else np.zeros((0, 0))
    largest = float(np.diag(covariance).max(initial=0.0))
    if largest == 0:
        return True
    gaps = wins.mean(axis=1) - level
    distance = float(gaps @ np.linalg.solve(covariance + TINY * largest * np.eye(len(gaps)), gaps))
    return bool(gammaincc(len(gaps) / 2, distance / 2) <= MIN_DISTANCE_P)


@dataclass(frozen=True)
class _Shape:
    """A normal prior of true scores: sums of terms of a design with normal factors, and a rest of each entry.

    Attributes:
        factors: The variance of each factor, in units of the squared spread; infinite: it has a flat prior.
        rest: The variance of the rest, likewise.
        weight: The probability of this shape before the games.
    """

    factors: tuple[float, ...]
    rest: float
    weight: float


def _posterior(
    gaps: Floats, covariance: Floats, design: Floats, shapes: Sequence[_Shape], rng: np.random.Generator, draws: int
) -> Floats:
    """Return draws from the posterior distribution of true scores, float[k, draws].

    Args:
        gaps: The estimates, float[k].
        covariance: The covariance of their errors, float[k, k].
        design: What the factors of the shapes are multiplied with, float[k, n].
        shapes: The possible priors.
        rng: Draws the scores.
        draws: The number of draws.
    """
    k, largest = len(gaps), float(np.diag(covariance).max(initial=0.0))
    if largest == 0:
        return np.repeat(gaps[:, None], draws, axis=1)
    errors, axes = np.linalg.eigh(covariance)
    errors = np.maximum(errors, 0) + TINY * largest
    along, columns = axes.T @ gaps, axes.T @ design
    shared = float(covariance.sum() - np.trace(covariance)) / max(1, k * (k - 1))
    typical = max(float(np.mean(np.diag(covariance))) - shared, TINY * largest)
    most = max(LARGEST_SPREAD, float(np.abs(gaps).max()) / np.sqrt(typical))
    grid = typical * np.geomspace(SMALLEST_SPREAD, most, N_SPREADS) ** 2
    spreads = np.tile(grid, len(shapes))
    rest = np.repeat([shape.rest for shape in shapes], N_SPREADS)
    factors = spreads[:, None] * np.repeat([shape.factors for shape in shapes], N_SPREADS, axis=0)
    total = errors + (spreads * rest)[:, None]  # [shapes and spreads, k]
    precision = np.einsum("ki,sk,kj->sij", columns, 1 / total, columns)
    precision[:, range(design.shape[1]), range(design.shape[1])] += 1 / factors
    inverse = np.linalg.inv(precision)
    pulled = np.einsum("ki,sk->si", columns, along / total)
    mean = np.einsum("sij,sj->si", inverse, pulled)
    misfit = (along**2 / total).sum(axis=1) - (pulled * mean).sum(axis=1)
    scales = np.where(np.isinf(factors), 0.0, np.log(np.where(np.isinf(factors), 1.0, factors))).sum(axis=1)
    log_weight = -0.5 * (np.log(total).sum(axis=1) + np.linalg.slogdet(precision)[1] + scales + misfit)
    log_weight -= 0.5 * np.log(spreads + FLAT_ERRORS**2 * typical)
    log_weight += 0.5 * np.log(spreads)  # the standard deviations per step of the grid
    log_weight += np.log(np.repeat([shape.weight for shape in shapes], N_SPREADS))
    weight = np.exp(log_weight - log_weight.max())
    chosen = rng.choice(len(weight), draws, p=weight / weight.sum())
    roots = np.linalg.cholesky(inverse)
    drawn = mean[chosen] + np.einsum("dij,dj->di", roots[chosen], rng.standard_normal((draws, design.shape[1])))
    pull = errors / total[chosen]  # [draws, k]
    centres = along - pull * (along - drawn @ columns.T)
    deviations = np.sqrt(errors * (1 - pull)).T * rng.standard_normal((k, draws))
    return np.asarray(axes @ (centres.T + deviations))


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
END_STEPS = 3
"""How often the variance of wins is taken within the budgets that end an interval, before they end it."""
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
        if len(self.budgets) > len(self.cells) and ends[-1] < LARGEST_SQUARED:  # the budgets are nearly continuous
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
        below, above = self._gaps(self.credited_near, confidence)
        for _ in range(
            END_STEPS if len(self.budgets) > 1 else 0
        ):  # wins vary more, or less, within budgets at the ends
            ends = self.at_share(np.array([self.q - above, self.q + below]))
            above = max(above, self._gaps(self.entry.credited_within(float(ends[0])), confidence)[1])
            below = max(below, self._gaps(self.entry.credited_within(float(ends[1])), confidence)[0])
        shares = np.array([self.q, self.q - above, self.q + below])
        return Estimate(*map(float, self.at_share(shares)))

    @staticmethod
    def _gaps(games: Credited, confidence: float) -> tuple[float, float]:
        """Return how far the mean of games is from the ends of its interval."""
        values, lost = games
        low, high = mean_bounds(values, worst_value(lost, 0.0), 1.0, confidence)
        mean = float(values.mean())
        return mean - low, high - mean

    @property
    def near(self) -> Floats:
        """Values of the games whose mean estimates P(win within the quantile, or within the largest budget)."""
        return self.credited_near[0]

    @cached_property
    def credited_near(self) -> Credited:
        """The same, and what each game would be worth if it had been lost."""
        index = min(int(np.searchsorted(self.curve, self.q)), len(self.curve) - 1)
        return self.entry.credited_within(self.cells[index][1])


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
    beyond = np.inf if cells[-1][1] >= other.luck.spent.max() else cells[-1][1]  # the quantile may be infinite
    largest = _above(first, beyond, q)
    if cells[0][0] > other.luck.spent.min():
        below = q - other.win_within(cells[0][0], strictly=True)
        largest = max(largest, p_value(below, 0.0, q - 1) if below.mean() > 0 else 1.0)
    is_continuous = len(second.budgets) > len(cells)
    for start, end in sorted(cells, key=lambda cell: abs(cells.index(cell) - middle)):
        if largest > IRRELEVANT:
            break
        if first.luck.spent.max() < start * (1 - ROUNDING) and np.isinf(beyond):
            continue  # all games of the first one are within the range, and were compared with q above
        largest = max(largest, _evidence(first, second, (start, end), is_continuous=is_continuous))
    return largest


def _above(first: LuckCorrected, budget: float, q: float) -> float:
    """Return the p-value of "the entry wins at most the share q of its games within the budget"."""
    values, lost = first.credited_within(budget)
    return p_value(values - q, 0.0, worst_value(lost - q, -q)) if values.mean() > q else 1.0


def _evidence(first: LuckCorrected, second: BudgetQuantile, cell: tuple[float, float], *, is_continuous: bool) -> float:
    """Return the p-value of "the first wins at most q below these budgets, and the second at least q within them".

    If one of both is far from q on the wrong side, the other one decides. If both are near, and budgets are so dense
    that neighbouring ones decide, too, their sum does: the difference of both shares. Otherwise the weights are those
    for which the sum is most significant; as the same games choose them, the p-value is that of the likelihood ratio
    against a quadrant, a mixture of chi-square variables (A. Shapiro, International Statistical Review 56, 1988).

    Args:
        first: The games of the first entry.
        second: The quantile of the second one.
        cell: The first and the last budget.
        is_continuous: Whether budgets are dense.
    """
    q, (start, end) = second.q, cell
    values, lost = first.credited_within(start, strictly=True)
    above, lost, below = values - q, lost - q, q - second.entry.win_within(end)
    means, n = np.array([above.mean(), below.mean()]), len(above)
    if n < 2 or (means <= 0).all():
        return 1.0
    covariance = np.cov(np.array([above, below])) + 1e-12 * np.eye(2)
    scores = means / np.sqrt(np.diag(covariance) / n)
    is_far = scores < -np.sqrt(np.log(n))
    weights = np.linalg.solve(covariance, means)
    if is_far.any():
        weights = (~is_far).astype(float)
    elif is_continuous:
        weights = np.ones(2)
    elif (weights < 0).any():
        weights = np.array([1.0, 0.0]) if scores[0] > scores[1] else np.array([0.0, 1.0])
    weights = weights / weights.sum()
    gaps = weights[0] * above + weights[1] * below
    if gaps.mean() <= 0:
        return 1.0
    worst = worst_value(weights[0] * lost + weights[1] * below, -weights[0] * q - weights[1] * (1 - q))
    p = p_value(gaps, 0.0, worst)
    if is_far.any() or is_continuous or p >= 0.5:
        return p
    correlation = float(np.clip(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]), -1, 1))
    from scipy.special import ndtri  # slow to import

    return float(p + np.arccos(correlation) / (2 * np.pi) * np.exp(-(ndtri(max(p, TINY)) ** 2) / 2))


def probable_quantiles(
    entries: Sequence[LuckCorrected], q: float, rng: np.random.Generator, draws: int = DRAWS
) -> Floats:
    """Return draws of the true quantiles from their posterior distribution, float[k, draws].

    Entries that always pay the same have a quantile that is their budget if they win often enough, and infinite
    otherwise, so their P(win) has the model of `probable_near`. The quantiles of the other entries have that of
    `probable_scores`; if they may be infinite, their P(win) has.

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
            unit = max(1.0, float(ends[group].max()) / LARGEST_SQUARED)
            scale = (ends[group, 2] - ends[group, 0]) / unit / 4 / errors[group]
            drawn = probable_scores(ends[group, 1] / unit, block * np.outer(scale, scale), rng, draws)
            found[group] = np.clip(drawn, -LARGEST_BUDGET / unit, LARGEST_BUDGET / unit) * unit
            continue
        shares = near[group].mean(axis=1)
        if is_fixed[group[0]]:
            budgets = np.array([quantiles[i].budgets[0] for i in group])
            drawn = probable_near(q, shares, block, budgets, rng, draws)
        else:
            drawn = probable_scores(shares, block, rng, draws)
        for i, own, share in zip(group, drawn, shares, strict=True):
            found[i] = quantiles[i].at_share(q - (own - share))
    return found
