"""Tournaments: all players get the same puzzles and time banks, and score points for solving in few guesses.

The file `wordpl/data/tournament.toml` contains the rules, which are Csanyk's Competitive Wordle Rules 1.0.
"""

from wordpl.apps.tournament.room import Phase, Room, RoomPlayer, RoomStore
from wordpl.apps.tournament.scoring import (
    Guess,
    PlayedGuess,
    PlayedPuzzle,
    PlayerProgress,
    PlayerStanding,
    Ruling,
    RulingKind,
    ScoredPuzzle,
    TournamentResult,
    TournamentRules,
    follow,
    load_rules,
    ruled,
    score,
    standings,
)
from wordpl.apps.tournament.tournament_file import RankedResults, Terms, TournamentFile, rank, read_tournament

__all__ = [
    "Guess",
    "Phase",
    "PlayedGuess",
    "PlayedPuzzle",
    "PlayerProgress",
    "PlayerStanding",
    "RankedResults",
    "Room",
    "RoomPlayer",
    "RoomStore",
    "Ruling",
    "RulingKind",
    "ScoredPuzzle",
    "Terms",
    "TournamentFile",
    "TournamentResult",
    "TournamentRules",
    "follow",
    "load_rules",
    "rank",
    "read_tournament",
    "ruled",
    "score",
    "standings",
]
