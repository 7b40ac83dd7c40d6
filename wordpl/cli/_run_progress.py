"""Progress of a run: on a terminal a line for the run and a bar for each playing entry, in a log a line every 10 %."""

import sys
import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import click

from wordpl.cli._progress_bars import STEP, clock_time, progress_line, terminal_bar
from wordpl.cli._status_line import LINE
from wordpl.core.messages import amount
from wordpl.run.folder import Run

if TYPE_CHECKING:
    from tqdm import tqdm

AGAIN = "again, in fresh processes"
REVERSED = "again, in reverse order"
WHOLE = "{desc} {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
PART = "  {desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{postfix}"
TICK_S = 1.0


class RunPart:
    """The progress of an entry, or of another part of a run.

    Attributes:
        n_done: The number of games played so far.
        total: The number of games to play.
        n_before: The number of games that had been played before a run was resumed.
    """

    def __init__(self, n_done: int, total: int):
        """Start the clock."""
        self.n_done, self.total, self.n_before = n_done, total, n_done
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.monotonic() - self._began

    @property
    def left_s(self) -> float:
        """The time that the games left take, at the pace so far."""
        return self.seconds / max(1, self.n_done - self.n_before) * max(0, self.total - self.n_done)


class RunProgress:
    """Shows the progress of a run on standard error.

    Args:
        run: The run.
        again_in_reverse: Whether all games are played once more, in reverse order.
    """

    def __init__(self, run: Run, *, again_in_reverse: bool = False):
        """Show the progress before the first game."""
        n_entries, n_games = len(run.info.entries), run.info.config.n_games
        n_again = min(run.info.config.repeats, n_games) + (n_games if again_in_reverse else 0)
        self._n_entries, self._whole = n_entries, RunPart(0, n_entries * (n_games + n_again))
        self._parts: dict[str, RunPart] = {}
        self._shown: TerminalBars | LogLines = (TerminalBars if sys.stderr.isatty() else LogLines)(self._whole)
        self._show_total()

    def advance(self, name: str, n_done: int, total: int, note: str = "") -> None:
        """Show the progress of the part called `name`, and its result line when it is done."""
        part = self._parts.setdefault(name, RunPart(n_done, total))
        was_done = part.n_done == part.total and part.n_before < part.total
        part.n_done = n_done
        self._shown.move(name, part, note)
        if n_done == total and not was_done:
            self._shown.finish(name, part, note)
        self._show_total()

    def _show_total(self) -> None:
        whole, played_again = self._whole, [self._parts[name] for name in (AGAIN, REVERSED) if name in self._parts]
        n_finished = sum(
            part.n_done == part.total for name, part in self._parts.items() if name not in (AGAIN, REVERSED)
        )
        whole.n_done = sum(part.n_done for part in self._parts.values())
        whole.n_before = sum(part.n_before for part in self._parts.values())
        text = f"{n_finished} of {amount(self._n_entries, 'entry', 'entries')} done"
        if played_again and n_finished == self._n_entries:  # in fresh processes, games take longer than before
            newest = played_again[-1]
            pace = newest.seconds / max(1, newest.n_done - newest.n_before)
            self._shown.show_total("playing games again", whole, pace * (whole.total - whole.n_done))
        else:
            self._shown.show_total(text, whole, whole.left_s)

    def close(self) -> None:
        """Remove the bars."""
        self._shown.close()


class TerminalBars:
    """Bars of tqdm: one for the run, and below it one for each part that is being played."""

    def __init__(self, run: RunPart):
        """Show the bar of the run."""
        LINE.erase()
        LINE.has_bars = True
        self._whole = terminal_bar(run.total, "game", leave=False, bar_format=WHOLE, smoothing=0)
        self._bars: dict[str, tqdm[Any]] = {}
        self._is_over = Event()
        self._ticking = Thread(target=self._tick, daemon=True)
        self._ticking.start()

    def _tick(self) -> None:
        while not self._is_over.wait(TICK_S):  # keeps the clock running while no game ends
            self._whole.refresh()

    def move(self, name: str, part: RunPart, note: str) -> None:
        """Show the progress of a part."""
        if name not in self._bars:
            self._bars[name] = terminal_bar(part.total, "game", name, leave=False, bar_format=PART, initial=part.n_done)
        bar = self._bars[name]
        bar.set_postfix_str(note, refresh=False)
        bar.update(part.n_done - bar.n)

    def finish(self, name: str, part: RunPart, note: str) -> None:
        """Replace the bar of a part by its result line, above the bars."""
        self._bars.pop(name).close()
        self._whole.write(result_line(name, part, note), file=sys.stderr)

    def show_total(self, text: str, run: RunPart, left_s: float) -> None:
        """Show the progress of the run, and how long it will take."""
        self._whole.set_description_str(text, refresh=False)
        self._whole.set_postfix_str(f"{clock_time(left_s)} left" if run.n_done > run.n_before else "", refresh=False)
        self._whole.n = run.n_done
        self._whole.refresh()

    def close(self) -> None:
        """Remove all bars."""
        self._is_over.set()
        self._ticking.join()
        LINE.has_bars = False
        for bar in [*self._bars.values(), self._whole]:
            bar.close()


class LogLines:
    """Writes a line every 10 % of the run, and a result line for each part."""

    def __init__(self, run: RunPart):
        """Write no line before 10 % of the run."""
        self._next = STEP

    def move(self, name: str, part: RunPart, note: str) -> None:
        """Do nothing: a part gets a line when it is done."""

    def finish(self, name: str, part: RunPart, note: str) -> None:
        """Write the result line of a part."""
        click.echo(result_line(name, part, note), err=True)

    def show_total(self, text: str, run: RunPart, left_s: float) -> None:
        """Write the progress of the run if it has grown by 10 % since the last line."""
        percent = 100 * run.n_done // max(1, run.total)
        if percent < self._next:
            return
        self._next = percent - percent % STEP + STEP
        click.echo(progress_line(percent, text, run.seconds, left_s), err=True)

    def close(self) -> None:
        """Do nothing: lines are not removed."""


def result_line(name: str, part: RunPart, note: str) -> str:
    """Return the result line of a part, in at most 80 columns."""
    games_text = f"{amount(part.total, 'game')}" + (f", {note}" if note else "")
    return f"{name:<44} {games_text:<24} {clock_time(part.seconds):>7}"
