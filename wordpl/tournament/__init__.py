"""Tournaments: the same puzzles for all, a time bank for each, points for how many guesses a puzzle took.

The rules are those of Csanyk's Competitive Wordle Rules 1.0, as data: `wordpl/data/tournament.toml`.
"""

from wordpl.tournament.rules import TournamentRules, load_rules
from wordpl.tournament.scorecard import Scorecard
from wordpl.tournament.scoring import Guess, PlayedPuzzle, Scored, score
from wordpl.tournament.standings import TournamentResult, standings
from wordpl.tournament.tournament_file import TournamentFile
from wordpl.tournament.tournament_run import RankedResults, rank

__all__ = [
    "Guess",
    "PlayedPuzzle",
    "RankedResults",
    "Scorecard",
    "Scored",
    "TournamentFile",
    "TournamentResult",
    "TournamentRules",
    "load_rules",
    "rank",
    "score",
    "standings",
]
