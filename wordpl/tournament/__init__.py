"""Tournaments: all players get the same puzzles and time banks, and score points for solving in few guesses.

The file `wordpl/data/tournament.toml` contains the rules, which are Csanyk's Competitive Wordle Rules 1.0.
"""

from wordpl.tournament.progress import PlayedGuess, PlayerProgress, follow
from wordpl.tournament.room import Phase, Room, RoomPlayer, RoomStore
from wordpl.tournament.rules import TournamentRules, load_rules
from wordpl.tournament.scoring import (
    Guess,
    PlayedPuzzle,
    ScoredPuzzle,
    Standing,
    TournamentResult,
    score,
    standings,
)
from wordpl.tournament.tournament_file import Terms, TournamentFile, read_tournament
from wordpl.tournament.tournament_run import RankedResults, rank

__all__ = [
    "Guess",
    "Phase",
    "PlayedGuess",
    "PlayedPuzzle",
    "PlayerProgress",
    "RankedResults",
    "Room",
    "RoomPlayer",
    "RoomStore",
    "ScoredPuzzle",
    "Standing",
    "Terms",
    "TournamentFile",
    "TournamentResult",
    "TournamentRules",
    "follow",
    "load_rules",
    "rank",
    "read_tournament",
    "score",
    "standings",
]
