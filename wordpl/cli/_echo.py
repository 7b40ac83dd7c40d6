"""Says something to the user that may quote a stranger."""

import click

from wordpl.core.untrusted_text import sanitize_untrusted_text

MAX_CHARACTERS = 100_000


def say(text: str, *, err: bool = False) -> None:
    """Print the text, without what a terminal or the log of a build service would obey."""
    click.echo(sanitize_untrusted_text(text, MAX_CHARACTERS, keep="\n\t"), err=err)
