"""Plays a contest under progress bars."""

import click

from wordpl.cli._progress import ProgressBars
from wordpl.contest import Contest
from wordpl.core.records import Run


def play_run(contest: Contest, beacon: str | None = None) -> Run:
    """Play the contest; Ctrl-C says how to go on, and ends the program with exit code 130."""
    try:
        return contest.play(ProgressBars(), beacon=beacon)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
