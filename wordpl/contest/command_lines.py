"""The command lines that go on with a run, check it, or show one of its games again."""

import shlex
from pathlib import Path

from wordpl.core import paths
from wordpl.core.records import EntryInfo, Run, RunInfo

EVALUATE = ("wordpl", "evaluate")
"""The command that works in any folder; in a checkout, `python evaluate.py` is the same."""


def resume_command(run: Run) -> str:
    """Return the command that plays what is left of the run."""
    return shlex.join([*EVALUATE, "--resume", paths.from_here(run.folder)])


def verify_command(folder: Path) -> str:
    """Return the command that checks the run in this folder."""
    return shlex.join(["wordpl", "verify", paths.from_here(folder)])


def page_commands(folder: Path, info: RunInfo) -> list[str]:
    """Return the commands that play the run again, check it, and make its page."""
    place = paths.from_here(folder)
    files = dict.fromkeys(entry.file for entry in info.entries if entry.file)
    options = ["--games", str(info.n_games), *info.config.game_options()]
    return [
        shlex.join([*EVALUATE, *files, *options]),
        shlex.join(["wordpl", "verify", place]),
        shlex.join(["wordpl", "report", place, "-o", "report.html"]),
    ]


def replay_command(entry: EntryInfo, number: int, info: RunInfo) -> str:
    """Return the command that plays this game of the entry again, under all terms of the run.

    It is empty for an entry that was given as an object.
    """
    if not entry.file:
        return ""
    options = ["--game", entry.game_id, *info.config.game_options(), "--replay", str(number)]
    return shlex.join([*EVALUATE, f"{entry.file}:{entry.make}", *options])
