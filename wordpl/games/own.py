"""A host's own game: one file, named by the host alone and handed to workers and players as source.

Nothing that is read, neither a run nor an entry, can name such a file. Its digest is part of the game's facts.
"""

import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wordpl.core import bounded
from wordpl.core.errors import UserError
from wordpl.games.base import Game


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


def read(text: str) -> OwnGame:
    """Return the game that a host names as FILE:CLASS.

    Raises:
        UserError: There is no such file, or it is too large.
    """
    file, _, name = text.rpartition(":")
    try:
        return OwnGame(file, name, bounded.read_text(bounded.OWN_GAME, Path(file)))
    except OSError as error:
        raise UserError(f"cannot read the game {file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UserError(f"{file} is not the source of a game: it is not UTF-8 text.") from None


def load(own: OwnGame) -> type[Game]:
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
    if not _is_game(found):
        names = ", ".join(name for name, value in vars(module).items() if _is_game(value)) or "none"
        raise UserError(
            f"{own.file} has no game called {own.name!r}: that is a subclass of wordpl.games.Game with its own `facts` "
            f"and with the methods of a game. Its games: {names}."
        )
    game: type[Game] = found
    game.facts = replace(game.facts, sha256=own.sha256)
    return game


def _is_game(value: Any) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Game)
        and "facts" in vars(value)
        and not value.__abstractmethods__
        and hasattr(value, "max_guesses")
    )
