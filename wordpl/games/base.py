"""What every game is: rules with a name, over two word lists."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, ClassVar

from msgspec import Struct

from wordpl.core.clues import CLUE_RULES
from wordpl.core.errors import WordplError
from wordpl.core.game_kinds import GameKind, Measure
from wordpl.core.moves import Move
from wordpl.core.records import Verdict
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.core.words import WordLists

SHOWN_CHARACTERS = 60
Draws = Callable[[], Sequence[int]]


class IllegalMoveError(WordplError):
    """A move the rules do not allow; the message shows it and says what would be right."""


class Reply(Struct, frozen=True):
    """The referee's answer to a move: clues while the game goes on, a verdict when it ends."""

    clues: str = ""
    verdict: Verdict | None = None
    message: str = ""


class Game(ABC):
    """The rules of one game. It holds no game in progress: what happened so far is passed in."""

    name: ClassVar[str]
    """The rules' name with their version; other rules are another version."""
    kind: ClassVar[GameKind]
    """The shape of a move, which entries of the same kind share."""
    measure: ClassVar[Measure]
    """What a won game costs."""
    clue_rule: ClassVar[str]
    """The rule of clues, a key of `wordpl.core.clues.CLUE_RULES`."""
    max_guesses: ClassVar[int | None] = None
    """The guesses after which a game ends unsolved; None: there is no limit."""
    has_secret: ClassVar[bool] = True
    """Whether a secret is drawn before the first guess; else the rules settle on one, and a record has an empty one."""
    share_mark: ClassVar[str] = ""
    """What stands behind the number of guesses in a result that is shared: the star of hard mode."""

    def __init__(self, lists: WordLists):
        self.lists = lists
        # An opener meets each secret again and again, so most clues of a run are asked for twice.
        self.clue = lru_cache(maxsize=1 << 15)(CLUE_RULES[self.clue_rule])

    @abstractmethod
    def check(self, proposal: Any) -> Move:
        """Return what a player proposed as a legal move without clues.

        Raises:
            IllegalMoveError: for whatever else it is.
        """

    @abstractmethod
    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the answer to `move` after the earlier `moves`, each with the clues that it got.

        Args:
            draws: gives this round's numbers below 2^32, one a letter, for games with noise

        Raises:
            IllegalMoveError: for a move that is legal in itself but not here.
        """

    def check_word(self, word: Any, allowed: frozenset[str], list_name: str) -> str:
        """Return `word` if it is one of `allowed`; raises IllegalMoveError with the nearest words otherwise."""
        if type(word) is str and word in allowed:
            return word
        if type(word) is not str:
            raise IllegalMoveError(f"a guess is a word of {self.lists.length} letters, got {shown(word)}")
        hint = ""
        if len(word) != self.lists.length:
            hint = f": it has {len(word)} letters, not {self.lists.length}"
        elif near := get_close_matches(word, allowed, n=3):
            hint = f"; did you mean {' or '.join(near)}?"
        raise IllegalMoveError(f"{shown(word)} is not a word of {list_name}{hint}")


def shown(value: Any) -> str:
    """Return how a value from untrusted code is shown in a message: its repr, made harmless and short.

    What JSON has no form for arrives as {"repr": text}.
    """
    try:
        text = str(value["repr"]) if isinstance(value, dict) and value.keys() == {"repr"} else repr(value)
    except Exception as error:  # an untrusted author's repr may do anything
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    short = sanitize_untrusted_text(text, SHOWN_CHARACTERS)
    return short if len(text) <= SHOWN_CHARACTERS else f"{short[:-3]}..."
