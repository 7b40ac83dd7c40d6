"""The base class of all games."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, ClassVar

from msgspec import Struct

from wordpl.core.clues import CLUE_RULES
from wordpl.core.errors import WordplError
from wordpl.core.game_kinds import GameKind, Measure
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.moves import Move
from wordpl.core.records import Verdict
from wordpl.core.words import WordLists

SHOWN_CHARACTERS = 60
Draws = Callable[[], Sequence[int]]


class IllegalMoveError(WordplError):
    """A move that the rules do not allow; the message quotes it and says what is allowed."""


class Reply(Struct, frozen=True):
    """The referee's reply to a move.

    Attributes:
        clues: The clues for the guess; empty if the move gets none.
        verdict: How the game ended; None while it continues.
        message: Further explanation of the verdict.
    """

    clues: str = ""
    verdict: Verdict | None = None
    message: str = ""


class Game(ABC):
    """The rules of one game. Objects are stateless: the moves made so far are passed in."""

    name: ClassVar[str]
    """The name of the game with its version; any change of the rules is a new version."""
    kind: ClassVar[GameKind]
    """The form of moves, which all games of a kind share."""
    measure: ClassVar[Measure]
    """The unit of the cost of a won game."""
    clue_rule: ClassVar[str]
    """The clue rule, a key of `wordpl.core.clues.CLUE_RULES`."""
    max_guesses: ClassVar[int | None] = None
    """The number of guesses after which a game ends unsolved; None: there is no limit."""
    has_secret: ClassVar[bool] = True
    """Whether a secret is drawn before the first guess. If not, records have an empty secret."""
    share_mark: ClassVar[str] = ""
    """The text after the number of guesses in a shared result, such as the star of hard mode."""

    def __init__(self, lists: WordLists):
        self.lists = lists
        # A strategy that always opens with the same word asks for the same clues in many games.
        self.clue = lru_cache(maxsize=1 << 15)(CLUE_RULES[self.clue_rule])

    @abstractmethod
    def check(self, proposal: Any) -> Move:
        """Return the move that a player proposed, without clues.

        Args:
            proposal: Any value from untrusted code.

        Raises:
            IllegalMoveError: The proposal is not a legal move.
        """

    @abstractmethod
    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the reply to a move.

        Args:
            secret: The secret, or "" in games without one.
            moves: The earlier moves with their clues.
            move: The new move, as returned by `check`.
            draws: Returns one random integer below 2^32 per letter, for games with noise.

        Raises:
            IllegalMoveError: The move is not legal after the earlier moves.
        """

    def check_word(self, word: Any, allowed: frozenset[str], list_name: str) -> str:
        """Return the word if it is allowed.

        Raises:
            IllegalMoveError: It is not; the message suggests similar words.
        """
        if type(word) is str and word in allowed:
            return word
        if type(word) is not str:
            raise IllegalMoveError(f"a guess is a word of {self.lists.length} letters, got {shown(word)}")
        hint = ""
        if len(word) != self.lists.length:
            hint = f": it has {len(word)} letters, not {self.lists.length}"
        elif similar_words := get_close_matches(word, allowed, n=3):
            hint = f"; did you mean {' or '.join(similar_words)}?"
        raise IllegalMoveError(f"{shown(word)} is not a word of {list_name}{hint}")


def shown(value: Any) -> str:
    """Return a value from untrusted code as text for a message: its repr, sanitized and shortened.

    Values that JSON cannot represent arrive as {"repr": text}.
    """
    try:
        text = str(value["repr"]) if isinstance(value, dict) and value.keys() == {"repr"} else repr(value)
    except Exception as error:  # the repr of an untrusted object may raise anything
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    short = sanitize_untrusted_text(text, SHOWN_CHARACTERS)
    return short if len(text) <= SHOWN_CHARACTERS else f"{short[:-3]}..."
