"""A line on standard error that names a slow step while it runs; a terminal erases it afterwards."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import click

from wordpl.core import compile_events

COMPILING = "compiling, once for this machine"
WAITING = f"{COMPILING}: waiting for another process that compiles"
ERASE = "\r\x1b[K"
SILENT_S = 1.0
"""How long a step may take before the line is shown."""


class StatusLine:
    """The status line. Other output must call `erase` first, since it would appear behind the line."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._shown = ""
        self._said: set[str] = set()
        self.is_quiet = False
        self.has_bars = False
        self._compiling = ""
        self._began = 0.0

    def show(self, text: str, kind: str) -> None:
        """Show the text on a terminal; elsewhere write `kind`, once for each kind."""
        if self.is_quiet or self.has_bars:
            return
        if sys.stderr.isatty():
            click.echo(f"{ERASE}{text}", err=True, nl=False)
            self._shown = text
        elif kind not in self._said:
            click.echo(kind, err=True)
            self._said.add(kind)

    def erase(self) -> None:
        """Erase the line and return the cursor to its start."""
        if self._shown:
            click.echo(ERASE, err=True, nl=False)
            self._shown = ""

    def show_compilation(self, n_done: int, n_total: int) -> None:
        """Show how many kernels are compiled; see `compile_events.CompileObserver`."""
        if n_done == n_total > 0:
            self._compiling = ""
            self.erase()
            return
        text = f"{COMPILING}: {n_done + 1} of {n_total}" if n_total else WAITING
        if text != self._compiling:
            self._compiling, self._began = text, time.monotonic()
        self.show(text, f"{COMPILING}; it takes about half a minute" if n_total else WAITING)

    def tick(self, what: str, began: float) -> None:
        """Show the current step and its duration in seconds: the kernel being compiled, otherwise `what`."""
        text, since = (self._compiling, self._began) if self._compiling else (what, began)
        self.show(f"{text}, {time.monotonic() - since:.0f} s", f"{what} ...")


LINE = StatusLine()
"""The one line of this process: a terminal has one place for it."""


@contextmanager
def compilation_shown() -> Iterator[None]:
    """Show the progress of compilation during the block."""
    with compile_events.observe(LINE.show_compilation):
        try:
            yield
        finally:
            LINE.erase()
            LINE.is_quiet = False


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show `what`, such as "computing the tables", and its duration if the block takes more than a second."""
    is_over = Event()
    thread = Thread(target=_tick, args=(what, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        LINE.erase()


def _tick(what: str, is_over: Event) -> None:
    began = time.monotonic()
    while not is_over.wait(SILENT_S):
        LINE.tick(what, began)
