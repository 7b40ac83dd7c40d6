"""Options that several commands of `wordpl league` share: output formats, seasons and pictures."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

FORMATS = ("terminal", "markdown", "csv", "html")
_Command = TypeVar("_Command", bound=Callable[..., Any])
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
    """Add --format."""
    return click.option(
        "--format", "style", type=click.Choice(FORMATS), default="terminal", show_default=True, help="Output format."
    )(command)


def distribution_option(command: _Command) -> _Command:
    """Add --distribution."""
    what = "Also draw the distribution of guesses into this .png or .svg file."
    return click.option("--distribution", type=Picture(), help=what)(command)


def season_option(command: _Command) -> _Command:
    """Add --season."""
    what = "Count only one month, quarter or year: 2026-11, 2026-Q4 or 2026."
    return click.option("--season", help=what)(command)


def dark_option(command: _Command) -> _Command:
    """Add --dark."""
    return click.option("--dark", is_flag=True, help="Draw on a dark background, as in Discord.")(command)
