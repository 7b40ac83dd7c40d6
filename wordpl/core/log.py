"""Logging of the harness: off by default; a level and a handler are set by the command line, or by the user's code.

At INFO the log says what a run does. At DEBUG it has every line between the referee and a player, with the time, the
process ids and the game. The loggers are those of the standard library, below "wordpl". Worker processes write to their
standard error, at the level in the environment variable WORDPL_LOG.
"""

import logging
import os
import sys

VARIABLE = "WORDPL_LOG"
LEVELS = ("debug", "info", "warning", "error")
FORMAT = "%(asctime)s.%(msecs)03d %(levelname)s process %(process)d %(name)s: %(message)s"
TIME_FORMAT = "%H:%M:%S"
MAX_BYTES = 500
"""How much of a line between referee and player is shown."""


def start(level: str) -> None:
    """Write the log of this process and of its workers to standard error, from this level of LEVELS on."""
    os.environ[VARIABLE] = level
    logger = logging.getLogger("wordpl")
    logger.setLevel(level.upper())
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(FORMAT, TIME_FORMAT))
        logger.addHandler(handler)
        logger.propagate = False


def start_in_worker() -> None:
    """Write the log of this worker process as its parent does, where that was started by `start`."""
    level = os.environ.get(VARIABLE, "").lower()
    if level in LEVELS:
        start(level)
