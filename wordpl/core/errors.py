"""Errors that wordpl raises on purpose."""

import errno

from wordpl.core.messages import sanitize_untrusted_text

MAX_CHARACTERS = 10_000
REMEDIES = {
    errno.ENOSPC: "Free some disk space",
    errno.EDQUOT: "Free some disk space",
    errno.EFBIG: "Raise the limit on the size of files",
    errno.EROFS: "Make it writable",
    errno.EACCES: "Make it writable",
    errno.EPERM: "Make it writable",
    errno.EIO: "Check the disk",
    errno.EMFILE: "Raise the limit on open files",
    errno.ENFILE: "Raise the limit on open files",
    errno.EAGAIN: "Raise the limit on processes",
    errno.ENOMEM: "Free some memory, or use fewer --jobs",
}
"""What the user can do about an error of the system."""


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
