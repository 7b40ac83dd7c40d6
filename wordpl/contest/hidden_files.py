"""Hiding files from players, and checking before the first game that players cannot read them."""

from pathlib import Path

from wordpl.contest import official
from wordpl.core.errors import UserError
from wordpl.core.words import WordLists
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import PROGRAM, main_of
from wordpl.run.folder import LOCK, Run
from wordpl.run.info import RunInfo


def player_pool(run: Run, parent: Path, lists: WordLists | None = None) -> PlayerPool:
    """Return the player pool of a run, which plays the stored files, and hides all runs and the seeds of runs.

    Args:
        parent: The folder for the players' working directories.
        lists: The word lists; None: those that the run's configuration names.
    """
    other_runs = [path.parent for path in run.folder.parent.glob("*/run.json")]
    hidden = [run.folder, *other_runs, *official.folders(run)]
    return PlayerPool(lists or run.info.config.load_lists(), parent, hidden, run.store)


def build_programs(run: Run, parent: Path) -> None:
    """Build all program entries before the first game, so that no information from games can reach a build.

    Args:
        parent: The folder for the players' working directories.
    """
    store = run.store
    programs = [
        entry
        for entry in run.info.entries
        if entry.file and main_of(store.path(entry.sha256), Path(entry.file).name).endswith(PROGRAM)
    ]
    if programs:
        with player_pool(run, parent) as pool:
            for entry in programs:
                pool.build(entry, run.info.config)


def require_hidden(run: Run, parent: Path) -> None:
    """Check that no player can open the run's files, if the sandbox level promises it: let a player try.

    Args:
        parent: The folder for the players' working directories.

    Raises:
        UserError: A player could read one of the files, or players cannot be started with the files hidden.
    """
    if not Level(run.info.config.level or Level.D).is_official:
        return
    files = [run.folder / "run.json", run.folder / LOCK, *run.folder.glob("records/*")]
    files += [official.find(run)] if run.info.seed is None else []
    with player_pool(run, parent) as pool:
        require_unreadable(run.info, pool, files, " With --results, choose a folder that players may not read.")


def require_unreadable(info: RunInfo, pool: PlayerPool, files: list[Path], advice: str = "") -> None:
    """Check that players cannot open these files: let one player try, as all of them may read the same folders.

    Args:
        pool: Creates the players.
        advice: A sentence to append to the message.

    Raises:
        UserError: A player could open one of the files.
    """
    for entry in [entry for entry in info.entries if entry.file][:1]:
        if opened := pool.opened(entry, info.config, files):
            raise UserError(f"a player of {entry.file} could read {opened[0]}, which must be hidden from it.{advice}")
