"""A status line on standard error, updated in place on a terminal and repeated now and then in a log."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from types import TracebackType

import click

from wordpl.cli._output import say
from wordpl.core.messages import sanitize_untrusted_text

EVERY_S = 0.1
EVERY_S_IN_A_LOG = 15.0


class LiveLine:
    """The status line. As a context manager, it is erased at the end."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._is_terminal = sys.stderr.isatty()
        self._next = 0.0 if self._is_terminal else time.monotonic() + EVERY_S_IN_A_LOG
        self._is_shown = False

    def show(self, text: str, *, now: bool = False) -> None:
        """Show the text, unless the last update was too recent; with `now`, update a terminal in any case."""
        if time.monotonic() < self._next and not (now and self._is_terminal):
            return
        self._next = time.monotonic() + (EVERY_S if self._is_terminal else EVERY_S_IN_A_LOG)
        if self._is_terminal:
            text = sanitize_untrusted_text(text, max(20, get_terminal_size().columns - 1))
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)
            self._is_shown = True
        else:
            click.echo(sanitize_untrusted_text(text, 400), err=True)

    def __enter__(self) -> "LiveLine":
        """Return the line."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """Erase the line."""
        if self._is_shown:
            click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def resumable(command: str) -> Iterator[LiveLine]:
    """Yield a status line for resumable work; Ctrl-C shows the `command` that resumes it and exits with code 130."""
    with LiveLine() as line:
        try:
            yield line
        except KeyboardInterrupt:
            line.show("", now=True)
            say(f"\nAll games are kept. To resume:\n    {command}", err=True)
            raise click.exceptions.Exit(130) from None
