"""Logging, which is off unless the command line or the user's code sets a level and a handler.

All loggers are standard library loggers below "wordpl". INFO logs the steps of a run; DEBUG also logs every line
between the referee and a player, with the time, the process id and the game. Worker processes log to standard error at
the level in the environment variable WORDPL_LOG.
"""

import logging
import os
import sys

VARIABLE = "WORDPL_LOG"
LEVELS = ("debug", "info", "warning", "error")
FORMAT = "%(asctime)s.%(msecs)03d %(levelname)s process %(process)d %(name)s: %(message)s"
TIME_FORMAT = "%H:%M:%S"
MAX_BYTES = 500
"""The maximum number of bytes logged of a line between referee and player."""


def start(level: str) -> None:
    """Log to standard error in this process and its workers.

    Args:
        level: The lowest level to log, one of LEVELS.
    """
    os.environ[VARIABLE] = level
    logger = logging.getLogger("wordpl")
    logger.setLevel(level.upper())
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(FORMAT, TIME_FORMAT))
        logger.addHandler(handler)
        logger.propagate = False


def start_in_worker() -> None:
    """Log in this worker process at its parent's level, if the parent called `start`."""
    level = os.environ.get(VARIABLE, "").lower()
    if level in LEVELS:
        start(level)
