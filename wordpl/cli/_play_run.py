"""Plays a contest under progress bars."""

import click

from wordpl.cli._progress import ProgressBars
from wordpl.contest import Contest
from wordpl.core.records import Run


def play_run(contest: Contest, beacon: str | None = None, *, quiet: bool = False) -> Run:
    """Play the contest; Ctrl-C says how to go on, and ends the program with exit code 130.

    Args:
        contest: What is played.
        beacon: The text that an official run waits for.
        quiet: Whether to show no progress.
    """
    try:
        return contest.play(ProgressBars(is_quiet=quiet), beacon=beacon)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
