"""Reads and writes files so that neither a crash nor a full disk leaves incomplete data unnoticed.

Temporary folders are removed even if the process that made them was killed.
"""

import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir

from wordpl.core import bounded

BLOCK_BYTES = 1 << 16


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file, in one or many parts, so that a crash leaves either the old content or the new."""
    draft = path.with_name(f".{path.name}.new")
    try:
        draft.unlink(missing_ok=True)  # whoever made the folder may have put a link there
        with draft.open("xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def open_to_append(path: Path) -> int:
    """Open a file for `append`, and create it if necessary.

    Raises:
        NotRegularError: It is a link, a folder or a pipe.
        OSError: It cannot be opened.
    """
    return bounded.open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW)


def append(file: int, data: bytes) -> None:
    """Write all of the data to an open file, in a single write unless the disk fills up.

    Raises:
        OSError: The disk is full.
    """
    while data:  # if the disk fills up, one write may be partial; the next one raises
        data = data[os.write(file, data) :]


def complete_lines(path: Path) -> list[bytes]:
    """Return the complete lines of a file without their newlines; an empty list if the file does not exist."""
    return bounded.read_if_exists(bounded.OWN_LOG, path).split(b"\n")[:-1]


def truncate_torn_tail(path: Path) -> None:
    """Remove an incomplete last line, so that the next append starts a new line."""
    file = bounded.open_regular(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        end, size = _end_of_lines(file)
        if end < size:
            os.ftruncate(file, end)
    finally:
        os.close(file)


def has_torn_tail(path: Path) -> bool:
    """Return whether the last line of a file is incomplete."""
    file = bounded.open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        end, size = _end_of_lines(file)
        return end < size
    finally:
        os.close(file)


def _end_of_lines(file: int) -> tuple[int, int]:
    """Return where the last complete line of an open file ends, and the size of the file."""
    end = size = os.fstat(file).st_size
    while end > 0:
        begin = max(0, end - BLOCK_BYTES)
        newline = os.pread(file, end - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1, size
        end = begin
    return 0, size


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
