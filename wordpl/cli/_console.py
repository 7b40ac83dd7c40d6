"""Where commands print tables."""

import sys
from typing import NoReturn

from rich.console import Console


class PipedConsole(Console):
    """A console whose output may be cut off, as `| head` does: the command ends without an error."""

    def on_broken_pipe(self) -> NoReturn:
        """Leave the command as for any other output that nobody reads."""
        self.quiet = True
        raise BrokenPipeError


def console() -> Console:
    """Return a console for tables, on standard output."""
    return PipedConsole(file=sys.stdout)
