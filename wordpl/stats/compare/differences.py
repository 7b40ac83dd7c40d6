"""Differences between entries, with intervals.

Exact comparisons in pairs, one entry against each of the others, and matrices of all pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.moves import Verdict
from wordpl.stats.compare import sequential, significance
from wordpl.stats.compare.claims import MARGIN, Claim, judge, quantiles, share_lower, won_within
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import difference_limits, mean_bounds
from wordpl.stats.scores import LOSS_COST, Score
from wordpl.stats.scores.means import MeanScore
from wordpl.stats.scores.score import CONFIDENCE, Floats
from wordpl.stats.scores.shares import ShareScore


@dataclass(frozen=True)
class Pairs:
    """A paired comparison of the wins of two entries.

    Attributes:
        n_games: The number of games.
        only_first, only_second: The numbers of games that only one of them has won.
        p_value: The two-sided p-value of McNemar's exact test.
        low, high: The 95% interval of the difference between the shares of games won.
    """

    n_games: int
    only_first: int
    only_second: int
    p_value: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """The first entry's share of games won minus the second one's."""
        return (self.only_first - self.only_second) / self.n_games


def pairs(first: np.ndarray, second: np.ndarray) -> Pairs:
    """Compare the wins of two entries.

    The interval is that of Bonett and Price (Journal of Educational and Behavioral Statistics 37, 2012): Wald's, after
    adding one game that only the first entry has won, and one that only the second has won.

    Args:
        first: Whether the first entry has won each game, bool[n] with n > 0.
        second: Whether the second entry has won it, bool[n].
    """
    from scipy.special import bdtr, ndtri  # slow to import

    n, only_first, only_second = len(first), int((first & ~second).sum()), int((second & ~first).sum())
    discordant = only_first + only_second
    share, lead = (discordant + 2) / (n + 2), (only_first - only_second) / (n + 2)
    margin = ndtri((1 + CONFIDENCE) / 2) * np.sqrt((share - lead**2) / (n + 2))
    p_value = min(1.0, 2 * bdtr(min(only_first, only_second), discordant, 0.5))
    low, high = max(-1.0, lead - margin), min(1.0, lead + margin)
    return Pairs(n, only_first, only_second, float(p_value), float(low), float(high))


@dataclass(frozen=True)
class Judgement:
    """The evidence of an entry's games for a claim.

    Attributes:
        name: The name of the entry.
        claim: The evidence of all games.
        reading: The sequential test of P(win within the budget) > q; None if the order of play is unknown.
    """

    name: str
    claim: Claim
    reading: sequential.SequentialTestResult | None


@dataclass(frozen=True)
class HeadToHead:
    """A comparison of an entry with a rival on the same games.

    Attributes:
        rival: The name of the rival.
        pairs: The comparison of games won within the claim's budget, with the entry first.
        reading: The sequential test of whether the entry wins more often; None if the order of play is unknown.
        margin_chance: The probability that the entry's score is at least 5 % below the rival's.
    """

    rival: str
    pairs: Pairs
    reading: sequential.SequentialTestResult | None
    margin_chance: float


def judgements(
    run: pd.DataFrame,
    q: float,
    budget: float,
    order: Sequence[int] | None,
    luck: Mapping[str, LuckCorrected] | None = None,
) -> list[Judgement]:
    """Return the evidence of each entry's games for the claim that it wins a share `q` of games within `budget`.

    Args:
        run: Rows of `load_run` of one noisy game.
        q: The claimed share.
        budget: The budget.
        order: The numbers of the games in the order of play; None if it is unknown.
        luck: The games of each entry without most of the luck, by its name; None: wins are counted. It counts for
            entries that always spend the budget, because only they have declared it before the first game.
    """
    results = []
    for name, games in run.groupby("entry", sort=False, observed=True):
        costs = games.set_index("game")["cost"].sort_index()
        corrected = None if luck is None else luck[str(name)].of_games(costs.index.to_numpy())
        if corrected is not None and not corrected.always_pays(budget):
            corrected = None  # the budget may have been chosen by looking at the games
        reading = None if order is None else _reading(costs, corrected, (q, budget), order)
        results.append(Judgement(str(name), judge(costs.to_numpy(float), q, budget, corrected), reading))
    return results


def _reading(
    costs: pd.Series, corrected: LuckCorrected | None, claim: tuple[float, float], order: Sequence[int]
) -> sequential.SequentialTestResult:
    q, budget = claim
    if corrected is None:
        return sequential.sequential_test(won_within(_in_order(costs, order), budget), q)
    values, low = corrected.bounded_wins(budget)
    return sequential.sequential_mean_test(_in_order(pd.Series(values, costs.index), order), q, (low, 1.0))


def head_to_heads(
    run: pd.DataFrame, entry: str, claim: tuple[float, float], order: Sequence[int] | None, rng: np.random.Generator
) -> list[HeadToHead]:
    """Compare an entry with each other one, on the games that both have played.

    Args:
        run: Rows of `load_run` of one noisy game.
        entry: The name of the entry.
        claim: The quantile and the budget.
        order: The numbers of the games in the order of play; None if it is unknown.
        rng: Draws the resamples.
    """
    q, budget = claim
    score = next(score for score in quantiles(run) if score.q == q)
    costs = run.pivot(index="game", columns="entry", values="cost")
    comparisons = []
    for other in (str(name) for name in run["entry"].unique() if name != entry):
        shared = costs[[entry, other]].dropna()
        if shared.empty:
            continue
        first, second = won_within(shared.to_numpy().T, budget)
        reading = (
            None if order is None else sequential.sequential_pair_test(*won_within(_in_order(shared, order).T, budget))
        )
        (redrawn,) = significance.resampled_quantiles(shared.to_numpy().T, [score], rng)
        margin_chance = share_lower(redrawn[0], redrawn[1], MARGIN)
        comparisons.append(HeadToHead(other, pairs(first, second), reading, margin_chance))
    return comparisons


def _in_order(costs: pd.Series | pd.DataFrame, order: Sequence[int]) -> np.ndarray:
    return costs.loc[sequential.in_order(costs.index, order)].to_numpy(float)


@dataclass(frozen=True)
class ScoreDifference:
    """The difference of two entries in one score, the first one minus the other.

    Attributes:
        value: The difference; NaN, as all others, if both scores are infinite.
        low, high: The bounds of its 95% interval.
        chance: The probability that the first entry is better, where ties count half.
    """

    value: float
    low: float
    high: float
    chance: float


@dataclass(frozen=True)
class Rival:
    """Another entry, with which one is compared.

    Attributes:
        name: The name of the other entry.
        wins: The games that only one of them has won, with McNemar's exact test.
        scores: The difference in each score with a direction, by its name.
    """

    name: str
    wins: Pairs
    scores: Mapping[str, ScoreDifference]


def against(
    run: pd.DataFrame,
    entry: str,
    rng: np.random.Generator,
    loss_cost: float = LOSS_COST,
    luck: Mapping[str, LuckCorrected] | None = None,
    compared: Mapping[str, significance.PairwiseSignificance] | None = None,
) -> list[Rival]:
    """Compare an entry with each other entry of the same game.

    Only games that all entries have played count. The comparisons are not adjusted for multiple testing.

    Args:
        run: Rows of `load_run`.
        entry: The name of the entry.
        rng: Draws probable true scores.
        loss_cost: The cost of a lost game in the mean cost.
        luck: The games of each entry without most of the luck, by its name; None: wins are counted.
        compared: The comparisons of these entries, and maybe of others, in each score; None to compute them.

    Returns:
        The others, in the order of the run; none if there is no game that all have played.

    Raises:
        UserError: The run has no such entry.
    """
    if entry not in set(run["entry"]):
        names = ", ".join(sanitize_untrusted_text(name, 80) for name in run["entry"].unique())
        raise UserError(f"there is no entry called {entry!r} in this run. Entries: {names}.")
    of_game = run[run["rules"] == run.loc[run["entry"] == entry, "rules"].iloc[0]]
    games = significance.by_entry(of_game)
    mine = games.pop(entry)
    if not games or mine.empty:
        return []
    differences: dict[str, list[ScoreDifference]] = {}
    compared = compared or significance.pairwise_significance(of_game, rng, loss_cost, luck)
    for score in significance.comparable_scores(mine, loss_cost):
        found = compared[score.name]
        own, others = found.entries.index(entry), np.array([found.entries.index(name) for name in games])
        parts = (part.tolist() for part in _differences(score, found, own, others))
        differences[score.name] = [ScoreDifference(*row) for row in zip(*parts, strict=True)]
    mine_won, rivals = (mine["verdict"] == str(Verdict.WON)).to_numpy(), []
    for place, (name, rows) in enumerate(games.items()):
        wins = pairs(mine_won, (rows["verdict"] == str(Verdict.WON)).to_numpy())
        rivals.append(Rival(name, wins, {score: of_others[place] for score, of_others in differences.items()}))
    return rivals


def _differences(
    score: Score, compared: significance.PairwiseSignificance, entry: int, others: NDArray[np.int64]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the differences of an entry from others, the bounds of their intervals, and the chances to be better.

    Counted shares have the interval of Bonett and Price, which is valid near 0 and 1; means, and shares without luck,
    have that of `hypothesis_tests`; other scores have the shortest interval that contains that of the probable scores
    and the difference. All four are NaN if both scores are infinite, which says nothing about who is better.

    Args:
        score: The score.
        compared: The comparisons of all entries.
        entry: The index of the entry.
        others: The indices of the others.
    """
    gaps = np.sort(_difference(compared.probable[entry], compared.probable[others]), axis=1)  # may be infinite
    lead = np.sign(significance.higher_is_better(gaps, score.lower_is_better))
    wins = (lead > 0).sum(axis=1) + (lead == 0).sum(axis=1) / 2
    chance = (wins + 0.5) / (gaps.shape[1] + 1)  # a finite number of draws cannot show certainty
    found = _difference(compared.values[entry], compared.values[others])
    rows = [entry, *others]
    lost = None if compared.lost is None else compared.lost[rows]
    low, high = difference_interval(score, compared.per_game[rows], gaps, lost)
    is_known = np.isfinite(compared.values[entry]) | np.isfinite(compared.values[others])
    low, high = np.minimum(low, found), np.maximum(high, found)
    return tuple(np.where(is_known, part, np.nan) for part in (found, low, high, chance))  # type: ignore[return-value]


def difference_interval(
    score: Score, values: Floats, differences: Floats, lost: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the bounds of the interval of each difference.

    Args:
        values: The value of each game, float[k, n]; the first entry is compared with the others.
        differences: The sorted differences in draws of the true scores, float[k - 1, draws].
        lost: What each game would be worth if it had been lost, float[k, n]; None: games are not credited.
    """
    tail, n_draws = (1 - CONFIDENCE) / 2, differences.shape[1]
    if isinstance(score, ShareScore) and lost is None:
        compared = [pairs(values[0] > 0, other > 0) for other in values[1:]]
        return np.array([test.low for test in compared]), np.array([test.high for test in compared])
    if isinstance(score, MeanScore | ShareScore):
        span = 1.0 if isinstance(score, ShareScore) else score.bounds[1] - score.bounds[0]
        limits = [(-span, span)] * len(values)
        if lost is not None:
            limits = [difference_limits((values[0], lost[0]), one, span) for one in zip(values, lost, strict=True)]
        gaps = zip(values[1:], limits[1:], strict=True)
        ends = np.array([mean_bounds(values[0] - other, *ends) for other, ends in gaps]).reshape(-1, 2)
        return ends[:, 0], ends[:, 1]
    return differences[:, floor(tail * n_draws)], differences[:, ceil((1 - tail) * n_draws) - 1]


def _difference(first: Floats | np.float64, others: Floats) -> Floats:
    """Return first - others, or 0 if both are infinite, as both entries then lose too many games."""
    with np.errstate(over="ignore"):
        return np.subtract(first, others, out=np.zeros(others.shape), where=first != others)


@dataclass(frozen=True, eq=False)
class ComparisonMatrix:
    """The pairwise comparisons of k entries in one score; element [i, j] compares entry i with entry j.

    Attributes:
        score: The name of the score.
        entries: The names of the entries.
        difference: The difference of the scores, i minus j, float[k, k].
        low: The lower bounds of the 95% intervals of the differences.
        high: The upper bounds.
        chance: The probabilities that i is better.
        better: Whether i has been shown to be better, with a family-wise error rate over all pairs, bool[k, k].
    """

    score: str
    entries: tuple[str, ...]
    difference: Floats
    low: Floats
    high: Floats
    chance: Floats
    better: NDArray[np.bool_]


def comparison_matrix(score: Score, compared: significance.PairwiseSignificance) -> ComparisonMatrix:
    """Return the matrix of a score with a direction, given its result of `pairwise_significance`."""
    k = len(compared.values)
    differences, low, high, chance = (np.zeros((k, k)) for _ in range(4))
    chance[:] = 0.5
    for i in range(k - 1):
        others = np.arange(i + 1, k)
        differences[i, others], low[i, others], high[i, others], chance[i, others] = _differences(
            score, compared, i, others
        )
    below = np.tril_indices(k, -1)
    for of_pair, sign, shift in ((differences, -1, 0), (chance, -1, 1)):
        of_pair[below] = sign * of_pair.T[below] + shift
    low[below], high[below] = -high.T[below], -low.T[below]
    return ComparisonMatrix(score.name, compared.entries, differences, low, high, chance, compared.better)
