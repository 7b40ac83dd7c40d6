"""Tournaments: all players get the same puzzles and a time bank, and score points for solving in few guesses.

The file `wordpl/data/tournament.toml` contains the rules, which are Csanyk's Competitive Wordle Rules 1.0.
"""

from wordpl.tournament.rules import TournamentRules, load_rules
from wordpl.tournament.scorecard import Scorecard
from wordpl.tournament.scoring import Guess, PlayedPuzzle, ScoredPuzzle, TournamentResult, score, standings
from wordpl.tournament.tournament_file import TournamentFile
from wordpl.tournament.tournament_run import RankedResults, rank

__all__ = [
    "Guess",
    "PlayedPuzzle",
    "RankedResults",
    "Scorecard",
    "ScoredPuzzle",
    "TournamentFile",
    "TournamentResult",
    "TournamentRules",
    "load_rules",
    "rank",
    "score",
    "standings",
]
