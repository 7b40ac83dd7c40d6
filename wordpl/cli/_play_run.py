"""Plays a contest with progress bars."""

import click

from wordpl.cli._progress import ProgressBars
from wordpl.contest import Contest
from wordpl.core.records import Run


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
