"""Options of what a command prints: --json for programs, --quiet for scripts, --csv-separator for spreadsheets."""

from collections.abc import Mapping
from typing import Any

import click

from wordpl.cli._status_line import LINE

SEPARATORS = {";": ";", ",": ",", "tab": "\t"}


def read_separator(context: click.Context, option: click.Parameter, given: str) -> str:
    """Return the sign that the user named."""
    if given not in SEPARATORS:
        raise click.BadParameter(f"{given!r} should be one of {' '.join(SEPARATORS)}")
    return SEPARATORS[given]


def read_quiet(context: click.Context, option: click.Parameter, given: bool) -> bool:
    """Return whether to be quiet, and be it."""
    LINE.is_quiet = given
    return given


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON; docs/output.md names its fields.")
quiet_option = click.option(
    "--quiet", is_flag=True, callback=read_quiet, help="Print results and errors alone: no progress."
)
csv_separator_option = click.option(
    "--csv-separator",
    "separator",
    default=";",
    show_default=True,
    metavar="SIGN",
    callback=read_separator,
    help="What is between the values of scores.csv: ; or , or tab.",
)


def print_json(kind: str, value: Mapping[str, Any]) -> None:
    """Print the value as JSON."""
    from wordpl.reports import as_json

    click.echo(as_json.as_text(kind, value))
