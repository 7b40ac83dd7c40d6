"""What a user can mend."""

import click

from wordpl.core.untrusted_text import sanitize_untrusted_text

MOST_CHARACTERS = 10_000


class UserError(click.ClickException):
    """Something the user can put right; the message says what was wrong and what would be right.

    A command that meets one prints the message without a traceback and ends with exit code 1. The message may quote
    strangers: control characters do not come out.
    """

    def __init__(self, message: str):
        super().__init__(sanitize_untrusted_text(message, MOST_CHARACTERS, keep="\n\t"))
