"""How far a whole run is: a line for all entries above the bars of those that play, or a line every 10 %."""

import sys
import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import click

from wordpl.cli._status_line import LINE
from wordpl.core.amounts import amount
from wordpl.core.records import Run

if TYPE_CHECKING:
    from tqdm import tqdm

AGAIN = "again, in fresh processes"
REVERSED = "again, in reverse order"
WHOLE = "{desc} {percentage:3.0f}%|{bar}| {elapsed}, {remaining} left"
PART = "  {desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{postfix}"
TICK_S = 1.0
STEP = 10
"""The percents after which there is another line where there is no terminal."""


class Part:
    """An entry, or another part of a run: what it has played, and since when."""

    def __init__(self, n_done: int, total: int):
        """Begin with what was played before."""
        self.n_done, self.total, self.n_before = n_done, total, n_done
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """The time since it began."""
        return time.monotonic() - self._began


class RunProgress:
    """Progress on standard error.

    Args:
        run: What is played.
        again_in_reverse: Whether all games are played once more, in reverse order.
    """

    def __init__(self, run: Run, *, again_in_reverse: bool = False):
        """Show that nothing has been played yet."""
        n_entries, n_games = len(run.entries), run.info.n_games
        n_again = min(run.info.repeats, n_games) + (n_games if again_in_reverse else 0)
        self._n_entries, self._total = n_entries, n_entries * (n_games + n_again)
        self._parts: dict[str, Part] = {}
        self._shown: TerminalBars | Lines = (TerminalBars if sys.stderr.isatty() else Lines)(self._total)
        self._tell()

    def advance(self, name: str, n_done: int, total: int, note: str = "") -> None:
        """Show how far the part called `name` has come, and, when it is done, what it came to."""
        part = self._parts.setdefault(name, Part(n_done, total))
        was_done = part.n_done == part.total and part.n_before < part.total
        part.n_done = n_done
        self._shown.move(name, part, note)
        if n_done == total and not was_done:
            self._shown.finish(name, part, note)
        self._tell()

    def _tell(self) -> None:
        entries = [part for name, part in self._parts.items() if name not in (AGAIN, REVERSED)]
        n_finished = sum(part.n_done == part.total for part in entries)
        self._shown.tell(
            f"{n_finished} of {self._n_entries} entries done",
            sum(part.n_done for part in self._parts.values()),
            sum(part.n_before for part in self._parts.values()),
        )

    def close(self) -> None:
        """Take the bars away."""
        self._shown.close()


class TerminalBars:
    """Bars of tqdm: one for all, and below it one for each part that is being played."""

    def __init__(self, total: int):
        """Show the bar for all."""
        LINE.erase()
        LINE.has_bars = True
        self._whole = _bar(WHOLE, total, "", smoothing=0)
        self._bars: dict[str, tqdm[Any]] = {}
        self._is_over = Event()
        self._ticking = Thread(target=self._tick, daemon=True)
        self._ticking.start()

    def _tick(self) -> None:
        while not self._is_over.wait(TICK_S):  # the time goes on, though no game may end for a while
            self._whole.refresh()

    def move(self, name: str, part: Part, note: str) -> None:
        """Show how far a part is."""
        if name not in self._bars:
            self._bars[name] = _bar(PART, part.total, name, initial=part.n_done)
        bar = self._bars[name]
        bar.set_postfix_str(note, refresh=False)
        bar.update(part.n_done - bar.n)

    def finish(self, name: str, part: Part, note: str) -> None:
        """Replace the bar of a part by a line above all."""
        self._bars.pop(name).close()
        self._whole.write(result_line(name, part, note), file=sys.stderr)

    def tell(self, text: str, n_done: int, n_before: int) -> None:
        """Show how far all parts are together."""
        self._whole.initial = n_before
        self._whole.set_description_str(text, refresh=False)
        self._whole.n = n_done
        self._whole.refresh()

    def close(self) -> None:
        """Take all bars away."""
        self._is_over.set()
        self._ticking.join()
        LINE.has_bars = False
        for bar in [*self._bars.values(), self._whole]:
            bar.close()


class Lines:
    """A line every 10 %, and one for each part that is done."""

    def __init__(self, total: int):
        """Begin."""
        self._total, self._next = total, STEP
        self._began = time.monotonic()

    def move(self, name: str, part: Part, note: str) -> None:
        """Show nothing: there will be a line when the part is done."""

    def finish(self, name: str, part: Part, note: str) -> None:
        """Say what a part came to."""
        click.echo(result_line(name, part, note), err=True)

    def tell(self, text: str, n_done: int, n_before: int) -> None:
        """Say how far all parts are together, if it is 10 % more than the last time."""
        percent = 100 * n_done // max(1, self._total)
        if percent < self._next:
            return
        self._next = percent - percent % STEP + STEP
        spent, n_played = time.monotonic() - self._began, max(1, n_done - n_before)
        left = _clock(spent / n_played * max(0, self._total - n_done))
        click.echo(f"{percent:3} %  {text}, {_clock(spent)} spent, about {left} left", err=True)

    def close(self) -> None:
        """Do nothing: lines stay."""


def result_line(name: str, part: Part, note: str) -> str:
    """Return what a part came to, in at most 80 columns."""
    played = f"{amount(part.total, 'game')}" + (f", {note}" if note else "")
    return f"{name:<44} {played:<24} {_clock(part.seconds):>7}"


def _clock(seconds: float) -> str:
    """Return seconds as minutes and seconds, with hours where there are any.

    >>> _clock(75.2), _clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, whole = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"


def _bar(form: str, total: int, text: str, **options: Any) -> "tqdm[Any]":
    from tqdm import tqdm

    return tqdm(total=total, desc=text, leave=False, dynamic_ncols=True, bar_format=form, file=sys.stderr, **options)
