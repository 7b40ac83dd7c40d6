"""Status lines on standard error: the slow step that is running, or the state of a search; erased afterwards."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from threading import Event, Thread, get_ident
from types import TracebackType

import click

from wordpl.cli._output import say
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.kernels import compile_events

COMPILING = "compiling, once for this machine"
WAITING = f"{COMPILING}: waiting for another process that compiles"
LOADING = "loading ..."
ERASE = "\r\x1b[K"
SILENT_S = 1.0
"""How long a step may take before the line is shown."""
ERASED_AFTER_S = 0.02
"""How often to check whether the imports are finished, once they are shown."""
N_LOOKS = 4
"""How often during SILENT_S to check whether a module is being imported."""
UPDATE_EVERY_S = 0.1
LOG_EVERY_S = 15.0


class StatusLine:
    """The status line. Other output must call `erase` first, since it would appear behind the line."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._shown = ""
        self._said: set[str] = set()
        self.is_quiet = False
        self.has_bars = False
        self.n_working = 0
        self.notes_imports = True
        self._compiling = ""
        self._began = 0.0

    def note_imports(self) -> bool:
        """Show that modules are being imported, unless something else is shown; return whether it is shown."""
        is_free = self.notes_imports and not (self.is_quiet or self.has_bars or self._shown or self.n_working)
        if is_free and sys.stderr.isatty():
            click.echo(f"{LOADING}\r", err=True, nl=False)  # output that follows at once replaces it
        elif is_free:
            click.echo(LOADING, err=True)
        return is_free

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


def compile_meanwhile() -> None:
    """Compile all kernels in the background, if they are not compiled yet, and say so."""
    from wordpl.players.shared_kernels import compile_in_background

    if compile_in_background():
        say("The kernels are compiled in the background at low priority; searches are faster afterwards.", err=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show `what`, such as "computing the tables", and its duration if the block takes more than a second."""
    is_over = Event()
    thread = Thread(target=_tick, args=(what, is_over), daemon=True)
    thread.start()
    LINE.n_working += 1
    try:
        yield
    finally:
        LINE.n_working -= 1
        is_over.set()
        thread.join()
        LINE.erase()


@contextmanager
def loading_shown() -> Iterator[None]:
    """Show "loading ..." if the block spends more than a second importing modules: until they are imported, or once."""
    LINE.notes_imports = True
    is_over = Event()
    thread = Thread(target=_watch_imports, args=(get_ident(), is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def leave_screen_to_command() -> None:
    """Show no more imports, because the command shows its own state, or fills the screen."""
    LINE.notes_imports = False


def _watch_imports(watched: int, is_over: Event) -> None:
    n_seen = 0
    while not is_over.wait(SILENT_S / N_LOOKS):
        n_seen = n_seen + 1 if _is_importing(watched) else 0
        if n_seen >= N_LOOKS and LINE.note_imports():
            if not sys.stderr.isatty():
                return
            while _is_importing(watched) and not is_over.wait(ERASED_AFTER_S):
                pass
            click.echo(ERASE, err=True, nl=False)
            n_seen = 0


def _is_importing(thread: int) -> bool:
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_code.co_name == "_find_and_load":  # of importlib
            return True
        frame = frame.f_back
    return False


def _tick(what: str, is_over: Event) -> None:
    began = time.monotonic()
    while not is_over.wait(SILENT_S):
        LINE.tick(what, began)


class ProgressLine:
    """A status line that shows the state of a search or a match. As a context manager, it is erased at the end.

    It is updated in place on a terminal, and repeated now and then in a log.
    """

    def __init__(self) -> None:
        """Show nothing yet."""
        self._is_terminal = sys.stderr.isatty()
        self._next = 0.0 if self._is_terminal else time.monotonic() + LOG_EVERY_S
        self._is_shown = False

    def show(self, text: str, *, now: bool = False) -> None:
        """Show the text, unless the last update was too recent; with `now`, update a terminal in any case."""
        if time.monotonic() < self._next and not (now and self._is_terminal):
            return
        self._next = time.monotonic() + (UPDATE_EVERY_S if self._is_terminal else LOG_EVERY_S)
        if self._is_terminal:
            text = sanitize_untrusted_text(text, max(20, get_terminal_size().columns - 1))
            click.echo(f"{ERASE}{text}", err=True, nl=False)
            self._is_shown = True
        else:
            click.echo(sanitize_untrusted_text(text, 400), err=True)

    def __enter__(self) -> "ProgressLine":
        """Return the line."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """Erase the line."""
        if self._is_shown:
            click.echo(ERASE, err=True, nl=False)


@contextmanager
def resumable(command: str) -> Iterator[ProgressLine]:
    """Yield a status line for resumable work; Ctrl-C shows the `command` that resumes it and exits with code 130."""
    with ProgressLine() as line:
        try:
            yield line
        except KeyboardInterrupt:
            line.show("", now=True)
            say(f"\nAll games are kept. To resume:\n    {command}", err=True)
            raise click.exceptions.Exit(130) from None
