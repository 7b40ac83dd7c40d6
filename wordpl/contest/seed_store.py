"""Where the seed of an official run lies while the run goes on: outside of every folder that a player may read.

The file is named after the run's commitment, so that a run whose folder was moved finds it again.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from wordpl.core import paths
from wordpl.core.errors import UserError
from wordpl.core.records import WITHHELD, EntryInfo, Run
from wordpl.players.sandbox import fs_policy, mounts

FOLDER = Path("wordpl", "seeds")


def keep(drawn: str, commitment: str, run_folder: Path, entries: Iterable[EntryInfo]) -> Path:
    """Write the seed to a new file that only this user can read; return where.

    Args:
        drawn: The seed.
        commitment: What was made of it and the run's terms.
        run_folder: The run's folder; the seed does not lie beside it, as results are often published.
        entries: The entries of the run; players may read the folders of their files.

    Raises:
        UserError: No place for it is outside of what players may read, or none can be written to.
    """
    readable = [*fs_policy.roots(), *(_folder_of(entry) for entry in entries if entry.file)]
    problems = []
    for folder in _places():
        if problem := _unfit(folder, readable, run_folder.parent):
            problems.append(problem)
            continue
        try:
            _make_private(folder)
            return _write(folder / commitment, drawn)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
    raise UserError(
        "there is no folder in which the seed of an official run would be out of the players' reach. "
        f"{'. '.join(problems)}. Name another one by the variable XDG_STATE_HOME."
    )


def find(run: Run) -> Path:
    """Return the file that holds the run's seed.

    Raises:
        UserError: It lies in none of the places where it could.
    """
    tried = _candidates(run)
    for path in tried:
        if os.path.lexists(path):
            return path
    raise UserError(
        f"the seed of {run.folder} lies in none of {', '.join(str(path.parent) for path in tried)}: resume the run as "
        "the user who began it, on the same machine."
    )


def read(run: Run) -> str:
    """Return the run's seed.

    Raises:
        UserError: It cannot be read.
    """
    path = find(run)
    try:
        return path.read_text().strip()
    except OSError as error:
        raise UserError(f"the seed of {run.folder} lies in {path}: {error.strerror}.") from None


def forget(run: Run) -> None:
    """Remove the run's seed, wherever it lies."""
    for path in _candidates(run):
        if os.path.lexists(path):  # not in what another user keeps for itself
            path.unlink(missing_ok=True)


def folders(run: Run) -> list[Path]:
    """Return the folders in which seeds may lie, all of which are hidden from players."""
    return list(dict.fromkeys(path.parent for path in _candidates(run)))


def _candidates(run: Run) -> list[Path]:
    """Return where the run's seed may lie; versions before this one kept it beside the run."""
    beside = run.folder.resolve().parent / WITHHELD / run.folder.resolve().name
    return [*(folder / str(run.info.commitment) for folder in _places()), beside]


def _places() -> Iterator[Path]:
    """Yield the folders that could hold seeds, in order of preference; none of them is emptied when a machine starts.

    The first two are those of the XDG Base Directory Specification.
    """
    state = os.environ.get("XDG_STATE_HOME", "")
    if state and Path(state).is_absolute():
        yield Path(state) / FOLDER
    with suppress(RuntimeError):  # a user without a home
        yield Path.home() / ".local" / "state" / FOLDER
    yield Path("/var/lib") / FOLDER
    yield Path(f"/var/tmp/wordpl-{os.getuid()}") / FOLDER


def _unfit(folder: Path, readable: Iterable[Path], results: Path) -> str:
    """Return why the folder, or any other path to it, is no place for a seed; nothing where it is one."""
    for path in mounts.aliases([folder]):
        for root in readable:
            if path.is_relative_to(root.resolve()):
                return f"{folder} is {'' if path == folder else f'{path}, '}in {root}, which players may read"
        if path.is_relative_to(results.resolve()):
            return f"{folder} is in {results}, which may be published"
    return ""


def _folder_of(entry: EntryInfo) -> Path:
    return paths.find_file(entry.file).parent


def _make_private(folder: Path) -> None:
    """Make the folder for this user alone; raise OSError where somebody else prepared it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (folder, folder.parent):
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError(f"{path} belongs to another user")
    folder.chmod(0o700)


def _write(path: Path, drawn: str) -> Path:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "w") as seed:
        seed.write(f"{drawn}\n")
        seed.flush()
        os.fsync(file)
    return path
