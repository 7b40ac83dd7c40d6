"""Who is better, and how sure that is: entries compared on the same games.

All entries of a run met the same secrets and the same noise, so that a hard game is hard for everybody: comparing game
by game takes that luck out.
"""

from wordpl.stats.compare.claims import Claim, judge, shown_budget
from wordpl.stats.compare.differences import against
from wordpl.stats.compare.games import by_entry, resample
from wordpl.stats.compare.head_to_head import Duel, Judgement, duels, judgements
from wordpl.stats.compare.record_rows import Contender, champions
from wordpl.stats.compare.significance import Standing, standings

__all__ = [
    "Claim",
    "Contender",
    "Duel",
    "Judgement",
    "Standing",
    "against",
    "by_entry",
    "champions",
    "duels",
    "judge",
    "judgements",
    "resample",
    "shown_budget",
    "standings",
]
