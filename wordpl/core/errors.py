"""Errors that wordpl raises on purpose."""

from wordpl.core.messages import sanitize_untrusted_text

MAX_CHARACTERS = 10_000


class WordplError(Exception):
    """The base class of all errors that wordpl raises on purpose.

    Attributes:
        message: What was wrong. Since it may quote untrusted text, control characters are replaced.
    """

    def __init__(self, message: str):
        self.message = sanitize_untrusted_text(message, MAX_CHARACTERS, keep="\n\t")
        super().__init__(self.message)


class UserError(WordplError):
    """An error that the user can correct: the message says what was wrong and how to fix it.

    The command line prints the message without a traceback and ends with exit code 1.
    """


class ConfigError(UserError):
    """A value of a `RunConfig` is out of range or contradicts another value."""
