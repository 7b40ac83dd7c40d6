"""The board of a quantile: what each entry's games show, and how it compares with the holder of the record."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.stats.compare.claims import ROUNDING, Claim, judge, shown_budget
from wordpl.stats.compare.games import by_entry, directed, resampled_quantiles
from wordpl.stats.paired_tests import step_down
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import CONFIDENCE, Floats

MARGIN = 0.05
"""How much lower, as a share, a score must be to be "better by 5 %"."""


@dataclass(frozen=True)
class RecordRow:
    """An entry on the board of a quantile.

    Attributes:
        name: The entry's.
        place: 1 + the number of entries shown to be better there.
        claim: With the least budget that its games show; with all that it ever spent, where they show none.
        role: "holds" for the lowest record, "shares" for a record with the same place, else "".
        first_better: The probability that the first entry of the board scores lower than this one; None for itself.
        first_margin: The probability that it scores at least 5 % lower.
    """

    name: str
    place: int
    claim: Claim
    role: str
    first_better: float | None = None
    first_margin: float | None = None


def champions(run: pd.DataFrame, rng: np.random.Generator) -> dict[float, list[RecordRow]]:
    """Return the entries of each quantile's board in their order: the holder of the record is the first.

    An entry that seldom wins, whatever it may spend, is on no board that asks for more: its 95% interval lies below.

    Args:
        run: Rows of `run_records.load_run` of one noisy game; the games that all entries have played count.
        rng: Draws the resamples behind the probabilities; the order does not depend on it.
    """
    scores = quantiles(run)
    costs = {name: scores[0].per_game(rows) for name, rows in by_entry(run).items()}
    redrawn = resampled_quantiles(np.array(list(costs.values())), scores, rng)
    return {score.q: _record_rows(score, costs, values) for score, values in zip(scores, redrawn, strict=True)}


def quantiles(run: pd.DataFrame) -> list[QuantileScore]:
    """Return the quantiles that games of this measure are scored by, the lowest first."""
    return sorted((score for score in directed(run) if isinstance(score, QuantileScore)), key=lambda score: score.q)


def _record_rows(score: QuantileScore, costs: Mapping[str, Floats], redrawn: Floats) -> list[RecordRow]:
    """Return a board's entries; redrawn: the score of each entry in each resample, float[k, draws]."""
    better = step_down(score.p_values(np.array(list(costs.values()))), 1 - CONFIDENCE)
    place_of = {name: int(place) for name, place in zip(costs, 1 + better.sum(axis=0), strict=True)}
    claims = {name: claim_of(games, score.q) for name, games in costs.items()}
    scores_of = dict(zip(costs, redrawn, strict=True))

    def rank(name: str) -> tuple[bool, float, int, float, str]:
        claim = claims[name]
        return not claim.is_record, claim.budget if claim.is_record else 0.0, place_of[name], -claim.share, name

    order = sorted((name for name in costs if claims[name].high > score.q), key=rank)
    found = []
    for name in order:
        first, claim, place = order[0], claims[name], place_of[name]
        if name == first:
            found.append(RecordRow(name, place, claim, "holds" if claim.is_record else ""))
            continue
        shares = claim.is_record and place == place_of[first]
        chances = (share_lower(scores_of[first], scores_of[name], margin) for margin in (0, MARGIN))
        found.append(RecordRow(name, place, claim, "shares" if shares else "", *chances))
    return found


def claim_of(costs: Floats, q: float) -> Claim:
    """Return what an entry's games show at this quantile: of the least budget shown, else of all that it ever spent."""
    budget = shown_budget(costs, q)
    if np.isinf(budget):
        budget = float(costs[np.isfinite(costs)].max(initial=0.0))
    return judge(costs, q, budget)


def share_lower(first: Floats, second: Floats, margin: float) -> float:
    """Return the probability that the first score is lower than the second, by at least this share of it.

    It is the share of resamples in which it is so: scores of the same resamples, float[draws] each.
    """
    lower = first <= (1 - margin) * second * (1 + ROUNDING) if margin else first < second
    return (int((lower & np.isfinite(first)).sum()) + 0.5) / (len(first) + 1)  # no number of draws shows certainty
