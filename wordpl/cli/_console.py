"""The console on which commands print tables."""

import sys
from typing import NoReturn

from rich.console import Console


class PipedConsole(Console):
    """A console for output that a pipe such as `| head` may close early."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise BrokenPipeError, which ends the command without a message."""
        self.quiet = True
        raise BrokenPipeError


def console() -> Console:
    """Return a console for tables, on standard output."""
    return PipedConsole(file=sys.stdout)
