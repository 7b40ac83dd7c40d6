"""Writes files so that a crash, a power cut or a full disk leaves what was or what should be, and nothing in between.

Whatever must not be lost goes through these functions. A file is replaced as a whole (`write_atomically`), a folder is
built under another name (`put_in_place`), and a log is appended to (`Appender`). Data are on disk before a name points
to them, and the name is on disk before the next step begins.

Temporary folders are removed even if the process that made them was killed.
"""

import errno
import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from typing import Self

from wordpl.core import bounded

BLOCK_BYTES = 1 << 16
DRAFT = ".new"
"""The end of the name of a file or folder that is not complete yet; it begins with a point."""
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM)
"""The errors of file systems and folders that cannot sync a folder."""


@contextmanager
def named_in_errors(path: Path) -> Iterator[None]:
    """Name a file in errors of the system that name none, so that a command can say which file it is."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def draft_of(path: Path) -> Path:
    """Return the path at which a file or folder is written before it gets its name."""
    return path.with_name(f".{path.name}{DRAFT}")


def remove_drafts(folder: Path) -> None:
    """Remove the files in a folder that a crash has left before they got their names."""
    for path in folder.glob(f".*{DRAFT}"):
        path.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes | Iterable[bytes], mode: int = 0o666) -> None:
    """Write a file, in one or many parts, so that a crash leaves either the old content or the new."""
    draft = draft_of(path)
    try:
        draft.unlink(missing_ok=True)  # whoever made the folder may have put a link there
        with named_in_errors(path):
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
            put_in_place(draft, path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def put_in_place(draft: Path, path: Path) -> None:
    """Give a complete file or folder its name; whatever a crash leaves at `path` is complete."""
    sync_tree(draft)
    draft.replace(path)
    sync_folder(path.parent)


def sync_tree(path: Path) -> None:
    """Wait until a file, or a folder with all that it contains, is on disk."""
    if path.is_dir():
        for folder, _, files in os.walk(path):
            for name in files:
                if not (path := Path(folder, name)).is_symlink():
                    _sync(path, os.O_NOFOLLOW)
            sync_folder(Path(folder))
    else:
        _sync(path, os.O_NOFOLLOW)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk, as far as its file system can do this."""
    try:
        _sync(folder, os.O_DIRECTORY)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def _sync(path: Path, flags: int) -> None:
    file = os.open(path, os.O_RDONLY | flags)
    try:
        with named_in_errors(path):
            os.fsync(file)
    finally:
        os.close(file)


def make_folders(folder: Path, mode: int = 0o777) -> None:
    """Create a folder, and those around it, unless it exists; a power cut does not remove it."""
    missing = list(takewhile(lambda path: not path.exists(), [folder, *folder.parents]))
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    for path in missing:
        sync_folder(path.parent)


def open_to_append(path: Path) -> int:
    """Open a file for `append`, and create it if necessary.

    Raises:
        NotRegularError: It is a link, a folder or a pipe.
        OSError: It cannot be opened.
    """
    return bounded.open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW)


def append(file: int, data: bytes) -> None:
    """Write all of the data to an open file, in a single write unless the disk fills up; then, nothing is written.

    Raises:
        OSError: The disk is full.
    """
    left = data
    try:
        while left:  # if the disk fills up, one write may be partial; the next one raises
            left = left[os.write(file, left) :]
    except OSError:
        end, n_written = os.lseek(file, 0, os.SEEK_CUR), len(data) - len(left)
        if n_written and end == os.fstat(file).st_size:  # nobody else has written since
            with suppress(OSError):
                os.ftruncate(file, end - n_written)  # the next line must not continue this one
        raise


class Appender:
    """Appends to a log, which is created if it does not exist.

    Attributes:
        path: The path of the file.
        file: Its file descriptor.
    """

    def __init__(self, path: Path):
        """Open the file.

        Raises:
            NotRegularError: It is a link, a folder or a pipe.
            OSError: It cannot be opened.
        """
        self.path, is_new = path, not path.exists()
        self.file = open_to_append(path)
        if is_new:
            sync_folder(path.parent)

    def add(self, data: bytes, *, sync: bool = True) -> None:
        """Append data, all of it or nothing, and wait until it is on disk, unless `sync` is false.

        Raises:
            OSError: The disk is full.
        """
        with named_in_errors(self.path):
            append(self.file, data)
        if sync:
            self.sync()

    def sync(self) -> None:
        """Wait until everything is on disk."""
        with named_in_errors(self.path):
            os.fsync(self.file)

    def close(self) -> None:
        """Close the file."""
        os.close(self.file)

    def __enter__(self) -> Self:
        """Return the log."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()


def complete_lines(path: Path) -> list[bytes]:
    """Return the lines of a file up to an incomplete one, without their newlines; none if the file does not exist."""
    return complete_lines_of(bounded.read_if_exists(bounded.OWN_LOG, path))


def complete_lines_of(text: bytes) -> list[bytes]:
    """Return the lines of a log up to an incomplete one, as `truncate_torn_tail` would leave them."""
    return text.partition(b"\0")[0].split(b"\n")[:-1]


def truncate_torn_tail(path: Path) -> None:
    """Remove incomplete lines at the end of a file, so that the next append starts a new line.

    After a power cut, data that were not synced may be missing or zeros, and later ones may be there.
    """
    file = bounded.open_regular(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        size = os.fstat(file).st_size
        end = _end_of_lines(file, _first_zero(file, size))
        if end < size:
            os.ftruncate(file, end)
    finally:
        os.close(file)


def has_torn_tail(path: Path) -> bool:
    """Return whether the last line of a file is incomplete."""
    file = bounded.open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        size = os.fstat(file).st_size
        return _end_of_lines(file, size) < size
    finally:
        os.close(file)


def _first_zero(file: int, size: int) -> int:
    """Return where the first zero byte of an open file is; its size if there is none."""
    for begin in range(0, size, BLOCK_BYTES):
        place = os.pread(file, BLOCK_BYTES, begin).find(b"\0")
        if place >= 0:
            return begin + place
    return size


def _end_of_lines(file: int, size: int) -> int:
    """Return where the last complete line ends in the first `size` bytes of an open file."""
    end = size
    while end > 0:
        begin = max(0, end - BLOCK_BYTES)
        newline = os.pread(file, end - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        end = begin
    return 0


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
