"""Shows what happens in a contest on standard error: progress, what finished entries came to, and messages."""

import click

from wordpl.cli._echo import say
from wordpl.cli._run_progress import AGAIN, REVERSED, RunProgress
from wordpl.contest import EntryProgress, Observer, command_lines, official
from wordpl.core import paths
from wordpl.core.records import Run
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.players.discovery import Fault

NAME_CHARACTERS = 44


class ProgressBars(Observer):
    """Shows what happens in a contest on standard error.

    Args:
        resumable: Whether to say how to go on with a run that has stopped.
        is_quiet: Whether to show no progress, but errors and what has to be done.
    """

    def __init__(self, *, resumable: bool = True, is_quiet: bool = False):
        """Begin without a run."""
        self._resumable, self._is_quiet = resumable, is_quiet
        self._run: RunProgress | None = None

    def no_entry(self, fault: Fault) -> None:
        """Show a file from which no entry could be made."""
        show_fault(fault)

    def committed(self, run: Run) -> None:
        """Show a new official run's commitment, and how to go on where it waits for a beacon."""
        click.echo(f"commitment  {run.info.commitment}", err=True)
        if official.is_waiting(run.info):
            click.echo(
                f"beacon      to come from: {run.info.beacon_from}\n"
                "Publish both lines now. No game has been played. When the beacon is known:\n"
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
        """Show how far an entry has come."""
        if self._run is not None:
            name = short_name(progress.entry.name)
            self._run.advance(name, progress.n_played, progress.n_games, f"{progress.n_won:,} won")

    def repeated(self, n_done: int, n_games: int) -> None:
        """Show how many games have been played again."""
        if self._run is not None:
            self._run.advance(AGAIN, n_done, n_games)

    def reversed(self, n_done: int, n_games: int) -> None:
        """Show how many games have been played in reverse order."""
        if self._run is not None:
            self._run.advance(REVERSED, n_done, n_games)

    def stopped(self, run: Run, n_played: int) -> None:
        """Say how to play what is left."""
        self._close()
        click.echo(f"{n_played} games are kept. To play the rest:\n    {command_lines.resume_command(run)}", err=True)

    def finished(self, run: Run) -> None:
        """Take the bars away."""
        self._close()

    def _close(self) -> None:
        if self._run is not None:
            self._run.close()


def show_fault(fault: Fault) -> None:
    """Show a file from which no entry could be made, and why."""
    say(fault.in_words, err=True)


def short_name(name: str) -> str:
    """Return an entry's name as bars show it."""
    return sanitize_untrusted_text(name, NAME_CHARACTERS)


def run_in_words(run: Run) -> str:
    """Return in a line where the run is kept and what is played."""
    seed = "a seed that nobody knows yet" if run.info.seed is None else f"seed {run.info.seed}"
    return f"{paths.from_here(run.folder)}: {run.info.n_games} games each, {seed}"
