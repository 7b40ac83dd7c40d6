"""Which ranking predicts best: each rates the days so far, and is asked who of two does better on the next ones."""

from collections.abc import Mapping
from itertools import pairwise
from math import log

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, stdtrit

from wordpl.core.errors import UserError
from wordpl.stats.rankings.rank_intervals import CONFIDENCE
from wordpl.stats.rankings.ranking import SEED, Ranking
from wordpl.stats.rankings.results import Sheet

Floats = NDArray[np.float64]
Question = tuple[np.ndarray, ...]

N_FOLDS = 10
MIN_DAYS = 20
MAX_PAIRS = 2000
"""Pairs of a day that are asked about; more would tell little more of that day."""
COIN = "coin flip"
STEEPEST = 20.0


def compare_methods(
    results: pd.DataFrame,
    methods: Mapping[str, Ranking] | None = None,
    n_folds: int = N_FOLDS,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Return how well each method predicts days that it has not seen, a row each, the best first.

    methods: by name; without any, all rankings there are

    The days are cut into n_folds + 2 stretches. Each but the first is predicted from all before it: for two players
    with a difference d in rating the chance that the first does better is 1 / (1 + e^(-c d)), where c is fitted, for
    each method alone, to its earlier predictions; the second stretch is there for the first c. Differences are in units
    of their standard deviation in each stretch, as the scale of most ratings changes with time. A tie counts as half a
    win. The loss of a day is the mean over its pairs of players who have played before.

    Columns: method; log_loss: the mean over days, log 2 = 0.693 for a coin; low, high: its 95% interval; difference,
    difference_low, difference_high: to the best method, day by day; is_worse: it is shown to be worse than the best
    (Bonferroni); n_days, n_pairs. Intervals take the days of a stretch together, since they share a fit.
    """
    methods = methods or _all_rankings()
    sheet = Sheet.of(results)
    if (n_days := len(sheet.days)) < MIN_DAYS:
        raise UserError(f"a comparison needs {MIN_DAYS} days at least, to learn from and to test on; got {n_days}.")
    bounds = np.linspace(0, n_days, n_folds + 3).round().astype(int)
    questions = _questions(sheet, bounds, rng or np.random.default_rng(SEED))
    losses = {name: _losses(_leads(method, results, sheet, bounds, questions), questions, bounds)
              for name, method in methods.items()}  # fmt: skip
    losses[COIN] = {day: log(2) for day in next(iter(losses.values()))}
    table = pd.DataFrame(losses)
    stretches = np.searchsorted(bounds, table.index.to_numpy(), side="right")
    if len(table) < 2:
        raise UserError("a comparison needs days on which two players meet who have played before; there are not two.")
    n_pairs = sum(len(questions[day][2]) for day in table.index)
    return _table(table, stretches, n_pairs)


def _all_rankings() -> Mapping[str, Ranking]:
    from wordpl.stats.rankings import RANKINGS  # the package reads this file first

    return RANKINGS


def _questions(sheet: Sheet, bounds: np.ndarray, rng: np.random.Generator) -> dict[int, Question]:
    """Return for each day to predict the pairs that are asked about: first, second, and what the first made of it."""
    questions: dict[int, Question] = {}
    for start, end in pairwise(bounds[1:]):
        known = sheet.until(start).n_games > 0
        for day in range(start, end):
            who = np.flatnonzero(known & ~np.isnan(sheet.guesses[day]))
            first, second = np.triu_indices(len(who), 1)
            if len(first) > MAX_PAIRS:
                kept = rng.choice(len(first), MAX_PAIRS, replace=False)
                first, second = first[kept], second[kept]
            if len(first):
                ahead = sheet.guesses[day, who[second]] - sheet.guesses[day, who[first]]
                questions[day] = who[first], who[second], (1 + np.sign(ahead)) / 2
    return questions


def _leads(
    method: Ranking, results: pd.DataFrame, sheet: Sheet, bounds: np.ndarray, questions: Mapping[int, Question]
) -> dict[int, np.ndarray]:
    """Return for each day how far the first of each pair leads in rating, by what was known before its stretch.

    The unit is the standard deviation of the stretch's leads, as ratings of most methods spread while days go by, so
    that a slope learnt from earlier stretches would not fit.
    """
    own = Sheet.of(results, method.x_is_seven)
    column = np.searchsorted(sheet.players, own.players)
    sign = 1 if method.higher_is_better else -1
    leads = {}
    for start, end in pairwise(bounds[1:]):
        past = own.until(int(np.searchsorted(own.days, sheet.days[start])))
        worth = np.full(len(sheet.players), np.nan)
        worth[column] = sign * method.rate(past, np.ones(len(past.days), int))
        asked = [day for day in range(start, end) if day in questions]
        found = [worth[questions[day][0]] - worth[questions[day][1]] for day in asked]
        unit = float(np.nanstd(np.concatenate(found))) if found else 0.0
        for day, lead in zip(asked, found, strict=True):
            leads[day] = np.nan_to_num(lead / unit) if unit > 0 else np.zeros(len(lead))  # no rating says nothing
    return leads


def _losses(leads: Mapping[int, np.ndarray], questions: Mapping[int, Question], bounds: np.ndarray) -> dict[int, float]:
    """Return the mean loss of each day from the third stretch on."""
    losses = {}
    for start, end in pairwise(bounds[2:]):
        past = [day for day in leads if day < start]
        slope = _slope(*([of[day] for day in past] for of in (leads, {d: q[2] for d, q in questions.items()})))
        for day in (day for day in leads if start <= day < end):
            losses[day] = float(np.mean(_loss(slope * leads[day], questions[day][2])))
    return losses


def _slope(leads: list[np.ndarray], outcomes: list[np.ndarray]) -> float:
    """Return the c under which earlier predictions would have been best; each day weighs the same."""
    weights = np.concatenate([np.full(len(lead), 1 / len(lead)) for lead in leads]) if leads else np.empty(0)
    if not len(weights) or not (unit := np.std(np.concatenate(leads))):
        return 0.0
    lead, outcome = np.concatenate(leads) / unit, np.concatenate(outcomes)
    found = minimize_scalar(lambda c: weights @ _loss(c * lead, outcome), bounds=(0, STEEPEST), method="bounded")
    return float(found.x / unit)


def _loss(log_odds: np.ndarray, outcome: np.ndarray) -> np.ndarray:
    return np.asarray(-outcome * log_expit(log_odds) - (1 - outcome) * log_expit(-log_odds))


def _table(losses: pd.DataFrame, stretches: NDArray[np.int64], n_pairs: int) -> pd.DataFrame:
    """Return the table of `compare_methods`; losses: a row a day, a column a method; stretches: of each day."""
    n_rivals = max(1, losses.shape[1] - 1)
    order = list(losses.mean().sort_values(kind="stable").index)
    behind = losses[order].sub(losses[order[0]], axis=0)
    tail = (1 - CONFIDENCE) / 2
    freedom = max(1, len(np.unique(stretches)) - 1)
    t, t_strict = (stdtrit(freedom, 1 - share) for share in (tail, tail / n_rivals))
    table = pd.DataFrame({"method": order})
    for prefix, values in (("", losses[order]), ("difference_", behind)):
        mean, error = values.to_numpy().mean(axis=0), _error(values.to_numpy(), stretches)
        table[prefix.rstrip("_") or "log_loss"] = mean
        table[f"{prefix}low"], table[f"{prefix}high"] = mean - t * error, mean + t * error
        is_worse = mean > t_strict * error
    return table.assign(is_worse=is_worse, n_days=len(losses), n_pairs=n_pairs)


def _error(values: Floats, stretches: NDArray[np.int64]) -> Floats:
    """Return the standard error of the mean day of each column, float[m]; values: a row a day.

    Days of a stretch share a fit, so they are taken together: a cluster-robust variance (K.-Y. Liang and S. L. Zeger,
    Biometrika 73, 1986), and no less than that of days on their own.
    """
    n_days = len(values)
    apart = values - values.mean(axis=0)
    alone = values.std(axis=0, ddof=1) / np.sqrt(n_days)
    numbers = np.unique(stretches)
    if len(numbers) < 2:
        return np.asarray(alone)
    sums = np.array([apart[stretches == number].sum(axis=0) for number in numbers])
    shared = np.sqrt((sums**2).sum(axis=0) * len(numbers) / (len(numbers) - 1)) / n_days
    return np.asarray(np.maximum(alone, shared))
