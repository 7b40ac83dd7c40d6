"""The store for seeds of unfinished official runs, outside all folders that players may read.

Each file is named after the commitment of its run, so that it is found even if the run's folder has been moved.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from wordpl.core import paths
from wordpl.core.errors import UserError
from wordpl.core.records import SEEDS_FOLDER, EntryInfo, Run
from wordpl.players.sandbox import fs_policy

FOLDER = Path("wordpl", "seeds")


def write(drawn: str, commitment: str, run_folder: Path, entries: Iterable[EntryInfo]) -> Path:
    """Write the seed to a new file that only this user can read, and return its path.

    Args:
        drawn: The seed.
        commitment: The run's commitment.
        run_folder: The run's folder. The seed is stored elsewhere, as results are often published.
        entries: The entries of the run; players may read the folders of their files.

    Raises:
        UserError: Players may read all possible folders, or none of them is writable.
    """
    readable = [*fs_policy.roots(), *(_folder_of(entry) for entry in entries if entry.file)]
    problems = []
    for folder in _possible_folders():
        if problem := _problem_with(folder, readable, run_folder.parent):
            problems.append(problem)
            continue
        try:
            _make_private(folder)
            return _write(folder / commitment, drawn)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
    raise UserError(
        "there is no folder to store the seed of an official run that players cannot read. "
        f"{'. '.join(problems)}. Set the environment variable XDG_STATE_HOME to another folder."
    )


def find(run: Run) -> Path:
    """Return the path of the file with the run's seed.

    Raises:
        UserError: There is no such file.
    """
    tried = _candidates(run)
    for path in tried:
        if os.path.lexists(path):
            return path
    raise UserError(
        f"the seed of {run.folder} is in none of {', '.join(str(path.parent) for path in tried)}: resume the run as "
        "the user who started it, on the same machine."
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
        raise UserError(f"cannot read the seed of {run.folder} in {path}: {error.strerror}.") from None


def remove(run: Run) -> None:
    """Remove the run's seed from all possible folders."""
    for path in _candidates(run):
        if os.path.lexists(path):  # false for folders that only another user can read
            path.unlink(missing_ok=True)


def folders(run: Run) -> list[Path]:
    """Return the folders that may contain seeds, all of which are hidden from players."""
    return list(dict.fromkeys(path.parent for path in _candidates(run)))


def _candidates(run: Run) -> list[Path]:
    """Return the possible paths of the run's seed; older versions stored it next to the run."""
    beside = run.folder.resolve().parent / SEEDS_FOLDER / run.folder.resolve().name
    return [*(folder / str(run.info.commitment) for folder in _possible_folders()), beside]


def _possible_folders() -> Iterator[Path]:
    """Yield the folders that can store seeds, in order of preference; none of them is cleared on reboot.

    The first two follow the XDG Base Directory Specification.
    """
    state = os.environ.get("XDG_STATE_HOME", "")
    if state and Path(state).is_absolute():
        yield Path(state) / FOLDER
    with suppress(RuntimeError):  # the user has no home directory
        yield Path.home() / ".local" / "state" / FOLDER
    yield Path("/var/lib") / FOLDER
    yield Path(f"/var/tmp/wordpl-{os.getuid()}") / FOLDER


def _problem_with(folder: Path, readable: Iterable[Path], results: Path) -> str:
    """Return why the folder, or an alias of it, must not contain a seed; "" if it may."""
    for path in fs_policy.aliases([folder]):
        for root in readable:
            if path.is_relative_to(root.resolve()):
                return f"{folder} is {'' if path == folder else f'{path}, '}in {root}, which players may read"
        if path.is_relative_to(results.resolve()):
            return f"{folder} is in {results}, which may be published"
    return ""


def _folder_of(entry: EntryInfo) -> Path:
    return paths.find_file(entry.file).parent


def _make_private(folder: Path) -> None:
    """Create the folder with access for this user only.

    Raises:
        OSError: It cannot be created, or another user owns it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (folder, folder.parent):
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise PermissionError(f"{path} belongs to another user")
    folder.chmod(0o700)


def _write(path: Path, drawn: str) -> Path:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "w") as seed:
        seed.write(f"{drawn}\n")
        seed.flush()
        os.fsync(file)
    return path
