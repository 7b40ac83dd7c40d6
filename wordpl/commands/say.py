"""Says something to the user that may quote a stranger."""

import click

from wordpl.strangers import printable

MOST_CHARACTERS = 100_000


def say(text: str, *, err: bool = False) -> None:
    """Print the text, without what a terminal or the log of a build service would obey."""
    click.echo(printable(text, MOST_CHARACTERS, keep="\n\t"), err=err)
