"""What a player is to the referee: something that is asked for moves."""

from abc import ABC, abstractmethod
from typing import Any

from wordpl.records import Duration, Verdict


class PlayerFault(Exception):
    """A player that gave no move: it crashed, ran late or ran out of memory. It ends the game, not the run."""

    def __init__(self, verdict: Verdict, message: str = ""):
        super().__init__(message)
        self.verdict, self.message = verdict, message


class Player(ABC):
    """An entry at the table. What it proposes is passed on unchecked; every method but `close` may raise PlayerFault."""

    @abstractmethod
    def prepare(self) -> bool:
        """Make the player ready for a game; return whether it has just been started, so that it needs warming up."""

    @abstractmethod
    def first_move(self, seed: int, limit_s: float) -> Any:
        """Begin a game that may take `limit_s` seconds of the player's time, and return its first move."""

    @abstractmethod
    def next_move(self, move: tuple, clues: str) -> Any:
        """Return the move after `move` got these clues."""

    @abstractmethod
    def duration(self, game: int) -> Duration:
        """Return how long the player took over the game now ending, which has this number."""

    @abstractmethod
    def close(self) -> None:
        """Let the player go and leave nothing behind."""
