"""The bot that plays a puzzle on another site's page and shares the result, and its errors."""

from wordpl.core.messages import UserError


class PageError(UserError):
    """The page is not as the adapter expects; the message names the missing element."""


class TransientPageError(PageError):
    """The page did not answer in time, or failed; another attempt may help."""


class NoGuessError(UserError):
    """No word fits the clues on the page, or the entry has no guess."""


class ShareError(UserError):
    """A result was not shared. The message contains no tokens and no addresses with secrets."""


class UnclearError(ShareError):
    """The post may or may not have arrived."""
