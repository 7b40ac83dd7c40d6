"""What a command prints: text that may quote untrusted text, JSON, status lines that are erased, and progress bars."""

import os
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from shutil import get_terminal_size
from threading import Event, Thread, get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

import click

from wordpl.core.messages import sanitize_untrusted_text
from wordpl.kernels import compile_events

if TYPE_CHECKING:
    from rich.console import Console
    from tqdm import tqdm

    from wordpl.reports.elements import Table

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
MAX_CHARACTERS = 100_000


class Collected:
    """What a command that has no JSON of its own prints, if it was asked for JSON: its tables, and all other lines.

    Attributes:
        tables: The tables; None if nothing is collected.
    """

    def __init__(self) -> None:
        """Collect nothing yet."""
        self.tables: list[Any] | None = None
        self._output: TextIO | None = None

    def begin(self) -> None:
        """Collect what is printed from now on, whoever prints it."""
        self.tables, self._output = [], sys.stdout
        sys.stdout = StringIO()

    def stop(self) -> list[str]:
        """Print again, and return the lines that were not in tables."""
        output, self._output, self.tables = self._output, None, None
        if output is None:
            return []
        collected, sys.stdout = sys.stdout, output
        return [line for line in cast("StringIO", collected).getvalue().splitlines() if line]

    def end(self, kind: str) -> None:
        """Print what was collected as JSON, if anything was asked for."""
        if (tables := self.tables) is not None:
            print_json(kind, {"tables": tables, "notes": self.stop()})


COLLECTED = Collected()


def say(text: str, *, err: bool = False) -> None:
    """Print the text without control characters and without the workflow commands of build services."""
    text = sanitize_untrusted_text(text, MAX_CHARACTERS, keep="\n\t")
    if err and LINE.drops_remarks:
        return
    click.echo(text, err=err)


def say_wrapped(text: str, indent: int = 8) -> None:
    """Print a line; a terminal gets it wrapped at its width, with a hanging indent of `indent` columns."""
    if sys.stdout.isatty():
        width = get_terminal_size().columns
        blank = " " * max(indent, len(text) - len(text.lstrip()))
        text = textwrap.fill(
            text, width, subsequent_indent=blank, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
        )
    say(text)


def print_json(kind: str, value: Mapping[str, Any]) -> None:
    """Print the value as JSON; `kind` names the command that prints it."""
    from wordpl.reports import as_json

    click.echo(as_json.as_text(kind, value))


def new_console() -> "Console":
    """Return a console for tables, on standard output, which a pipe such as `| head` may close early."""
    from rich.console import Console  # slow to import, and --help does not need it

    class PipedConsole(Console):
        def on_broken_pipe(self) -> NoReturn:
            """Raise BrokenPipeError, which ends the command without a message."""
            self.quiet = True
            raise BrokenPipeError

    return PipedConsole(file=sys.stdout)


def show_tables(tables: "Iterable[Table]", *, spaced: bool = False) -> None:
    """Print the tables; with `spaced`, each with an empty line after it."""
    from wordpl.reports.renderers import show_table

    if COLLECTED.tables is not None:
        from wordpl.reports import as_json

        COLLECTED.tables += as_json.parts(list(tables))
        return
    console = new_console()
    for table in tables:
        show_table(table, console)
        if spaced:
            console.print()


def show_result(
    kind: str, values: Mapping[str, Any], tables: "Iterable[Table]", sentences: Iterable[str] = (), *, as_json: bool
) -> None:
    """Print a result as JSON, or as tables with sentences below them; `kind` names the command."""
    if as_json:
        return print_json(kind, values)
    show_tables(tables)
    for sentence in sentences:
        say(sentence)
    return None


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
"""How often a line is written to a log if the total is not known."""
LOG_CHARACTERS = 400


class StatusLine:
    """The status line: updated in place on a terminal, written once or now and then to a log.

    Other output must call `erase` first, since it would appear behind the line. As a context manager, it shows the
    state of a search or a match with `update`, and is erased at the end.
    """

    def __init__(self) -> None:
        """Show nothing yet."""
        self._shown = ""
        self._said: set[str] = set()
        self.is_quiet = self.drops_remarks = False
        self.has_bars = False
        self.n_working = 0
        self.notes_imports = True
        self._compiling = ""
        self._began = 0.0
        self._next_update = 0.0

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

    def update(self, text: str, *, now: bool = False) -> None:
        """Show the text, unless the last update was too recent; with `now`, update a terminal in any case."""
        is_terminal = sys.stderr.isatty()
        if time.monotonic() < self._next_update and not (now and is_terminal):
            return
        self._next_update = time.monotonic() + (UPDATE_EVERY_S if is_terminal else LOG_EVERY_S)
        width = max(20, get_terminal_size().columns - 1) if is_terminal else LOG_CHARACTERS
        text = sanitize_untrusted_text(text, width)
        self.show(text, text)

    def __enter__(self) -> "StatusLine":
        """Return the line; a log gets no update at once, as short work needs none."""
        self._next_update = 0.0 if sys.stderr.isatty() else time.monotonic() + LOG_EVERY_S
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """Erase the line."""
        self.erase()

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

    def tick() -> None:
        began = time.monotonic()
        while not is_over.wait(SILENT_S):
            LINE.tick(what, began)

    thread = Thread(target=tick, daemon=True)
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


@contextmanager
def stoppable(message: str = "") -> Iterator[StatusLine]:
    """Yield the status line for work that Ctrl-C stops, with a message such as how to resume it and exit code 130."""
    with LINE:
        try:
            yield LINE
        except KeyboardInterrupt:
            LINE.erase()
            if message:
                say(message, err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None


STEP = 10
"""How often a line is written to a log, in percent."""
FIRST_LINE_S = 2.0
"""How long work goes on before its first line in a log; shorter work needs none."""


def progress_bar(total: int | None, unit: str, text: str = "", **options: Any) -> "tqdm[Any] | LogBar":
    """Return a progress bar on standard error, which is 80 columns wide if the terminal does not know its size.

    Args:
        total: The number of steps; None if it is not known.
        unit: The name of a step.
        text: The text before the bar.
        **options: Further options of tqdm, for a terminal.
    """
    if not sys.stderr.isatty():
        return LogBar(total, unit, text)
    return terminal_bar(total, unit, text, **options)


def terminal_bar(total: int | None, unit: str, text: str = "", **options: Any) -> "tqdm[Any]":
    """Return a progress bar of tqdm; see `progress_bar`."""
    from tqdm import tqdm

    has_size = os.get_terminal_size(sys.stderr.fileno()).columns > 0
    size: dict[str, Any] = {"dynamic_ncols": True} if has_size else {"ncols": 80, "nrows": 24}
    return tqdm(total=total, unit=unit, desc=text, file=sys.stderr, **size, **options)


class LogBar:
    """Writes lines about the progress of some work, with the methods of tqdm that are used for bars.

    Attributes:
        total: The number of steps; None if it is not known.
        n: The number of steps done.
    """

    def __init__(self, total: int | None, unit: str, text: str = ""):
        """Start the clock."""
        self.total, self.n = total, 0
        self._unit, self._text, self._postfix = unit.strip(), text, ""
        self._began = time.monotonic()
        self._next_percent, self._next_s = STEP, FIRST_LINE_S

    def __enter__(self) -> "LogBar":
        """Return the bar."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """Do nothing: lines are not removed."""

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        """Set the text at the end of the next line."""
        self._postfix = text

    def update(self, n: int = 1) -> None:
        """Count steps, and write a line if it is due and the work is not short."""
        elapsed_s, n_done = time.monotonic() - self._began, self.n + n
        if elapsed_s < FIRST_LINE_S:
            self.n = n_done
            return
        total = f" of {self.total:,}" if self.total else ""
        count = f"{n_done:,}{total} {self._unit}s done"
        parts = [f"{self._text}: {count}" if self._text else count, self._postfix]
        left_s = elapsed_s / max(1, n_done) * max(0, (self.total or 0) - n_done)
        self.move(n_done, ", ".join(part for part in parts if part), elapsed_s, left_s)

    def move(self, n_done: int, text: str, elapsed_s: float, left_s: float) -> None:
        """Set the number of steps done; write the text and the times in seconds if a line is due."""
        self.n = n_done
        percent = 100 * n_done // self.total if self.total else 0
        if percent < self._next_percent if self.total else elapsed_s < self._next_s:
            return
        self._next_percent, self._next_s = percent - percent % STEP + STEP, elapsed_s + LOG_EVERY_S
        text = f"{text}, {clock_time(elapsed_s)} elapsed"
        say(f"{percent:3} %  {text}, about {clock_time(left_s)} left" if self.total else text, err=True)


def clock_time(seconds: float) -> str:
    """Return seconds as minutes and seconds, with hours if there are any.

    >>> clock_time(75.2), clock_time(3675)
    ('1:15', '1:01:15')
    """
    minutes, full_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{full_seconds:02}" if hours else f"{minutes}:{full_seconds:02}"
