"""Plays a contest, and shows its progress on standard error, with messages and the results of finished entries."""

import sys

import click

from wordpl.cli._output import say
from wordpl.cli._run_progress import AGAIN, REVERSED, RunProgress
from wordpl.contest import Contest, EntryProgress, Observer, command_lines, official
from wordpl.core import paths
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.players.discovery import Fault
from wordpl.run.folder import Run
from wordpl.run.info import WorkerInfo

MAX_NAME_CHARACTERS = 44
MESSAGE_CHARACTERS = 2000


class ProgressBars(Observer):
    """Shows the progress of a contest on standard error.

    Args:
        resumable: Whether the run is kept, so that it is worth showing its folder and how to resume it.
        is_quiet: Show only errors and what the user has to do.
        resume: The command that plays the rest of an interrupted run; "": that of a single run.
    """

    def __init__(self, *, resumable: bool = True, is_quiet: bool = False, resume: str = ""):
        """Start without a run."""
        self._resumable, self._is_quiet, self._resume = resumable, is_quiet, resume
        self._run: RunProgress | None = None

    def no_entry(self, fault: Fault) -> None:
        """Show why no entry could be made from a file."""
        show_fault(fault)

    def committed(self, run: Run) -> None:
        """Show the commitment of a new official run and, if it waits for a beacon, how to continue it."""
        click.echo(f"commitment  {run.info.commitment}", err=True)
        if official.is_waiting_for_beacon(run.info):
            click.echo(
                f"beacon      to come from: {run.info.config.beacon_from}\n"
                "Publish both lines now. No game has been played yet. When the beacon is known, run\n"
                f"    {command_lines.resume_command(run)} --beacon TEXT",
                err=True,
            )

    def started(self, run: Run) -> None:
        """Show where the run is kept and what is played."""
        if self._is_quiet:
            return
        if self._resumable:
            say(run_in_words(run), err=True)
        self._run = RunProgress(run, again_in_reverse=not self._resumable)

    def progress(self, progress: EntryProgress) -> None:
        """Show how many games of an entry have been played."""
        if self._run is not None:
            name = short_name(progress.entry.name)
            self._run.advance(name, progress.n_played, progress.n_games, f"{progress.n_won:,} won")

    def repeated(self, n_done: int, n_games: int) -> None:
        """Show how many games have been repeated in fresh processes."""
        if self._run is not None:
            self._run.advance(AGAIN, n_done, n_games)

    def reversed(self, n_done: int, n_games: int) -> None:
        """Show how many games have been repeated in reverse order."""
        if self._run is not None:
            self._run.advance(REVERSED, n_done, n_games)

    def worker_joined(self, name: str, info: WorkerInfo) -> None:
        """Show that a worker of the cluster has joined."""
        if self._is_quiet:
            return
        limits = "" if info.slowness == 1 else f"; its time limits are multiplied by {info.slowness:g}"
        say_above(f"worker {name} plays: {info.machine['processor']}, level {info.level}{limits}")

    def worker_refused(self, name: str, reason: str) -> None:
        """Show why a worker of the cluster does not play."""
        say_above(f"worker {name} does not play: {reason}")

    def worker_lost(self, name: str, why: str, n_games: int) -> None:
        """Show that a worker of the cluster was lost."""
        say_above(f"worker {name} {why}. Other workers play its {amount(n_games, 'unfinished game')}.")

    def stopped(self, run: Run, n_played: int) -> None:
        """Show how to resume the run."""
        self._close()
        games_kept = amount(n_played, "game is", "games are")
        command = self._resume or command_lines.resume_command(run)
        click.echo(f"{games_kept} kept. To play the rest:\n    {command}", err=True)

    def finished(self, run: Run) -> None:
        """Remove the bars."""
        self._close()

    def _close(self) -> None:
        if self._run is not None:
            self._run.close()


def say_above(text: str) -> None:
    """Show a line on standard error, above the progress bars."""
    from tqdm import tqdm

    tqdm.write(sanitize_untrusted_text(text, MESSAGE_CHARACTERS), file=sys.stderr)


def show_faults(contest: Contest) -> None:
    """Show the files from which no entry could be made, and why."""
    for fault in contest.found.faults:
        show_fault(fault)


def show_fault(fault: Fault) -> None:
    """Show why no entry could be made from a file."""
    say(fault.in_words, err=True)


def short_name(name: str) -> str:
    """Return an entry's name, sanitized and cut to the width of progress bars."""
    return sanitize_untrusted_text(name, MAX_NAME_CHARACTERS)


def run_in_words(run: Run) -> str:
    """Return one line with the run's folder, its number of games and its seed."""
    seed = "secret seed" if run.info.seed is None else f"seed {run.info.seed}"
    return f"{paths.relative_to_cwd(run.folder)}: {amount(run.info.config.n_games, 'game')} each, {seed}"


def play_run(contest: Contest, beacon: str | None = None, *, quiet: bool = False) -> Run:
    """Play the contest and return its run; Ctrl-C shows how to resume it and exits with code 130.

    Args:
        contest: The contest to play.
        beacon: The text that an official run waits for.
        quiet: Show no progress.
    """
    try:
        return contest.play(ProgressBars(is_quiet=quiet), beacon=beacon)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
