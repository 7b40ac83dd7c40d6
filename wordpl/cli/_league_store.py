"""Options and functions that the league commands share: the store, and a league in it."""

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
        help="Store of the results: a SQLite file, or postgresql://USER@HOST/NAME.",
    )(command)


def league_option(command: _Command) -> _Command:
    """Add --league."""
    return click.option(
        "--league",
        "key",
        help="Name or Discord server id of the league; needed if the store has several.",
    )(command)


def require_libraries() -> None:
    """Raise UserError if a library that the league needs is missing."""
    try:
        import wordpl.league.store  # noqa: F401
    except ModuleNotFoundError as error:
        raise UserError(f'the league needs the library {error.name}: pip install "wordpl[league]"') from None


def open_store(url: str) -> "LeagueStore":
    """Return the store at `url`. It is closed when the command ends.

    Raises:
        UserError: The store cannot be opened, or a library is missing.
    """
    require_libraries()
    from wordpl.league.store import LeagueStore  # imported here so that --help stays fast

    store = LeagueStore(url)
    click.get_current_context().call_on_close(store.close)
    return store
