"""Testing claims of the form "this entry wins a share q of all games within budget B", and boards of such records.

A run shows a claim if the one-sided lower 95% confidence bound of P(win within B) is above q, and the number of games
was fixed before the first one. The record board of a quantile lists what each entry's games show, and compares each
entry with the first one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.core.intervals import ROUNDING, binomial_quantile, is_within, proportion_interval
from wordpl.stats.budget_quantiles import lower_quantiles, probable_quantiles
from wordpl.stats.compare.significance import by_entry, comparable_scores, resampled_quantiles
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import holm_step_down, lower_bound, mean_bounds, worst_value
from wordpl.stats.posterior_wins import poisson_binomial_tail
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import CONFIDENCE, Floats

RECORD_GAMES = 20_000
"""The number of games that a record requires; at 50 %, the lower bound is 0.6 points below the share won."""
MIN_AGREEMENT = 1e-3
"""The probability of the counted wins, given the clues, below which an estimate does not count."""
MARGIN = 0.05
"""The relative difference of a score that is "better by 5 %"."""


@dataclass(frozen=True)
class Claim:
    """The evidence for the claim that an entry wins a share `q` of all games within `budget`.

    Attributes:
        q: The claimed share.
        budget: The budget.
        n_games: The number of games.
        n_won: The number of games won within the budget.
        low, high: The 95% interval of P(win within budget): that of values without luck or, if there are none, the
            exact one of Clopper and Pearson.
        bound: The one-sided lower 95% bound of P(win within budget), likewise.
        estimate: The estimate of P(win within budget): the mean of the values without luck, or the share won.
        contradiction: The probability that the counted wins are as far from what the clues promise; 1 without clues.
    """

    q: float
    budget: float
    n_games: int
    n_won: int
    low: float
    high: float
    bound: float
    estimate: float
    contradiction: float = 1.0

    @property
    def share(self) -> float:
        """The share of games won within the budget."""
        return self.n_won / self.n_games

    @property
    def is_shown(self) -> bool:
        """Whether the games show the claim; a false claim is shown by at most 5% of runs.

        Counted wins that contradict the clues show nothing.
        """
        return self.bound > self.q and self.contradiction >= MIN_AGREEMENT

    @property
    def is_record(self) -> bool:
        """Whether the games show the claim, and there are enough of them for a record."""
        return self.is_shown and self.n_games >= RECORD_GAMES


def won_within(costs: np.ndarray, budget: float) -> np.ndarray:
    """Return which games were won within the budget, bool[n]; costs: infinite for lost games."""
    within: np.ndarray = np.isfinite(costs) & is_within(costs, budget)
    return within


def judge(costs: np.ndarray, q: float, budget: float, luck: LuckCorrected | None = None) -> Claim:
    """Return the evidence for a claim.

    Args:
        costs: The cost of each game, infinite if lost, float[n] with n > 0.
        q: The claimed share.
        budget: The budget.
        luck: The same games without most of the luck; None: the share won decides.
    """
    n, n_won = len(costs), int(won_within(costs, budget).sum())
    if luck is None:
        low, high = proportion_interval(n_won, n, CONFIDENCE)
        bound, _ = proportion_interval(n_won, n, 2 * CONFIDENCE - 1)
        return Claim(q, budget, n, n_won, float(low), float(high), float(bound), n_won / n)
    values, lost = luck.credited_within(budget)
    worst = worst_value(lost, 0.0)
    low, high = mean_bounds(values, worst, 1.0, CONFIDENCE)
    bound = lower_bound(values, worst, 1 - CONFIDENCE)
    chances = np.where(is_within(luck.luck.spent, budget), luck.luck.answer, 0.0)
    tails = poisson_binomial_tail(chances, n_won), poisson_binomial_tail(1 - chances, n - n_won)
    return Claim(q, budget, n, n_won, low, high, bound, float(values.mean()), min(1.0, 2 * min(tails)))


def shown_budget(costs: np.ndarray, q: float) -> float:
    """Return the smallest budget for which the games show the claim with share `q`; infinite if there is none.

    It is a distribution-free upper 95% confidence bound of the true quantile: the order statistic with the smallest
    rank that exceeds the number of games below the quantile in 95% of runs (David and Nagaraja, Order Statistics, 3rd
    edition, section 7.1). So the budget need not be fixed in advance, and fixing one has no advantage.
    """
    rank = binomial_quantile(CONFIDENCE, len(costs), q) + 1
    return float(np.sort(costs)[rank - 1]) if rank <= len(costs) else float("inf")


@dataclass(frozen=True)
class RecordRow:
    """An entry on the record board of a quantile.

    Attributes:
        name: The name of the entry.
        place: 1 + the number of entries shown to be better in this quantile.
        claim: The claim with the smallest budget that its games show; if they show none, with its maximum cost.
        role: "holds" for the lowest record, "shares" for a record with the same place, otherwise "".
        first_better: The probability that the first entry of the board has a lower score; None for itself.
        first_margin: The probability that the first entry has a score that is at least 5 % lower; None for itself.
    """

    name: str
    place: int
    claim: Claim
    role: str
    first_better: float | None = None
    first_margin: float | None = None


def champions(
    run: pd.DataFrame, rng: np.random.Generator, luck: Mapping[str, LuckCorrected] | None = None
) -> dict[float, list[RecordRow]]:
    """Return the record board of each quantile; the holder of the record comes first.

    An entry is left out of a board if the 95% interval of its share of wins, at any budget, is below the quantile.

    Args:
        run: Rows of `load_run` of one noisy game; only games that all entries have played count.
        rng: Draws probable true scores for the probabilities; the order does not depend on it.
        luck: The games of each entry without most of the luck, by its name; None: wins are counted.
    """
    scores, games = quantiles(run), by_entry(run)
    costs = {name: scores[0].per_game(rows) for name, rows in games.items()}
    if luck is None:
        redrawn = resampled_quantiles(np.array(list(costs.values())), scores, rng)
        return {
            score.q: _record_rows(score, costs, values, None) for score, values in zip(scores, redrawn, strict=True)
        }
    corrected = {name: luck[name].of_games(rows["game"].to_numpy()) for name, rows in games.items()}
    entries = list(corrected.values())
    return {
        score.q: _record_rows(score, costs, probable_quantiles(entries, score.q, rng), corrected) for score in scores
    }


def quantiles(run: pd.DataFrame) -> list[QuantileScore]:
    """Return the quantile scores for games of this measure in ascending order."""
    scores = [score for score in comparable_scores(run) if isinstance(score, QuantileScore)]
    return sorted(scores, key=lambda score: score.q)


def _record_rows(
    score: QuantileScore, costs: Mapping[str, Floats], redrawn: Floats, luck: Mapping[str, LuckCorrected] | None
) -> list[RecordRow]:
    """Return the rows of a board.

    Args:
        score: The quantile.
        costs: The cost of each game by the name of the entry, float[n].
        redrawn: Probable true scores of each entry, float[k, draws].
        luck: The games of each entry without most of the luck; None: wins are counted.
    """
    if luck is None:
        p_values = score.p_values(np.array(list(costs.values())))
    else:
        p_values = lower_quantiles(list(luck.values()), score.q)
    better = holm_step_down(p_values, 1 - CONFIDENCE)
    place_of = {name: int(place) for name, place in zip(costs, 1 + better.sum(axis=0), strict=True)}
    claims = {name: claim_of(games, score.q, luck[name] if luck else None) for name, games in costs.items()}
    scores_of = dict(zip(costs, redrawn, strict=True))

    def rank(name: str) -> tuple[bool, float, int, float]:
        claim = claims[name]
        return not claim.is_record, claim.budget if claim.is_record else 0.0, place_of[name], -claim.share

    order = sorted((name for name in costs if claims[name].high > score.q), key=rank)
    rows = []
    for name in order:
        first, claim, place = order[0], claims[name], place_of[name]
        if name == first:
            rows.append(RecordRow(name, place, claim, "holds" if claim.is_record else ""))
            continue
        shares = claim.is_record and place == place_of[first]
        chances = (share_lower(scores_of[first], scores_of[name], margin) for margin in (0, MARGIN))
        rows.append(RecordRow(name, place, claim, "shares" if shares else "", *chances))
    return rows


def claim_of(costs: Floats, q: float, luck: LuckCorrected | None = None) -> Claim:
    """Return the claim with the smallest budget that the games show; if they show none, with the maximum cost.

    An entry that spends the same in every game that it can win has declared its budget before the run, so its estimate
    decides. For other entries, the smallest budget is chosen by looking at the games, and the order statistics of the
    costs allow for it.

    Args:
        costs: The cost of each game, infinite if lost, float[n] with n > 0.
        q: The claimed share.
        luck: The same games without most of the luck; None: the share won decides.
    """
    if luck is not None and len(spent := set(luck.luck.spent[luck.luck.answer > 0].tolist())) == 1:
        return judge(costs, q, spent.pop(), luck)
    budget = shown_budget(costs, q)
    if np.isinf(budget):
        budget = float(costs[np.isfinite(costs)].max(initial=0.0))
    return judge(costs, q, budget)


def share_lower(first: Floats, second: Floats, margin: float) -> float:
    """Return the probability that the first score is lower than the second by at least this relative margin.

    Args:
        first: The first score in each resample, float[draws].
        second: The second score in the same resamples, float[draws].
        margin: The relative margin; 0: any difference.
    """
    with np.errstate(over="ignore"):
        lower = (first < second) & (first <= (1 - margin) * second * (1 + ROUNDING))
    # A finite number of draws cannot show certainty.
    return (int(lower.sum()) + 0.5) / (len(first) + 1)
