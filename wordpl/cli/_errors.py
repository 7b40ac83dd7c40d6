"""Commands that show wordpl's own errors as a message, and end with exit code 1."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from wordpl.core.errors import WordplError


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn a wordpl error into the error that click prints without a traceback."""
    try:
        yield
    except WordplError as error:
        raise click.ClickException(error.message) from None


class WordplCommand(click.Command):
    """A command that can be run by itself, as evaluate.py and interactive.py do."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with errors_as_messages():
            return super().invoke(ctx)


class WordplGroup(click.Group):
    """A group of commands."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for."""
        with errors_as_messages():
            return super().invoke(ctx)
