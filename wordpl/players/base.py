"""The interface of players, which the referee asks for moves."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from wordpl.core.errors import WordplError
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.moves import Move, Verdict
from wordpl.run.records import Duration

MAX_MESSAGE_CHARACTERS = 4000


class PlayerError(WordplError):
    """A player failed: it crashed, was late, ran out of memory or was killed. This ends the game, but not the run.

    The message may contain untrusted text, so it is shortened and control characters are replaced.
    """

    def __init__(self, verdict: Verdict, message: str = ""):
        super().__init__(sanitize_untrusted_text(message, MAX_MESSAGE_CHARACTERS, keep="\n\t"))
        self.verdict = verdict


class TimeLimits(NamedTuple):
    """The time limits of a player in seconds: CPU time, which is decisive, and wall time."""

    cpu_s: float
    wall_s: float


class Player(ABC):
    """A player of an entry. Proposals are returned unchecked; all methods except `close` may raise PlayerError."""

    @abstractmethod
    def prepare(self) -> bool:
        """Start the player if needed; return whether it was started just now, so that it needs warming up."""

    def name_game(self, game: int) -> None:  # noqa: B027 - a player without lines to log ignores it
        """Set the number of the next game for log messages; called only if messages are logged."""

    @abstractmethod
    def first_move(self, seed: int, allowance: TimeLimits) -> Any:
        """Begin a game and return its first move.

        Args:
            seed: The seed for the strategy's own draws.
            allowance: The time limits of the game.
        """

    @abstractmethod
    def next_move(self, move: Move) -> Any:
        """Return the next proposal, given the last move with its clues."""

    @abstractmethod
    def duration(self, game: int) -> Duration:
        """Return the time that the player took for the game that is ending.

        Args:
            game: The number of the game.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop the player and release all its resources."""
