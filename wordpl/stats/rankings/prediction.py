"""Comparing rankings by prediction: each is fitted to past days and predicts which of two players does better later."""

from collections.abc import Mapping
from itertools import pairwise
from math import log

import numpy as np
import pandas as pd
from scipy.special import log_expit, stdtrit

from wordpl.core.messages import UserError
from wordpl.stats.rankings.ranking import CONFIDENCE, SEED, Ranking, Sheet

PredictedPairs = tuple[np.ndarray, ...]

N_FOLDS = 10
N_GROUPS = 10
"""The number of groups of days that the jackknife leaves out in turn."""
MIN_DAYS = 20
MAX_PAIRS = 2000
"""The maximum number of pairs to predict per day; more would add little information."""
COIN = "coin flip"
MAX_SLOPE = 20.0


def compare_methods(
    results: pd.DataFrame,
    methods: Mapping[str, Ranking],
    n_folds: int = N_FOLDS,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Return how well each method predicts unseen days, one row per method, the best first.

    The days are divided into n_folds + 2 stretches. Each stretch except the first is predicted from all previous ones:
    for two players whose ratings differ by d, the probability that the first does better is 1 / (1 + e^(-c d)). The
    slope c is fitted for each method to its earlier predictions; the second stretch only serves to fit the first c.
    Differences are divided by their standard deviation in each stretch, because the scale of most ratings changes with
    time. A tie counts as half a win. The loss of a day is the mean over its pairs of players who have played before.

    Since all stretches learn from the same days, their losses are dependent. The intervals are those of a jackknife
    (J. W. Tukey, 1958), which repeats everything, including the fits, without every tenth day.

    Args:
        results: Results as for `Sheet.of`.
        methods: The rankings by name.
        n_folds: The number of stretches with a loss.
        rng: Selects the pairs of days with many players.

    Returns:
        A table with the columns method; log_loss, the mean over days, which is log 2 = 0.693 for a coin flip; low and
        high, its 95% interval; difference, difference_low and difference_high, the paired difference from the best
        method; is_worse, whether it is shown to be worse than the best method (Bonferroni); n_days; n_pairs.

    Raises:
        UserError: There are not enough days.
    """
    days = np.unique(results["day"])
    if len(days) < MIN_DAYS:
        raise UserError(f"a comparison needs at least {MIN_DAYS} days for learning and testing; got {len(days)}.")
    rng = rng or np.random.default_rng(SEED)
    losses, n_pairs = _daily_losses(results, methods, n_folds, rng)
    if len(losses) < 2:
        raise UserError("a comparison needs at least two days on which two players have played before.")
    group = pd.Series(np.arange(len(days)) % N_GROUPS, index=days)
    left_out = results["day"].map(group)
    means = [_daily_losses(results[left_out != number], methods, n_folds, rng)[0].mean() for number in range(N_GROUPS)]
    return _table(losses, pd.DataFrame(means), n_pairs)


def _daily_losses(
    results: pd.DataFrame, methods: Mapping[str, Ranking], n_folds: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, int]:
    """Return a table with the loss of each method (column) on each predicted day (row), and the number of pairs."""
    sheet = Sheet.of(results)
    bounds = np.linspace(0, len(sheet.days), n_folds + 3).round().astype(int)
    pairs = _predicted_pairs(sheet, bounds, rng)
    losses = {name: _losses(_leads(method, results, sheet, bounds, pairs), pairs, bounds)
              for name, method in methods.items()}  # fmt: skip
    losses[COIN] = {day: log(2) for day in next(iter(losses.values()))}
    table = pd.DataFrame(losses)
    return table, sum(len(pairs[day][2]) for day in table.index)


def _predicted_pairs(sheet: Sheet, bounds: np.ndarray, rng: np.random.Generator) -> dict[int, PredictedPairs]:
    """Return the pairs to predict for each day: the first players, the second players, and the first ones' scores."""
    pairs: dict[int, PredictedPairs] = {}
    for start, end in pairwise(bounds[1:]):
        has_played = sheet.until(start).n_games > 0
        for day in range(start, end):
            players = np.flatnonzero(has_played & ~np.isnan(sheet.guesses[day]))
            first, second = np.triu_indices(len(players), 1)
            if len(first) > MAX_PAIRS:
                sample = rng.choice(len(first), MAX_PAIRS, replace=False)
                first, second = first[sample], second[sample]
            if len(first):
                ahead = sheet.guesses[day, players[second]] - sheet.guesses[day, players[first]]
                pairs[day] = players[first], players[second], (1 + np.sign(ahead)) / 2
    return pairs


def _leads(
    method: Ranking, results: pd.DataFrame, sheet: Sheet, bounds: np.ndarray, pairs: Mapping[int, PredictedPairs]
) -> dict[int, np.ndarray]:
    """Return for each day the rating lead of the first player of each pair, fitted to the days before its stretch.

    Leads are divided by their standard deviation in the stretch: most ratings spread over time, so that a slope fitted
    to earlier stretches would not fit otherwise.
    """
    own = Sheet.of(results, method.x_is_seven)
    column = np.searchsorted(sheet.players, own.players)
    sign = 1 if method.higher_is_better else -1
    leads = {}
    for start, end in pairwise(bounds[1:]):
        past = own.until(int(np.searchsorted(own.days, sheet.days[start])))
        worth = np.full(len(sheet.players), np.nan)
        worth[column] = sign * method.rate(past, np.ones(len(past.days), int))
        predicted_days = [day for day in range(start, end) if day in pairs]
        rating_leads = [worth[pairs[day][0]] - worth[pairs[day][1]] for day in predicted_days]
        of_all = np.concatenate(rating_leads) if rating_leads else np.empty(0)
        unit = float(np.nanstd(of_all)) if not np.isnan(of_all).all() else 0.0  # no pair, or no rating of one
        for day, lead in zip(predicted_days, rating_leads, strict=True):
            leads[day] = np.nan_to_num(lead / unit) if unit > 0 else np.zeros(len(lead))  # 0 if a rating is missing
    return leads


def _losses(
    leads: Mapping[int, np.ndarray], pairs: Mapping[int, PredictedPairs], bounds: np.ndarray
) -> dict[int, float]:
    """Return the mean loss of each day, starting with the third stretch."""
    losses = {}
    for start, end in pairwise(bounds[2:]):
        past = [day for day in leads if day < start]
        slope = _slope(*([of[day] for day in past] for of in (leads, {d: q[2] for d, q in pairs.items()})))
        for day in (day for day in leads if start <= day < end):
            losses[day] = float(np.mean(_loss(slope * leads[day], pairs[day][2])))
    return losses


def _slope(leads: list[np.ndarray], outcomes: list[np.ndarray]) -> float:
    """Return the slope c that minimizes the loss of earlier predictions, with equal weights for all days."""
    from scipy.optimize import minimize_scalar  # slow to import

    weights = np.concatenate([np.full(len(lead), 1 / len(lead)) for lead in leads]) if leads else np.empty(0)
    if not len(weights) or not (unit := np.std(np.concatenate(leads))):
        return 0.0
    lead, outcome = np.concatenate(leads) / unit, np.concatenate(outcomes)
    optimum = minimize_scalar(lambda c: weights @ _loss(c * lead, outcome), bounds=(0, MAX_SLOPE), method="bounded")
    return float(optimum.x / unit)


def _loss(log_odds: np.ndarray, outcome: np.ndarray) -> np.ndarray:
    return np.asarray(-outcome * log_expit(log_odds) - (1 - outcome) * log_expit(-log_odds))


def _table(losses: pd.DataFrame, without: pd.DataFrame, n_pairs: int) -> pd.DataFrame:
    """Return the table of `compare_methods`.

    Args:
        losses: The losses, one row per day and one column per method.
        without: The mean losses without each group of days, one row per group.
        n_pairs: The number of predicted pairs.
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
