"""Which ranking predicts best: each rates the days so far, and is asked who of two does better on the next ones."""

from collections.abc import Mapping
from itertools import pairwise
from math import log

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, stdtrit

from wordpl.core.errors import UserError
from wordpl.stats.rankings.rank_intervals import CONFIDENCE
from wordpl.stats.rankings.ranking import SEED, Ranking
from wordpl.stats.rankings.results import Sheet

Question = tuple[np.ndarray, ...]

N_FOLDS = 10
N_GROUPS = 10
"""Groups of days that are left out in turn, for the intervals."""
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
    (Bonferroni); n_days, n_pairs.

    All stretches learn from the same days, so that their losses depend on each other. The intervals are those of a
    jackknife (J. W. Tukey, 1958): everything is done again without every tenth day, from learning on.
    """
    methods = methods or _all_rankings()
    days = np.unique(results["day"])
    if len(days) < MIN_DAYS:
        raise UserError(f"a comparison needs {MIN_DAYS} days at least, to learn from and to test on; got {len(days)}.")
    rng = rng or np.random.default_rng(SEED)
    losses, n_pairs = _daily_losses(results, methods, n_folds, rng)
    if len(losses) < 2:
        raise UserError("a comparison needs days on which two players meet who have played before; there are not two.")
    group = pd.Series(np.arange(len(days)) % N_GROUPS, index=days)
    left_out = results["day"].map(group)
    means = [_daily_losses(results[left_out != one], methods, n_folds, rng)[0].mean() for one in range(N_GROUPS)]
    return _table(losses, pd.DataFrame(means), n_pairs)


def _daily_losses(
    results: pd.DataFrame, methods: Mapping[str, Ranking], n_folds: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, int]:
    """Return the loss of each method, a column each, on each day to predict; and the number of pairs asked about."""
    sheet = Sheet.of(results)
    bounds = np.linspace(0, len(sheet.days), n_folds + 3).round().astype(int)
    questions = _questions(sheet, bounds, rng)
    losses = {name: _losses(_leads(method, results, sheet, bounds, questions), questions, bounds)
              for name, method in methods.items()}  # fmt: skip
    losses[COIN] = {day: log(2) for day in next(iter(losses.values()))}
    table = pd.DataFrame(losses)
    return table, sum(len(questions[day][2]) for day in table.index)


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


def _table(losses: pd.DataFrame, without: pd.DataFrame, n_pairs: int) -> pd.DataFrame:
    """Return the table of `compare_methods`.

    Args:
        losses: A row a day, a column a method.
        without: The mean losses without each group of days, a row a group.
        n_pairs: The pairs asked about.
    """
    order = list(losses.mean().sort_values(kind="stable").index)
    tail = (1 - CONFIDENCE) / 2
    t, t_strict = (stdtrit(len(without) - 1, 1 - share) for share in (tail, tail / max(1, len(order) - 1)))
    table = pd.DataFrame({"method": order})
    for prefix, best in (("", 0.0), ("difference_", losses[order[0]].mean())):
        mean = (losses[order].mean() - best).to_numpy()
        groups = without[order].sub(without[order[0]] if prefix else 0.0, axis=0).to_numpy()
        error = np.sqrt((len(groups) - 1) * groups.var(axis=0))
        table[prefix.rstrip("_") or "log_loss"] = mean
        table[f"{prefix}low"], table[f"{prefix}high"] = mean - t * error, mean + t * error
        is_worse = mean > t_strict * error
    return table.assign(is_worse=is_worse, n_days=len(losses), n_pairs=n_pairs)
