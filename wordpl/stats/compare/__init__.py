"""Paired comparisons of entries on the same games.

All entries of a run play with the same secrets and the same noise, so that a hard game is hard for all of them.
Comparing them game by game removes this variance.
"""

from wordpl.stats.compare.claims import Claim, RecordRow, champions, judge, shown_budget
from wordpl.stats.compare.differences import HeadToHead, Judgement, against, head_to_heads, judgements
from wordpl.stats.compare.significance import (
    MARK,
    MAX_PAIRED,
    N_PAIRED,
    PairwiseSignificance,
    by_entry,
    pairwise_significance,
    rank_intervals,
    resample,
)

__all__ = [
    "MARK",
    "MAX_PAIRED",
    "N_PAIRED",
    "Claim",
    "HeadToHead",
    "Judgement",
    "PairwiseSignificance",
    "RecordRow",
    "against",
    "by_entry",
    "champions",
    "head_to_heads",
    "judge",
    "judgements",
    "pairwise_significance",
    "rank_intervals",
    "resample",
    "shown_budget",
]
