"""What a player is to the referee: something that is asked for moves."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from wordpl.core.errors import WordplError
from wordpl.core.moves import Move
from wordpl.core.records import Duration, Verdict
from wordpl.core.untrusted_text import sanitize_untrusted_text

MESSAGE_CHARACTERS = 4000


class PlayerError(WordplError):
    """A player that gave no move: it crashed, ran late, ran out of memory or was killed. It ends the game, not the run.

    The message may be an untrusted author's: it is kept short and free of control characters.
    """

    def __init__(self, verdict: Verdict, message: str = ""):
        super().__init__(sanitize_untrusted_text(message, MESSAGE_CHARACTERS, keep="\n\t"))
        self.verdict = verdict


class TimeLimits(NamedTuple):
    """The seconds a player has: on a processor, which is what decides, and by the clock on the wall."""

    cpu_s: float
    wall_s: float


class Player(ABC):
    """An entry that plays. What it proposes is passed on unchecked; all methods but `close` may raise PlayerError."""

    @abstractmethod
    def prepare(self) -> bool:
        """Make the player ready for a game; return whether it has just been started, so that it needs warming up."""

    def name_game(self, game: int) -> None:  # noqa: B027 - a player without lines to log ignores it
        """Take note of the number of the game that is going to be played; called only if lines are logged."""

    @abstractmethod
    def first_move(self, seed: int, allowance: TimeLimits) -> Any:
        """Begin a game that may take as much of the player's time as allowed, and return its first move."""

    @abstractmethod
    def next_move(self, move: Move) -> Any:
        """Return the proposal after `move`, which holds the clues that it got."""

    @abstractmethod
    def duration(self, game: int) -> Duration:
        """Return how long the player took over the game now ending, which has this number."""

    @abstractmethod
    def close(self) -> None:
        """End the player and leave nothing behind."""
