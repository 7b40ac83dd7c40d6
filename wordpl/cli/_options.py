"""Options that several commands share."""

from pathlib import Path

import click

from wordpl.cli._status_line import LINE
from wordpl.core import log
from wordpl.core.errors import UserError

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
DATABASE = "wordpl-games.sqlite"
SEPARATORS = {";": ";", ",": ",", "tab": "\t"}


def read_separator(context: click.Context, option: click.Parameter, given: str) -> str:
    """Return the separator character that the user chose."""
    if given not in SEPARATORS:
        raise click.BadParameter(f"{given!r} must be one of {' '.join(SEPARATORS)}")
    return SEPARATORS[given]


def read_quiet(context: click.Context, option: click.Parameter, given: bool) -> bool:
    """Return the value of --quiet, and silence the status line if it is set."""
    LINE.is_quiet = given
    return given


def bind_game(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """Return the id of the game that the user named, or the user's own as FILE:CLASS, which is bound."""
    from wordpl import games  # on first use: start-up time

    try:
        return games.named(given) if given else given
    except UserError as error:
        raise click.BadParameter(error.message, context, option) from None


def start_log(context: click.Context, option: click.Parameter, level: str | None) -> None:
    """Start logging at the given level, if any."""
    if level:
        log.start(level)


version_option = click.version_option(package_name="wordpl", prog_name="wordpl", message="%(prog)s %(version)s")
own_game_option = click.option(
    "--game",
    metavar="FILE:CLASS",
    callback=bind_game,
    expose_value=False,
    help="Your copy of the host's own game; its digest must be that of the run.",
)
contrast_option = click.option(
    "--high-contrast", "contrast", is_flag=True, help="Use orange and blue tiles instead of green and yellow."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON; `wordpl docs output` describes its fields."
)
quiet_option = click.option(
    "--quiet", is_flag=True, callback=read_quiet, help="Print only results and errors, no progress."
)
csv_separator_option = click.option(
    "--csv-separator",
    "separator",
    default=";",
    show_default=True,
    metavar="SIGN",
    callback=read_separator,
    help="Separator in scores.csv: ; or , or tab.",
)
log_option = click.option(
    "--log-level",
    type=click.Choice(log.LEVELS, case_sensitive=False),
    envvar=log.VARIABLE,
    expose_value=False,
    is_eager=True,
    callback=start_log,
    help="Log to standard error: info logs each step of a run, debug also all messages from and to players. "
    f"[env var: {log.VARIABLE}]",
)

database_option = click.option(
    "--database",
    default=DATABASE,
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="SQLite file that stores all games.",
)
max_games_option = click.option(
    "--max-games",
    default=5_000_000,
    show_default=True,
    type=click.IntRange(1),
    help="Refuse a run of more games, of all entries together.",
)
