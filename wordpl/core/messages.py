"""The errors that wordpl raises on purpose, the wording of messages, and the log."""

import errno
import logging
import os
import re
import sys
from collections.abc import Iterable

COMMAND = re.compile(r"::(?=[\w-])|##(?=\w*\[)")
"""Markers of workflow commands in the logs of CI services, such as `::error::` and `##[group]`."""


def amount(n: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun in the singular or plural.

    Args:
        n: The count.
        noun: The noun in the singular.
        nouns: The plural; "" appends an s to the singular.

    >>> amount(1, "game"), amount(12000, "game"), amount(0, "entry", "entries")
    ('1 game', '12,000 games', '0 entries')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def did_you_mean(text: str, choices: Iterable[str]) -> str:
    """Return a sentence, preceded by a space, that suggests the choice most similar to `text`; "" if there is none.

    >>> did_you_mean("wordel/1", ["wordpl/1", "wordle/1"])
    " Did you mean 'wordle/1'?"
    >>> did_you_mean("chess", ["wordpl/1", "wordle/1"])
    ''
    """
    from difflib import get_close_matches  # only an error message needs it

    similar = get_close_matches(text, list(choices))
    swapped = [choice for choice in similar if sorted(choice) == sorted(text)]  # the most frequent typo
    return f" Did you mean {(swapped + similar)[0]!r}?" if similar else ""


def sanitize_untrusted_text(text: str, most: int, keep: str = "") -> str:
    """Return the start of a text with its control characters replaced by "?".

    Workflow commands of CI services are broken up by a "?" too.

    Args:
        text: The untrusted text.
        most: The maximum number of characters to return.
        keep: Control characters to keep.

    >>> sanitize_untrusted_text("a\\x1b[31m name", 8)
    'a?[31m n'
    >>> sanitize_untrusted_text("::error::all is lost ##[group]", 80)
    ':?error:?all is lost #?[group]'
    """
    visible = text[:most]
    if not visible.isprintable():
        visible = "".join(sign if sign.isprintable() or sign in keep else "?" for sign in visible)
    return COMMAND.sub(lambda mark: f"{mark[0][0]}?", visible)


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


LOG_VARIABLE = "WORDPL_LOG"
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMAT = "%(asctime)s.%(msecs)03d %(levelname)s process %(process)d %(name)s: %(message)s"
TIME_FORMAT = "%H:%M:%S"
MAX_LOGGED_BYTES = 500
"""The maximum number of bytes logged of a line between referee and player."""


def start_log(level: str) -> None:
    """Log to standard error in this process and its workers, which find the level in the variable WORDPL_LOG.

    All loggers are below "wordpl". INFO logs the steps of a run; DEBUG also logs every line between the referee and a
    player, with the time, the process id and the game. By default, nothing is logged.

    Args:
        level: The lowest level to log, one of LOG_LEVELS.
    """
    os.environ[LOG_VARIABLE] = level
    logger = logging.getLogger("wordpl")
    logger.setLevel(level.upper())
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(LOG_FORMAT, TIME_FORMAT))
        logger.addHandler(handler)
        logger.propagate = False


def start_log_in_worker() -> None:
    """Log in this worker process at its parent's level, if the parent called `start_log`."""
    level = os.environ.get(LOG_VARIABLE, "").lower()
    if level in LOG_LEVELS:
        start_log(level)
