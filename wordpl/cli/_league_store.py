"""What the league's commands share: the store they look into, and a league in it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordpl.core.errors import UserError

if TYPE_CHECKING:
    from wordpl.league.store import LeagueStore

_Command = TypeVar("_Command", bound=Callable[..., Any])
DEFAULT = "league.sqlite"


def store_option(command: _Command) -> _Command:
    """Add --store."""
    return click.option(
        "--store",
        "url",
        default=DEFAULT,
        show_default=True,
        envvar="WORDPL_LEAGUE",
        show_envvar=True,
        help="Where results are kept: a SQLite file, or postgresql://USER@HOST/NAME.",
    )(command)


def league_option(command: _Command) -> _Command:
    """Add --league."""
    return click.option(
        "--league",
        "key",
        help="Which league of the store, by its name or its Discord server's id; needed where there are several.",
    )(command)


def require_libraries() -> None:
    """Raise UserError where the league's libraries are missing."""
    try:
        import wordpl.league.store  # noqa: F401
    except ModuleNotFoundError as error:
        raise UserError(f'the league needs the library {error.name}: pip install "wordpl[league]"') from None


def open_store(url: str) -> "LeagueStore":
    """Return the store, which is closed when the command ends.

    Raises UserError where it cannot be opened, or its libraries are missing.
    """
    require_libraries()
    from wordpl.league.store import LeagueStore  # a command's help does not need it

    store = LeagueStore(url)
    click.get_current_context().call_on_close(store.close)
    return store
