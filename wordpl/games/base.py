"""The base class of all games, and games of a host.

A host's own game is one file, named by the host alone and handed to workers and players as source.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from wordpl.core import bounded
from wordpl.core.clues import CLUE_RULES, Channel, Exact, encode
from wordpl.core.messages import UserError, WordplError, amount, sanitize_untrusted_text
from wordpl.core.moves import ClassicMove, GameFacts, Move, NoisyMove, Verdict
from wordpl.core.words import WordLists

if TYPE_CHECKING:
    import numpy as np

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

    facts: ClassVar[GameFacts]
    """Its name, the form of its moves, its costs and whatever else a board knows of it without its code."""
    clue_rule: ClassVar[str]
    """The clue rule, a key of `wordpl.core.clues.CLUE_RULES`."""
    max_guesses: ClassVar[int]
    """The number of guesses after which a game ends unsolved: the limit of its facts or, without one, a bound."""
    channel_type: ClassVar[type[Channel]] = Exact
    """How true clues become the clues that players see."""
    title: ClassVar[str] = ""
    """Its title on pages; "" for its id."""
    hard_mode: ClassVar[str] = ""
    """The id of the same game in hard mode, if players may choose that on the pages of others."""
    uses_hints: ClassVar[bool] = False
    """Whether every guess must use the hints that earlier clues revealed, as in Wordle's hard mode."""
    share_mark: ClassVar[str] = ""
    """The text after the number of guesses in a shared result, such as the star of hard mode."""

    def __init_subclass__(cls) -> None:
        if "facts" in vars(cls):
            if cls.facts.is_exact != issubclass(cls.channel_type, Exact):
                cls.facts = replace(cls.facts, has_false_clues=cls.facts.is_exact)
            if "max_guesses" not in vars(cls) and cls.facts.limit is not None:
                cls.max_guesses = cls.facts.limit
            if "title" not in vars(cls):
                cls.title = ""  # that of the game from which it is derived would be misleading

    def __init__(self, lists: WordLists):
        """Create the game.

        Args:
            lists: The words that can be guessed, and those that can be the secret.
        """
        self.lists = lists
        self.channel = self.channel_type(lists.length)
        self.is_exact = self.facts.is_exact
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

    def possible_answers(self, moves: Sequence[Move]) -> list[str]:
        """Return the answers that can still be the secret after these moves, as in `still_possible`."""
        left = list(self.lists.answers)
        if not self.is_exact:
            import numpy as np  # slow to import, and games with true clues do not need it
        for move in moves:
            if not move.clues:
                continue
            if self.is_exact:
                left = [word for word in left if self.clue(move.guess, word) == move.clues]
                continue
            if not self.facts.has_answer_move:
                left = [word for word in left if word != move.guess]  # the game would have ended
            true = np.array([encode(self.clue(move.guess, word)) for word in left], np.int64)
            chances = self.channel.chances(encode(move.clues), move, true)
            left = [word for word, chance in zip(left, chances.tolist(), strict=True) if chance > 0]
        return left

    def still_possible(self, moves: Sequence[Move]) -> "np.ndarray":
        """Return for each answer whether it can still be the secret, bool[n_answers].

        It can if its true clue for each guess may be shown as the clues that the player saw and, where a right guess
        ends the game, if it was not guessed.

        Args:
            moves: The moves of a game that has not ended, with their clues.
        """
        import numpy as np  # slow to import, and playing does not need it

        left = set(self.possible_answers(moves))
        return np.array([word in left for word in self.lists.answers])

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
        if word.strip().lower() in allowed and word != word.strip():
            hint = f": it has spaces around it, so write {word.strip().lower()!r}"
        elif len(word) != self.lists.length:
            hint = f": it has {amount(len(word), 'letter')}, not {self.lists.length}"
        elif word.lower() in allowed:
            hint = f": words are in lower case, so write {word.lower()!r}"
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


class OwnGame(Struct, frozen=True):
    """The source of a host's own game.

    Attributes:
        file: The path of its file, as the host wrote it; only for messages and command lines.
        name: The name of its class.
        source: The text of the file.
    """

    file: str
    name: str
    source: str

    @property
    def option(self) -> str:
        """The value of `--game` that names it."""
        return f"{self.file}:{self.name}"

    @property
    def sha256(self) -> str:
        """The digest of its file."""
        return sha256(self.source.encode()).hexdigest()


def read_own_game(text: str, what: str = "game") -> OwnGame:
    """Return the game, or whatever else of Python, that a host names as FILE:CLASS.

    Raises:
        UserError: There is no such file, or it is too large.
    """
    file, _, name = text.rpartition(":")
    try:
        return OwnGame(file, name, bounded.read_text(bounded.OWN_GAME, Path(file)))
    except OSError as error:
        raise UserError(f"cannot read the {what} {file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UserError(f"{file} is not the source of a {what}: it is not UTF-8 text.") from None


def load_own_game(own: OwnGame) -> type[Game]:
    """Run the source of a game, and return its class, whose facts get the digest of the file.

    Raises:
        UserError: The source fails, or the class is not a game.
    """
    module = ModuleType(f"own_game_{own.sha256[:16]}")
    module.__file__ = own.file
    sys.modules[module.__name__] = module  # where a dataclass looks for its module
    try:
        exec(compile(own.source, own.file, "exec"), vars(module))
    except Exception as error:
        raise UserError(f"the game {own.file} fails with {type(error).__name__}: {error}.") from error
    found: Any = vars(module).get(own.name)
    if not _is_game_class(found):
        names = ", ".join(name for name, value in vars(module).items() if _is_game_class(value)) or "none"
        raise UserError(
            f"{own.file} has no game called {own.name!r}: that is a subclass of wordpl.games.Game with its own `facts` "
            f"and with the methods of a game. Its games: {names}."
        )
    game: type[Game] = found
    move = NoisyMove("", 1.0, "") if game.facts.has_epsilon else ClassicMove("", "")
    try:
        game.channel_type(5).outcomes(0, move)
    except Exception as error:
        raise UserError(f"the channel of {own.option} fails with {type(error).__name__}: {error}.") from error
    game.facts = replace(game.facts, sha256=own.sha256)
    return game


def _is_game_class(value: Any) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Game)
        and "facts" in vars(value)
        and not value.__abstractmethods__
        and hasattr(value, "max_guesses")
    )
