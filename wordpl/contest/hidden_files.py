"""Hiding files from players, and checking before the first game that players cannot read them."""

from pathlib import Path

from wordpl.contest import seed_store
from wordpl.contest.run_folder import lists_of
from wordpl.core import entry_caches, entry_files, paths
from wordpl.core.errors import UserError
from wordpl.core.records import Run, RunInfo
from wordpl.core.run_guards import LOCK
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox.levels import Level


def player_pool(run: Run, parent: Path) -> PlayerPool:
    """Return the player pool of a run, which hides all runs, the seeds of runs and the other entries' files."""
    files = [paths.find_file(entry.file) for entry in run.entries if entry.file]
    other_runs = [path.parent for path in run.folder.parent.glob("*/run.json")]
    hidden = [run.folder, *other_runs, *seed_store.folders(run)]
    caches = run.folder / entry_caches.FOLDER
    return PlayerPool(lists_of(run.info), parent, hidden, [file.parent for file in files], rivals=files, caches=caches)


def build_programs(run: Run, parent: Path) -> None:
    """Build all program entries before the first game, so that no information from games can reach a build.

    Args:
        parent: The folder for the players' working directories.
    """
    programs = [entry for entry in run.entries if entry.file.endswith(entry_files.PROGRAM)]
    if programs:
        with player_pool(run, parent) as pool:
            for entry in programs:
                pool.build(entry, run.info.config)


def require_hidden(run: Run, parent: Path) -> None:
    """Check that no player can open the run's files, if the sandbox level promises it: let a player of each entry try.

    Args:
        parent: The folder for the players' working directories.

    Raises:
        UserError: A player could read one of the files, or players cannot be started with the files hidden.
    """
    if not Level(run.info.level or Level.D).is_official:
        return
    files = [run.folder / "run.json", run.folder / LOCK, *run.folder.glob("records/*")]
    files += [seed_store.find(run)] if run.info.seed is None else []
    with player_pool(run, parent) as pool:
        require_unreadable(run.info, pool, files, " With --results, choose a folder that players may not read.")


def require_unreadable(info: RunInfo, pool: PlayerPool, files: list[Path], advice: str = "") -> None:
    """Check that players cannot open these files: let one player try for each folder with entries.

    Args:
        pool: Creates the players.
        advice: A sentence to append to the message.

    Raises:
        UserError: A player could open one of the files.
    """
    by_folder = {paths.find_file(entry.file).parent: entry for entry in info.entries if entry.file}
    for entry in by_folder.values():
        if opened := pool.opened(entry, info.config, files):
            raise UserError(f"a player of {entry.file} could read {opened[0]}, which must be hidden from it.{advice}")
