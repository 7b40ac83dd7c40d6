"""The games, one module each. Modules added to this folder are found automatically; a host can bind his own game."""

from collections.abc import Iterable
from functools import cache

from wordpl.core import modules_in
from wordpl.core.clues import Channel
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.moves import GameFacts
from wordpl.core.words import WordLists
from wordpl.games import base
from wordpl.games.base import Game, IllegalMoveError, OwnGame, Reply
from wordpl.games.classic import Wordle
from wordpl.games.noisy import Wordpl

__all__ = [
    "Channel",
    "Game",
    "GameFacts",
    "IllegalMoveError",
    "OwnGame",
    "Reply",
    "Wordle",
    "Wordpl",
    "bind",
    "bind_all",
    "bound",
    "game_class",
    "is_known",
    "make_game",
    "named",
    "names",
    "option_of",
    "own_game",
    "unbind",
    "which_file",
]

_bound: dict[str, tuple[OwnGame, type[Game]]] = {}
"""The host's own games by their ids. It is global because a process plays for one host."""


@cache
def _games() -> dict[str, type[Game]]:
    games_by_name = {
        member.facts.id: member
        for module in modules_in(__name__)
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, Game) and "facts" in vars(member)
    }
    return dict(sorted(games_by_name.items(), reverse=True))


def names() -> list[str]:
    """Return the names of all games, noisy games first and the host's own games last."""
    return [*_games(), *_bound]


def bind(game: str | OwnGame) -> GameFacts:
    """Make a host's own game known in this process, and return its facts.

    Its code runs here, in the workers and in the players of a run. Replaces a game that was bound under the same id.

    Args:
        game: The game, as FILE:CLASS or as it was read.

    Raises:
        UserError: The file cannot be read, has no such game, or uses the id of a game of the package.
    """
    source = base.read_own_game(game) if isinstance(game, str) else game
    found = base.load_own_game(source)
    if found.facts.id in _games():
        raise UserError(f"{source.option} has the id {found.facts.id!r} of a game of the package: choose another one.")
    _bound[found.facts.id] = source, found
    return found.facts


def bind_all(sources: Iterable[OwnGame]) -> None:
    """Make the games known that another process of the same host has bound; see `bound`."""
    for source in sources:
        if source not in bound():
            bind(source)


def bound() -> tuple[OwnGame, ...]:
    """Return the host's own games, for other processes of the host."""
    return tuple(source for source, _ in _bound.values())


def unbind(game_id: str) -> None:
    """Forget a host's own game."""
    _bound.pop(game_id, None)


def own_game(game_id: str) -> OwnGame | None:
    """Return the source of a host's own game; None for a game of the package."""
    return _bound[game_id][0] if game_id in _bound else None


def option_of(game_id: str) -> str:
    """Return the value of `--game` that names a game."""
    source = own_game(game_id)
    return source.option if source else game_id


def named(text: str) -> str:
    """Return the id of the game that a host names by its id or, for his own game, as FILE:CLASS, which is bound.

    Raises:
        UserError: There is no such game.
    """
    if ":" in text:
        return bind(text).id
    return game_class(text).facts.id


def game_class(name: str | GameFacts) -> type[Game]:
    """Return the class of the game with this name or these facts.

    Raises:
        UserError: There is no such game; the message suggests a similar name. Or the facts are those of a host's own
            game, and that game is not bound.
    """
    if isinstance(name, GameFacts):
        if name.sha256 and not is_known(name):
            raise UserError(which_file(name))
        return game_class(name.id)
    if name in _bound:
        return _bound[name][1]
    try:
        return _games()[name]
    except KeyError:
        hint = did_you_mean(name, names())
        raise UserError(
            f"there is no game called {name!r}.{hint} Games: {', '.join(names())}. To play a game of your own, name "
            "its file: --game FILE:CLASS."
        ) from None


def is_known(facts: GameFacts) -> bool:
    """Return whether the code of the game with these facts is at hand."""
    return facts.id in names() and game_class(facts.id).facts == facts


def which_file(facts: GameFacts) -> str:
    """Return which file is needed for the code of a host's own game."""
    digest = f"{facts.sha256[:16]}..."
    if facts.id in _bound:
        source = _bound[facts.id][0]
        return (
            f"{source.file} has the SHA-256 {source.sha256[:16]}..., but {facts.id} was played by a file with {digest}"
        )
    return (
        f"{facts.id} is a game of the host's own, from a file with the SHA-256 {digest}: name your copy of that file, "
        "--game FILE:CLASS."
    )


def make_game(name: str | GameFacts, lists: WordLists) -> Game:
    """Return the game with this name or these facts, played with these word lists; see `game_class`."""
    return game_class(name)(lists)
