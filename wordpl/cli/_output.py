"""Options of the output: --json for programs, --quiet for scripts, --csv-separator for spreadsheets."""

from collections.abc import Mapping
from typing import Any

import click

from wordpl.cli._status_line import LINE

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


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON; docs/output.md describes its fields.")
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


def print_json(kind: str, value: Mapping[str, Any]) -> None:
    """Print the value as JSON; `kind` names the command that prints it."""
    from wordpl.reports import as_json

    click.echo(as_json.as_text(kind, value))
