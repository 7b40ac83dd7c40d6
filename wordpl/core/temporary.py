"""Temporary folders that are removed even if the process that made them was killed: by the next one that starts.

The process that makes a folder holds the lock of a file in it until it ends. A folder of the same user whose lock is
free has been abandoned, and so has what the process named in the file left in shared memory.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir

PREFIX = "wordpl-"
OWNER = ".owner"
SHARED_MEMORY = Path("/dev/shm")
_OF_PROCESS = re.compile(r"(?:sem\.loky-|joblib_memmapping_folder_)(\d+)[-_]")
"""The names of what joblib and loky leave in shared memory, with the id of their process."""


def hold(folder: Path) -> int:
    """Hold the lock of a temporary folder whose name begins with PREFIX; return the file descriptor of the lock."""
    draft = folder / f"{OWNER}.new"
    lock = os.open(draft, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.write(lock, b"%d\n" % os.getpid())
    draft.rename(folder / OWNER)  # nobody sees the file before it is locked
    return lock


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a temporary folder, which is removed when the context ends; abandoned ones are removed first."""
    sweep()
    with TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        lock = hold(Path(name))
        try:
            yield Path(name)
        finally:
            os.close(lock)


def sweep() -> None:
    """Remove the folders of processes that were killed, and what these left in shared memory."""
    owners = {owner for path in Path(gettempdir()).glob(f"{PREFIX}*") if (owner := _remove_abandoned(path))}
    for folder in {SHARED_MEMORY, Path(gettempdir())} if owners else ():
        for path in folder.glob("*"):
            match = _OF_PROCESS.match(path.name)
            if match and int(match[1]) in owners and not Path("/proc", match[1]).exists():
                rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _remove_abandoned(path: Path) -> int:
    """Remove a folder if it is this user's and abandoned, and return the process that made it; otherwise, 0."""
    try:
        if path.is_symlink() or path.stat().st_uid != os.getuid():
            return 0
        lock = os.open(path / OWNER, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return 0
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        owner = int(os.read(lock, 20) or 0)
        rmtree(path, ignore_errors=True)
        return owner
    except (OSError, ValueError):
        return 0
    finally:
        os.close(lock)
