"""Context managers around a run: its lock, and messages for errors of the operating system."""

import errno
import fcntl
import os
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from wordpl.core.errors import UserError

LOCK = ".lock"
"""The lock file in a run's folder; it contains the id of the process that holds the lock."""

REMEDIES = {
    errno.ENOSPC: "Free some disk space",
    errno.EDQUOT: "Free some disk space",
    errno.EFBIG: "Raise the limit on the size of files",
    errno.EROFS: "Make it writable",
    errno.EACCES: "Make it writable",
    errno.EPERM: "Make it writable",
    errno.EIO: "Check the disk",
    errno.EMFILE: "Raise the limit on open files",
    errno.ENFILE: "Raise the limit on open files",
    errno.EAGAIN: "Raise the limit on processes",
    errno.ENOMEM: "Free some memory, or use fewer --jobs",
}


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder while the context lasts; the system releases it if the process is killed.

    Raises:
        UserError: Another process holds the lock, or the folder is not writable.
    """
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}. To resume a run, make it writable.") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 20).decode().strip() or "unknown"
            raise UserError(
                f"{folder} is in use by another process, {holder}: wait until it has ended, or stop it."
            ) from None
        with suppress(OSError):  # for example, the disk is full; the process id is only informative
            os.truncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(file)


@contextmanager
def explain(folder: Path) -> Iterator[None]:
    """Replace errors of the operating system by a UserError that says what to do.

    Args:
        folder: The folder to name if the error does not name a file.
    """
    try:
        yield
    except BrokenExecutor:
        raise UserError(
            "a worker was killed, probably because memory ran out. Use fewer --jobs, then resume the run."
        ) from None
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        where = error.filename or folder
        raise UserError(f"{where}: {error.strerror}. {REMEDIES[error.errno]}, then resume the run.") from None
