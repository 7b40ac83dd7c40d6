"""Command lines that resume a run, verify it, or replay one of its games."""

import shlex
from pathlib import Path

import msgspec

from wordpl.core import paths
from wordpl.games import option_of
from wordpl.players.sandbox.levels import Level
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo

EVALUATE = ("wordpl", "evaluate")
"""The command that evaluates entries; in a checkout, `python evaluate.py` does the same."""


def resume_command(run: Run) -> str:
    """Return the command that plays the remaining games of the run."""
    config = run.info.config
    level = ["--isolation", config.level] if config.level and not Level(config.level).is_official else []
    choice = ["--trust"] if config.is_trusted else level
    return shlex.join([*EVALUATE, "--resume", paths.relative_to_cwd(run.folder), *choice])


def verify_command(folder: Path) -> str:
    """Return the command that verifies the run in this folder."""
    return shlex.join(["wordpl", "verify", paths.relative_to_cwd(folder)])


def page_commands(folder: Path, info: RunInfo) -> list[str]:
    """Return the commands that play the run again, verify it, and write its page."""
    place = paths.relative_to_cwd(folder)
    files = dict.fromkeys(entry.file for entry in info.entries if entry.file)
    options = ["--games", str(info.config.n_games), *info.game_config.game_options()]
    return [
        shlex.join([*EVALUATE, *files, *options]),
        shlex.join(["wordpl", "verify", place]),
        shlex.join(["wordpl", "report", place, "-o", "report.html"]),
    ]


def replay_command(entry: EntryInfo, number: int, info: RunInfo, folder: Path | None = None) -> str:
    """Return the command that replays one game of an entry under the terms of the run.

    It is empty if the entry was passed as an object, which the command line cannot name.

    Args:
        folder: The run's folder, if the game is replayed with the files that the run stores; None: with those of the
            author.
    """
    if not entry.file:
        return ""
    if folder is not None and info.seed is not None and not info.config.is_trusted:
        place = paths.relative_to_cwd(folder)
        own_game = option_of(entry.game.id)
        game = ["--game", own_game] if own_game != entry.game.id else []
        return shlex.join([*EVALUATE, entry.name, "--run", place, *game, "--number", str(number)])
    config = msgspec.structs.replace(info.game_config, game_id=option_of(entry.game.id))
    options = [*config.game_options(), "--number", str(number)]
    return shlex.join([*EVALUATE, f"{entry.file}:{entry.make}", *options])
