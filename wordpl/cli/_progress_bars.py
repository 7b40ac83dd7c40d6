"""Progress bars on standard error: of tqdm on a terminal, a line every 10 % in a log."""

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from wordpl.cli._output import say

if TYPE_CHECKING:
    from tqdm import tqdm

STEP = 10
"""How often a line is written to a log, in percent."""
FIRST_LINE_S = 2.0
"""How long work goes on before its first line in a log; shorter work needs none."""
NEXT_LINE_S = 15.0
"""How often a line is written to a log if the total is not known."""


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

    size: dict[str, Any] = {"dynamic_ncols": True} if _has_size(sys.stderr) else {"ncols": 80, "nrows": 24}
    return tqdm(total=total, unit=unit, desc=text, file=sys.stderr, **size, **options)


def _has_size(terminal: TextIO) -> bool:
    return os.get_terminal_size(terminal.fileno()).columns > 0


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
        """Count steps, and write a line if it is due."""
        self.n += n
        elapsed = time.monotonic() - self._began
        percent = 100 * self.n // self.total if self.total else 0
        is_due = percent >= self._next_percent if self.total else elapsed >= self._next_s
        if not is_due or elapsed < FIRST_LINE_S:
            return
        self._next_percent = percent - percent % STEP + STEP
        self._next_s = elapsed + NEXT_LINE_S
        say(self._line(percent, elapsed), err=True)

    def _line(self, percent: int, elapsed: float) -> str:
        total = f" of {self.total:,}" if self.total else ""
        count = f"{self.n:,}{total} {self._unit}s done"
        parts = [f"{self._text}: {count}" if self._text else count, self._postfix]
        text = ", ".join(part for part in parts if part)
        if not self.total:
            return f"{text}, {clock_time(elapsed)} elapsed"
        return progress_line(percent, text, elapsed, elapsed / max(1, self.n) * max(0, self.total - self.n))


def progress_line(percent: int, text: str, elapsed_s: float, left_s: float) -> str:
    """Return a line for a log about how much of some work is done."""
    return f"{percent:3} %  {text}, {clock_time(elapsed_s)} elapsed, about {clock_time(left_s)} left"


def clock_time(seconds: float) -> str:
    """Return seconds as minutes and seconds, with hours if there are any.

    >>> clock_time(75.2), clock_time(3675)
    ('1:15', '1:01:15')
    """
    minutes, full_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{full_seconds:02}" if hours else f"{minutes}:{full_seconds:02}"
