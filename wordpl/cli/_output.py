"""Prints results: text that may quote untrusted text, tables, and JSON."""

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from wordpl.core.messages import sanitize_untrusted_text

if TYPE_CHECKING:
    from rich.console import Console
    from tqdm import tqdm

MAX_CHARACTERS = 100_000


def say(text: str, *, err: bool = False) -> None:
    """Print the text without control characters and without the workflow commands of build services."""
    click.echo(sanitize_untrusted_text(text, MAX_CHARACTERS, keep="\n\t"), err=err)


def say_wrapped(text: str, indent: int = 8) -> None:
    """Print a line; a terminal gets it wrapped at its width, with a hanging indent of `indent` columns."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        blank = " " * max(indent, len(text) - len(text.lstrip()))
        text = textwrap.fill(
            text, width, subsequent_indent=blank, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
        )
    say(text)


def print_json(kind: str, value: Mapping[str, Any]) -> None:
    """Print the value as JSON; `kind` names the command that prints it."""
    from wordpl.reports import as_json

    click.echo(as_json.as_text(kind, value))


def new_console() -> "Console":
    """Return a console for tables, on standard output, which a pipe such as `| head` may close early."""
    from rich.console import Console  # slow to import, and --help does not need it

    class PipedConsole(Console):
        def on_broken_pipe(self) -> NoReturn:
            """Raise BrokenPipeError, which ends the command without a message."""
            self.quiet = True
            raise BrokenPipeError

    return PipedConsole(file=sys.stdout)


def progress_bar(total: int | None, unit: str, text: str = "", **options: Any) -> "tqdm[Any]":
    """Return a progress bar on standard error, which is 80 columns wide if the terminal does not know its size.

    Args:
        total: The number of steps; None if it is not known.
        unit: The name of a step.
        text: The text before the bar.
        **options: Further options of tqdm.
    """
    from tqdm import tqdm

    size: dict[str, Any] = {"dynamic_ncols": True} if _has_size(sys.stderr) else {"ncols": 80, "nrows": 24}
    return tqdm(total=total, unit=unit, desc=text, file=sys.stderr, **size, **options)


def _has_size(stream: TextIO) -> bool:
    try:
        return os.get_terminal_size(stream.fileno()).columns > 0
    except (OSError, ValueError):
        return True  # a file, in which tqdm does not need the width
