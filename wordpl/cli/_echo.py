"""Prints messages that may quote untrusted text."""

import shutil
import sys
import textwrap

import click

from wordpl.core.messages import sanitize_untrusted_text

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
