"""What keeps the bot from playing or sharing."""

from wordpl.core.errors import UserError


class PageError(UserError):
    """The page is not as the adapter expects it; the message names what was looked for."""


class TransientPageError(PageError):
    """The page did not answer in time, or broke off: another try may help."""


class NoGuessError(UserError):
    """No word of the lists gives the clues that the page has shown."""


class ShareError(UserError):
    """A result was not shared; the message never holds an address with its secrets, or a token."""
