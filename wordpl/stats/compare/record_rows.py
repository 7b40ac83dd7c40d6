"""The board of a quantile: what each entry's games show, and how it compares with the holder of the record."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.stats.compare.claims import ROUNDING, Claim, judge, shown_budget
from wordpl.stats.compare.games import by_entry, directed, resampled_quantiles
from wordpl.stats.compare.significance import draws_for, standing
from wordpl.stats.scores.quantiles import Quantile

MARGIN = 0.05
"""How much lower, as a share, a score must be to be "better by 5 %"."""


@dataclass(frozen=True)
class Contender:
    """An entry on the board of a quantile.

    place: 1 + the number of entries shown to be better there
    claim: with the least budget that its games show; with all that it ever spent, where they show none
    role: "holds" for the lowest record, "shares" for a record that is not told apart from it, else ""
    first_better, first_margin: the probability that the first entry of the board scores lower than this one, and at
        least 5 % lower; None for itself
    """

    name: str
    place: int
    claim: Claim
    role: str
    first_better: float | None = None
    first_margin: float | None = None


def champions(run: pd.DataFrame, rng: np.random.Generator) -> dict[float, list[Contender]]:
    """Return the entries of each quantile's board in their order: the holder of the record is the first.

    run: rows of `run_records.load_run` of one noisy game, of which some have been played by all entries: these
    count. An entry that seldom wins, whatever it may spend, is on no board that asks for more: its 95% interval lies
    below.
    """
    scores = quantiles(run)
    costs = {name: scores[0].per_game(rows) for name, rows in by_entry(run).items()}
    redrawn = resampled_quantiles(np.array(list(costs.values())), scores, rng, draws_for(len(costs)))
    return {score.q: _contenders(score, costs, values) for score, values in zip(scores, redrawn, strict=True)}


def quantiles(run: pd.DataFrame) -> list[Quantile]:
    """Return the quantiles that games of this measure are scored by, the lowest first."""
    return sorted((score for score in directed(run) if isinstance(score, Quantile)), key=lambda score: score.q)


def _contenders(score: Quantile, costs: dict[str, np.ndarray], redrawn: np.ndarray) -> list[Contender]:
    """Return a board's entries; redrawn: the score of each entry in each resample, float[k, draws]."""
    places = standing(score, np.array(list(costs.values())), redrawn).places
    claims = {name: claim_of(games, score.q) for name, games in costs.items()}
    place_of, scores_of = dict(zip(costs, places, strict=True)), dict(zip(costs, redrawn, strict=True))

    def rank(name: str) -> tuple[bool, int, float, float]:
        claim = claims[name]
        return not claim.is_record, place_of[name], claim.budget, -claim.share

    order = sorted((name for name in costs if claims[name].high > score.q), key=rank)
    found = []
    for name in order:
        first, claim, place = order[0], claims[name], place_of[name]
        if name == first:
            found.append(Contender(name, place, claim, "holds" if claim.is_record else ""))
            continue
        shares = claim.is_record and place == place_of[first]
        chances = (share_lower(scores_of[first], scores_of[name], margin) for margin in (0, MARGIN))
        found.append(Contender(name, place, claim, "shares" if shares else "", *chances))
    return found


def claim_of(costs: np.ndarray, q: float) -> Claim:
    """Return what an entry's games show at this quantile: of the least budget shown, else of all that it ever spent."""
    budget = shown_budget(costs, q)
    if np.isinf(budget):
        budget = float(costs[np.isfinite(costs)].max(initial=0.0))
    return judge(costs, q, budget)


def share_lower(first: np.ndarray, second: np.ndarray, margin: float) -> float:
    """Return the probability that the first score is lower than the second, by at least this share of it.

    Scores of the same resamples, float[draws] each. The share of resamples in which it is so approximates the posterior
    probability that Rubin's Bayesian bootstrap gives (Annals of Statistics 9, 1981), whose prior says nothing.
    """
    lower = first <= (1 - margin) * second * (1 + ROUNDING) if margin else first < second
    return (int((lower & np.isfinite(first)).sum()) + 0.5) / (len(first) + 1)  # no number of draws shows certainty
