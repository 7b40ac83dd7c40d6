"""The games, one module each. Modules added to this folder are found automatically."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from wordpl.core.errors import UserError
from wordpl.core.messages import did_you_mean
from wordpl.core.words import WordLists
from wordpl.games.base import Game, IllegalMoveError, Reply

__all__ = ["Game", "IllegalMoveError", "Reply", "game_class", "make_game", "names"]


@cache
def _games() -> dict[str, type[Game]]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    games_by_name = {
        member.name: member
        for module in modules
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, Game) and "name" in vars(member)
    }
    return dict(sorted(games_by_name.items(), reverse=True))


def names() -> list[str]:
    """Return the names of all games, noisy games first."""
    return list(_games())


def game_class(name: str) -> type[Game]:
    """Return the class of the game with this name.

    Raises:
        UserError: There is no such game; the message suggests a similar name.
    """
    try:
        return _games()[name]
    except KeyError:
        hint = did_you_mean(name, names())
        raise UserError(f"there is no game called {name!r}.{hint} Games: {', '.join(names())}.") from None


def make_game(name: str, lists: WordLists) -> Game:
    """Return the game with this name, played with these word lists."""
    return game_class(name)(lists)
