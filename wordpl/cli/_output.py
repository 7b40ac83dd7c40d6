"""Prints results: text that may quote untrusted text, tables, and JSON."""

import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import click

from wordpl.core.messages import sanitize_untrusted_text

if TYPE_CHECKING:
    from rich.console import Console

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
