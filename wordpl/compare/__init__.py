"""Who is better, and how sure that is: entries compared on the same games.

All entries of a run met the same secrets and the same noise, so that a hard game is hard for everybody: comparing game
by game takes that luck out.
"""

from wordpl.compare.claims import Claim, judge, shown_budget
from wordpl.compare.contenders import Contender, champions
from wordpl.compare.differences import against
from wordpl.compare.games import by_entry, resample
from wordpl.compare.judgements import Duel, Judgement, duels, judgements
from wordpl.compare.standing import Standing, standings

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
