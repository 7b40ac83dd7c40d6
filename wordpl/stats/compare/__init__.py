"""Paired comparisons of entries on the same games.

All entries of a run play with the same secrets and the same noise, so that a hard game is hard for all of them.
Comparing them game by game removes this variance.
"""

from wordpl.stats.compare.claims import Claim, RecordRow, champions, judge, shown_budget
from wordpl.stats.compare.differences import against
from wordpl.stats.compare.games import by_entry, resample
from wordpl.stats.compare.head_to_head import HeadToHead, Judgement, head_to_heads, judgements
from wordpl.stats.compare.significance import MARK, PairwiseSignificance, pairwise_significance, rank_intervals

__all__ = [
    "MARK",
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
