"""Command lines that resume a run, verify it, or replay one of its games."""

import shlex
from pathlib import Path

from wordpl.core import paths
from wordpl.core.records import EntryInfo, Run, RunInfo

EVALUATE = ("wordpl", "evaluate")
"""The command that evaluates entries; in a checkout, `python evaluate.py` does the same."""


def resume_command(run: Run) -> str:
    """Return the command that plays the remaining games of the run."""
    return shlex.join([*EVALUATE, "--resume", paths.relative_to_cwd(run.folder)])


def verify_command(folder: Path) -> str:
    """Return the command that verifies the run in this folder."""
    return shlex.join(["wordpl", "verify", paths.relative_to_cwd(folder)])


def page_commands(folder: Path, info: RunInfo) -> list[str]:
    """Return the commands that play the run again, verify it, and write its page."""
    place = paths.relative_to_cwd(folder)
    files = dict.fromkeys(entry.file for entry in info.entries if entry.file)
    options = ["--games", str(info.n_games), *info.config.game_options()]
    return [
        shlex.join([*EVALUATE, *files, *options]),
        shlex.join(["wordpl", "verify", place]),
        shlex.join(["wordpl", "report", place, "-o", "report.html"]),
    ]


def replay_command(entry: EntryInfo, number: int, info: RunInfo) -> str:
    """Return the command that replays one game of an entry under the terms of the run.

    It is empty if the entry was passed as an object, which the command line cannot name.
    """
    if not entry.file:
        return ""
    options = ["--game", entry.game_id, *info.config.game_options(), "--replay", str(number)]
    return shlex.join([*EVALUATE, f"{entry.file}:{entry.make}", *options])
