"""Plays a contest and shows its progress on standard error: bars on a terminal, lines in a log, faults and messages."""

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import click

from wordpl.cli._output import LINE, LogBar, clock_time, say, stoppable, terminal_bar
from wordpl.contest import Contest, EntryProgress, Observer, official, run_folder
from wordpl.core import paths
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.players.discovery import Fault
from wordpl.players.sandbox import probe
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
        bar.total = part.total
        bar.update(part.n_done - bar.n)

    def remove(self, name: str) -> None:
        """Remove the bar of a part."""
        self._bars.pop(name).close()

    def show_total(self, text: str, run: RunPart, left_s: float) -> None:
        """Show the progress of the run, and how long it will take."""
        self._whole.set_description_str(text, refresh=False)
        self._whole.set_postfix_str(f"{clock_time(left_s)} left" if run.n_done > run.n_before else "", refresh=False)
        self._whole.n, self._whole.total = run.n_done, run.total
        self._whole.refresh()

    def close(self) -> None:
        """Remove all bars."""
        self._is_over.set()
        self._ticking.join()
        LINE.has_bars = False
        for bar in [*self._bars.values(), self._whole]:
            bar.close()


MAX_NAME_CHARACTERS = 44
MESSAGE_CHARACTERS = 2000


class ProgressBars(Observer):
    """Shows the progress of a contest on standard error.

    Args:
        resumable: Whether the run is kept, so that it is worth showing its folder and how to resume it.
        is_quiet: Show only errors and what the user has to do.
        resume: The command that plays the rest of an interrupted run; "": that of a single run.
        options: Options to add to the command of a single run.
    """

    def __init__(self, *, resumable: bool = True, is_quiet: bool = False, resume: str = "", options: str = ""):
        """Start without a run."""
        self._resumable, self._is_quiet, self._resume, self._options = resumable, is_quiet, resume, options
        self._n_entries, self._whole = 0, RunPart(0, 0)
        self._parts: dict[str, RunPart] = {}
        self._shown: TerminalBars | LogBar | None = None

    def no_entry(self, fault: Fault) -> None:
        """Show why no entry could be made from a file."""
        say(fault.in_words, err=True)

    def committed(self, run: Run) -> None:
        """Show the commitment of a new official run and, if it waits for a beacon, how to continue it."""
        click.echo(f"commitment  {run.info.commitment}", err=True)
        if official.is_waiting_for_beacon(run.info):
            click.echo(
                f"beacon      to come from: {run.info.config.beacon_from}\n"
                "Publish both lines now. No game has been played yet. When the beacon is known, run\n"
                f"    {run_folder.resume_command(run)} --beacon TEXT",
                err=True,
            )

    def started(self, run: Run) -> None:
        """Show where the run is kept and what is played."""
        if self._is_quiet:
            return
        if self._resumable:
            say(run_in_words(run), err=True)
            if missing := probe.why_not_a(run.info.config.level):
                say(f"{missing} `wordpl docs isolation` says how to get level A.", err=True)
        n_entries, n_games = len(run.info.entries), run.info.config.n_games
        n_again = run.info.games_to_repeat + (0 if self._resumable else n_games)
        if run.info.part is not None:
            n_entries, n_games, n_again = 1, sum(len(entry.numbers) for entry in run.entries), 0
        self._n_entries = len(run.info.entries)
        self._whole, self._parts = RunPart(0, n_entries * (n_games + n_again)), {}
        self._shown = TerminalBars(self._whole) if sys.stderr.isatty() else LogBar(self._whole.total, "game")
        self._show_total()

    def progress(self, progress: EntryProgress) -> None:
        """Show how many games of an entry have been played."""
        name = short_name(progress.entry.name)
        self._advance(name, progress.n_played, progress.n_games, f"{progress.n_won:,} won")

    def repeated(self, n_done: int, n_games: int) -> None:
        """Show how many games have been repeated in fresh processes; their number may grow."""
        if part := self._parts.get(AGAIN):
            self._whole.total += n_games - part.total
            part.total = n_games
        self._advance(AGAIN, n_done, n_games)

    def reversed(self, n_done: int, n_games: int) -> None:
        """Show how many games have been repeated in reverse order."""
        self._advance(REVERSED, n_done, n_games)

    def _advance(self, name: str, n_done: int, total: int, note: str = "") -> None:
        """Show the progress of the part called `name`, and its result line when it is done."""
        if self._shown is None:
            return
        from tqdm import tqdm  # slow to import

        part = self._parts.setdefault(name, RunPart(n_done, total))
        was_done = part.n_done == part.total and part.n_before < part.total
        part.n_done = n_done
        bars = self._shown if isinstance(self._shown, TerminalBars) else None
        if bars:
            bars.move(name, part, note)
        if n_done == total and not was_done:
            if bars:
                bars.remove(name)
            games_text = amount(total, "game") + (f", {note}" if note else "")
            line = f"{name:<44} {games_text:<24} {clock_time(part.seconds):>7}"
            tqdm.write(sanitize_untrusted_text(line, MESSAGE_CHARACTERS), file=sys.stderr)  # above the bars
        self._show_total()

    def _show_total(self) -> None:
        whole, played_again = self._whole, [self._parts[name] for name in (AGAIN, REVERSED) if name in self._parts]
        n_finished = sum(
            part.n_done == part.total for name, part in self._parts.items() if name not in (AGAIN, REVERSED)
        )
        whole.n_done = sum(part.n_done for part in self._parts.values())
        whole.n_before = sum(part.n_before for part in self._parts.values())
        text, left_s = f"{n_finished} of {amount(self._n_entries, 'entry', 'entries')} done", whole.left_s
        if played_again and n_finished == self._n_entries:  # in fresh processes, games take longer than before
            newest = played_again[-1]
            pace = newest.seconds / max(1, newest.n_done - newest.n_before)
            text, left_s = "playing games again", pace * (whole.total - whole.n_done)
        if isinstance(self._shown, TerminalBars):
            self._shown.show_total(text, whole, left_s)
        elif self._shown:
            self._shown.move(whole.n_done, text, whole.seconds, left_s)

    def stopped(self, run: Run, n_played: int) -> None:
        """Show how to resume the run."""
        self._close()
        games_kept = amount(n_played, "game is", "games are")
        command = self._resume or f"{run_folder.resume_command(run)}{self._options}"
        click.echo(f"{games_kept} kept. To play the rest:\n    {command}", err=True)

    def finished(self, run: Run) -> None:
        """Remove the bars."""
        self._close()

    def _close(self) -> None:
        if isinstance(self._shown, TerminalBars):
            self._shown.close()


def show_faults(contest: Contest) -> None:
    """Show the files from which no entry could be made, and why."""
    for fault in contest.found.faults:
        say(fault.in_words, err=True)


def short_name(name: str) -> str:
    """Return an entry's name, sanitized and cut to the width of progress bars."""
    return sanitize_untrusted_text(name, MAX_NAME_CHARACTERS)


def run_in_words(run: Run) -> str:
    """Return one line with the run's folder, its number of games and its seed."""
    seed = "secret seed" if run.info.seed is None else f"seed {run.info.seed}"
    return f"{paths.relative_to_cwd(run.folder)}: {amount(run.info.config.n_games, 'game')} each, {seed}"


def play_run(
    contest: Contest,
    beacon: str | None = None,
    *,
    quiet: bool = False,
    parts: Callable[[Run], Iterable[Path]] = lambda run: (),
    options: str = "",
) -> Run:
    """Play the contest and return its run; Ctrl-C shows how to resume it and exits with code 130.

    Args:
        contest: The contest to play.
        beacon: The text that an official run waits for.
        quiet: Show no progress.
        parts: Returns the folders of the parts of a run that are played elsewhere, as they come.
        options: Options to add to the command that plays the rest of an interrupted run.
    """
    with stoppable():
        observer = ProgressBars(is_quiet=quiet, options=options)
        return contest.play(observer, beacon=beacon, parts_played=parts(contest.open(observer)))
