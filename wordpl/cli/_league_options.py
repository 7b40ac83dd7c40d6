"""Options that the commands of `wordpl league` share, and the store that they name."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from wordpl.core.messages import UserError

if TYPE_CHECKING:
    from wordpl.league.store import LeagueStore

FORMATS = ("terminal", "markdown", "csv", "html")
JSON = "json"
"""The format that --json chooses."""
_Command = TypeVar("_Command", bound=Callable[..., Any])
DEFAULT_STORE = "league.sqlite"
KINDS: dict[str, Literal["png", "svg"]] = {".png": "png", ".svg": "svg"}


class Picture(click.Path):
    """A path of a picture to write; its suffix selects the format."""

    name = "picture"

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; fail if its suffix is not that of a supported format."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.suffix not in KINDS:
            self.fail(f"{value!r} must end in {' or '.join(KINDS)}.", param, ctx)
        return path


def format_option(command: _Command) -> _Command:
    """Add --format, and --json, which chooses one more format."""

    def remember(context: click.Context, _option: click.Parameter, given: bool) -> None:
        context.meta[JSON] = given

    def choose(context: click.Context, _option: click.Parameter, style: str) -> str:
        return JSON if context.meta[JSON] else style

    help_text = "Print JSON; `wordpl docs output` describes its fields."
    command = click.option(
        "--json", is_flag=True, is_eager=True, expose_value=False, callback=remember, help=help_text
    )(command)
    return click.option(
        "--format", "style", type=click.Choice(FORMATS), default="terminal", show_default=True, callback=choose,
        help="Output format.",
    )(command)  # fmt: skip


def distribution_option(command: _Command) -> _Command:
    """Add --distribution."""
    help_text = "Also draw the distribution of guesses into this .png or .svg file."
    return click.option("--distribution", type=Picture(), help=help_text)(command)


def season_option(command: _Command) -> _Command:
    """Add --season."""
    help_text = 'Count only one season: 2026-W47, 2026-11, 2026-Q4, 2026, "last week" or "last month".'
    return click.option("--season", help=help_text)(command)


def dark_option(command: _Command) -> _Command:
    """Add --dark."""
    return click.option("--dark", is_flag=True, help="Draw on a dark background, as in Discord.")(command)


def store_option(command: _Command) -> _Command:
    """Add --store."""
    return click.option(
        "--store",
        "url",
        default=DEFAULT_STORE,
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


def open_store(url: str, create: bool = False) -> "LeagueStore":
    """Return the store at `url`, which is created if `create` is set. It is closed when the command ends.

    Raises:
        UserError: The store cannot be opened, or a library is missing.
    """
    require_libraries()
    from wordpl.league.store import LeagueStore  # imported here so that --help stays fast

    store = LeagueStore(url, create)
    click.get_current_context().call_on_close(store.close)
    return store
