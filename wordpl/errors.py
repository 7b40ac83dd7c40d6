"""What a user can mend."""

import click


class UserError(click.ClickException):
    """Something the user can put right; the message says what was wrong and what would be right.

    A command that meets one prints the message without a traceback and ends with exit code 1.
    """
